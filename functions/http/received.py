"""What came in, checked before anything looks at it: its size, its type, its JSON."""

from __future__ import annotations

import base64
import binascii
import json
from functools import cached_property
from typing import TYPE_CHECKING

from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2
from aws_lambda_powertools.utilities.data_classes.common import CaseInsensitiveDict

from functions.domain.json_text import DEEPEST, storable
from functions.http.problems import Fault, Problem
from protocol.reading import TooDeep

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from protocol.payloads import Json

_LONGEST_SOUGHT = 512
"""Bytes of a parameter: a filter of CloudWatch has 1,024 characters, a key of DynamoDB 2,048."""
_LONGEST_NAME = 1_500
_CURSOR = "cursor"
MOST_BYTES = 262_144
"""Of a body, unless a route says otherwise; as much as a run takes as its input."""


class Received(APIGatewayProxyEventV2):
    """An event of API Gateway (HTTP API, version 2) whose body is read strictly."""

    @cached_property
    def headers(self) -> dict[str, str]:
        """Return the headers, found in any spelling; the body's type is in small letters."""
        headers = CaseInsensitiveDict(self.get("headers"))
        headers["content-type"] = str(headers.get("content-type") or "").lower()
        return headers

    @cached_property
    def raw(self) -> bytes:
        """Return the body's bytes as they were sent; raises Problem."""
        body = self.get("body") or ""
        if not self.get("isBase64Encoded"):
            return body.encode(errors="surrogatepass")
        try:
            return base64.b64decode(body, validate=True)
        except binascii.Error:
            raise Problem(400, "the body is no base64") from None

    @cached_property
    def text(self) -> str:
        """Return the body's text; raises Problem where it is not UTF-8."""
        try:
            return self.raw.decode()
        except UnicodeDecodeError:
            raise Problem(400, "the body is not UTF-8") from None

    @cached_property
    def json_body(self) -> dict[str, Json]:
        """Return the body, a JSON object, an empty one for no body at all; raises Problem."""
        return _object(self.text) if self.raw else {}

    @property
    def media_type(self) -> str:
        """Return the type of the body, without its parameters; empty where none is named."""
        return self.headers["content-type"].partition(";")[0].strip()

    def check_size(self, most: int) -> None:
        """Raise Problem for a body of more bytes than that."""
        if len(self.raw) > most:
            raise Problem(413, f"the body may have {most} bytes at most")

    def check_json(self) -> None:
        """Raise Problem where the body is not a JSON object, said to be JSON.

        That it must be said keeps web pages of others from sending it unasked: a browser asks
        first (https://fetch.spec.whatwg.org/#cors-safelisted-request-header).
        """
        if not self.raw:
            return
        if self.media_type != "application/json":
            raise Problem(415, "send the body as application/json")
        _ = self.json_body

    def check_query(self, known: Collection[str]) -> None:
        """Raise Problem for parameters of the query that nothing reads, or that are too long."""
        given = self.query_string_parameters
        faults = [
            Fault(_meant(name, known), parameter=name[:80])
            for name in sorted(given)
            if name not in known
        ]
        if faults:
            raise Problem(400, "the query has parameters that are unknown", faults=faults[:20])
        detail = f"is longer than {_LONGEST_SOUGHT} bytes"
        faults = [
            Fault(detail, parameter=name)
            for name in sorted(given)
            if name != _CURSOR and _bytes(given[name]) > _LONGEST_SOUGHT
        ]
        if faults:
            raise Problem(400, "the call is not as it should be", faults=faults)


def can_be(names: Iterable[str]) -> bool:
    """Return whether things can be called so; of what is longer no key could be made."""
    return all(_bytes(name) <= _LONGEST_NAME for name in names)


def _bytes(text: str) -> int:
    return len(text.encode(errors="replace"))


def _meant(name: str, known: Collection[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name[:80], known, 1)
    return f"is unknown; did you mean '{near[0]}'?" if near else "is unknown"


def _object(text: str) -> dict[str, Json]:
    try:
        value = storable(text)
    except json.JSONDecodeError as error:
        detail = f"the body is no JSON: line {error.lineno}, column {error.colno}: {error.msg}"
        raise Problem(400, detail) from None
    except TooDeep:
        raise Problem(400, f"the body is nested more than {DEEPEST} deep") from None
    except ValueError:
        raise Problem(400, "the body is no JSON that can be stored") from None
    if not isinstance(value, dict):
        raise Problem(400, "the body must be a JSON object")
    return value
