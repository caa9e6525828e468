"""Events that have come, and which of them count for a step that waits for one.

What has come since the run began counts: the answer to what a step has asked for may be there
before the wait for it is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from protocol.payloads import Json

_LONGEST = 200
"""Characters of a part of a key, which has 1,024 bytes."""
KEPT = timedelta(days=14)
"""How long an event is kept for waits that have not begun."""
LARGEST = 250_000
"""Bytes of an event that a wait can be told: an answer to a machine has at most 262,144.
https://docs.aws.amazon.com/step-functions/latest/apireference/API_SendTaskSuccess.html"""


class TooLarge(ValueError):
    """An event is larger than what a step's output can be."""


@dataclass(frozen=True, slots=True)
class Came:
    """An event that some wait may be for; `type` is its `detail-type`, `at` when it came."""

    type: str
    event_id: str
    at: datetime
    event: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Wait:
    """A task that waits for an event, or did; `subject` is what it is about."""

    task_id: str
    subject: Json


def types_of(pattern: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the types of events that a pattern names; none where it names them otherwise.

    `detail-type: [a, b]` names two; `[{prefix: a}]`, or no `detail-type` at all, none.
    """
    listed = pattern.get("detail-type")
    named = listed if isinstance(listed, list) else []
    if not all(isinstance(one, str) for one in named):
        return ()
    return tuple(str(one) for one in named)


def known_as(name: str) -> str:
    """Return an identity or a type as it is kept: by its hash where no key can hold it.

    That is what is longer than any source's, or holds half of a surrogate pair.
    """
    whole = name.encode(errors="surrogatepass")
    if len(name) <= _LONGEST and whole == name.encode(errors="replace"):
        return name
    return hashlib.sha256(whole).hexdigest()


def counts(subject: Json, at: datetime, event_id: str | None) -> bool:
    """Return whether an event that came at a moment counts for a wait, if it fits.

    What came before the run began does not, nor does the event that started the run.
    """
    told: Mapping[str, Json] = subject if isinstance(subject, dict) else {}
    if event_id is not None and event_id == told.get("not"):
        return False
    since = told.get("since")
    return not isinstance(since, str) or at >= datetime.fromisoformat(since)
