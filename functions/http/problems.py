"""Errors as problem documents (RFC 9457): what every answer that is not a good one looks like."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.event_handler.api_gateway import Response
from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from protocol.payloads import Json

PROBLEM_JSON = "application/problem+json"
_KIND = "urn:problem-type:stepsmith:"
_KINDS: Mapping[int, str] = {
    400: "invalid",
    401: "not-logged-in",
    403: "forbidden",
    404: "unknown",
    405: "wrong-method",
    409: "conflict",
    410: "over",
    413: "too-large",
    415: "wrong-content-type",
    422: "run-failed",
    500: "fault",
    503: "not-available",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a call: in its body, by JSON pointer, or in a parameter, by name."""

    detail: str
    pointer: str | None = None
    parameter: str | None = None


class Problem(Exception):
    """Ends a call with a problem document.

    `kind` is the last part of its `type` (each status has one of its own), `more` are further
    members, `headers` go with it. Nothing of it may be the text of an exception.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        kind: str | None = None,
        faults: Iterable[Fault] = (),
        more: Mapping[str, Json] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.kind = kind or _KINDS.get(status, "problem")
        self.faults = tuple(faults)
        self.more = dict(more or {})
        self.headers = dict(headers or {})

    def response(self) -> Response[str]:
        """Return the answer."""
        document: dict[str, Json] = {
            "type": _KIND + self.kind,
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            **self.more,
        }
        if self.faults:
            document["errors"] = [_as_json(fault) for fault in self.faults]
        body = json.dumps(document, ensure_ascii=False)
        return Response(self.status, PROBLEM_JSON, body, dict(self.headers))


def unknown(what: str = "there is nothing here") -> Problem:
    """Return the answer for what is unknown, and for what is not the caller's: the same bytes."""
    return Problem(404, what)


def faults_of(problems: Iterable[str]) -> list[Fault]:
    """Return the faults in problems as the use cases tell them: `/pointer: what is wrong`."""
    told = []
    for problem in problems:
        pointer, colon, detail = problem.partition(": ")
        is_placed = bool(colon) and pointer.startswith("/")
        told.append(Fault(detail, pointer) if is_placed else Fault(problem))
    return told


class FaultView(BaseModel):
    """One thing wrong with a call."""

    model_config = ConfigDict(title="Fault", defer_build=True)

    detail: str
    pointer: str = Field(default="", description="A JSON pointer into the body")
    parameter: str = Field(default="", description="A parameter of the query, path or header")


class ProblemDocument(BaseModel):
    """A problem document (RFC 9457); some kinds have members of their own."""

    model_config = ConfigDict(title="Problem", extra="allow", defer_build=True)

    type: str
    title: str
    status: int
    detail: str
    errors: list[FaultView] = Field(default_factory=list)


def answers(*problems: int, status: int = 200, about: str = "As asked") -> dict[int, Any]:
    """Return what a route answers, for its documentation: the good status and its problems.

    What comes with every call (400, 401, 413, 415) is added by `functions.http.openapi`.
    """
    told: dict[int, Any] = {status: {"description": about}}
    return told | {code: problem_answer(code) for code in problems}


def problem_answer(status: int) -> dict[str, Any]:
    """Return how a problem of a status is documented."""
    return {
        "description": HTTPStatus(status).phrase,
        "content": {PROBLEM_JSON: {"model": ProblemDocument}},
    }


def _as_json(fault: Fault) -> dict[str, Json]:
    places: dict[str, str | None] = {"pointer": fault.pointer, "parameter": fault.parameter}
    told = {name: value for name, value in places.items() if value is not None}
    return {**told, "detail": fault.detail}
