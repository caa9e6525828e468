"""A client of a stage's HTTP API, wherever that is; what goes wrong becomes a clear message."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote, urlencode

from cli.console import FAULT, MISUSED, WRONG, Misuse

if TYPE_CHECKING:
    from protocol.payloads import Json

_PAGE = 200
_CODES = {401: MISUSED, 403: WRONG, 404: MISUSED, 409: WRONG, 410: WRONG, 422: WRONG, 429: WRONG}
"""Exit codes of answers; others below 500 are calls that are wrong."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: the target has path and query; the body is JSON already."""

    method: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back; names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """Return the body's JSON; raises ValueError."""
        return json.loads(self.body or b"null")


class Transport(Protocol):
    """A way to a stage."""

    @property
    def place(self) -> str:
        """Return where that is, for people."""

    def send(self, asked: Asked) -> Reply:
        """Send a request; raises Unreachable."""

    def as_person(self, person: str) -> Transport:
        """Return the same way for somebody else; to stages of this machine only."""


class Unreachable(Misuse):
    """Nobody answers where a stage should be."""


class Refused(Misuse):
    """The API refused a call; the text says why, the exit code whose fault it was."""

    def __init__(self, reply: Reply) -> None:
        self.status = reply.status
        self.problem = _problem(reply)
        self.code = FAULT if reply.status >= 500 else _CODES.get(reply.status, MISUSED)
        super().__init__(_told(self.problem, reply))


class Reach:
    """Calls of the API; what is not answered well raises Refused.

    `is_local` says that it is a stage of this machine, where everybody may be anybody.
    """

    def __init__(self, transport: Transport, *, is_local: bool = False) -> None:
        self._transport = transport
        self.is_local = is_local

    @property
    def place(self) -> str:
        """Return where the stage is, for people."""
        return self._transport.place

    def as_person(self, person: str) -> Reach:
        """Return the same way to a stage of this machine, for somebody else."""
        return Reach(self._transport.as_person(person), is_local=self.is_local)

    def get(self, path: str, **query: str | int | bool | None) -> Any:
        """Return what is there."""
        return self._good(Asked("GET", _target(path, query))).json()

    def post(
        self, path: str, body: Mapping[str, Json] | None = None, **headers: str
    ) -> tuple[Any, Reply]:
        """Send a body; return what comes back, and all of the answer."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = json.dumps(body or {}, ensure_ascii=False).encode()
        asked = Asked("POST", path, {"Content-Type": "application/json", **named}, sent)
        reply = self._good(asked)
        return reply.json(), reply

    def pages(
        self, path: str, most: int | None = None, **query: str | int | bool | None
    ) -> Iterator[Any]:
        """Yield the items of a list, page after page, at most so many."""
        cursor: str | None = None
        left = most
        while left is None or left > 0:
            limit = _PAGE if left is None else min(_PAGE, left)
            page = self.get(path, **query, limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page.get("next")
            if cursor is None:
                return
            left = None if left is None else left - len(page["items"])

    def _good(self, asked: Asked) -> Reply:
        reply = self._transport.send(asked)
        if not 200 <= reply.status < 300:
            raise Refused(reply)
        return reply


def at(*parts: str) -> str:
    """Return a path of the API of parts, which may hold anything."""
    return "/api/" + "/".join(quote(part, safe="@") for part in parts)


def _target(path: str, query: Mapping[str, str | int | bool | None]) -> str:
    given = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in query.items()
        if value is not None and value is not False
    }
    return f"{path}?{urlencode(given)}" if given else path


def _problem(reply: Reply) -> Mapping[str, Any]:
    try:
        found = reply.json()
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {}


def _told(problem: Mapping[str, Any], reply: Reply) -> str:
    """Return what a problem document says: its detail, then each error at its place."""
    if not problem:
        return f"the stage answered {reply.status}: {reply.body[:200].decode(errors='replace')}"
    lines = [str(problem.get("detail") or problem.get("title") or f"status {reply.status}")]
    for one in problem.get("errors") or ():
        if isinstance(one, dict):
            place = one.get("parameter") or one.get("pointer") or ""
            lines.append(f"  {place}: {one.get('detail')}" if place else f"  {one.get('detail')}")
    request = problem.get("request_id")
    if request is not None:
        lines.append(f"  its request id is {request}")
    return "\n".join(lines)
