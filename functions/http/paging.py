"""Lists in pages: `limit`, and a `cursor` that says where the next page begins."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from typing import Annotated, TypeAlias

from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.http.problems import Fault, Problem
from protocol.payloads import Json

Limit: TypeAlias = Annotated[
    int, Query(ge=1, le=200, description="How many items a page has at most")
]
"""The parameter `limit`; its default is 50."""
Cursor: TypeAlias = Annotated[
    str, Query(max_length=2000, description="`next` of the page before; empty for the first")
]
"""The parameter `cursor`; its default is an empty text."""


def cursor_of(place: Json | Sequence[Json] | Mapping[str, str]) -> str | None:
    """Return the text for a place in a list; None where the list is over."""
    if place is None:
        return None
    packed = json.dumps(place, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def place_in(cursor: str) -> Json:
    """Return the place of a `cursor_of`, None for the beginning; raises Problem for none.

    Whoever sends it may have made it up: what it says is to be checked.
    """
    if not cursor:
        return None
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        place: Json = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        raise no_cursor() from None
    return place


def no_cursor() -> Problem:
    """Return the problem of a cursor that none of our lists gave."""
    fault = Fault("is none that a list gave", parameter="cursor")
    return Problem(400, "the call is not as it should be", faults=[fault])
