"""The HTTP exchanges of a page: its requests are sent, and the answers held against the page.

A block has one exchange or more. Each is a request (method and path, headers, a body of JSON) and
behind an empty line its answer: the code, and a part of the body.

    POST /api/tasks/TASK/status
    Cookie: stepsmith-as=bob@example.com
    {"status": "approved"}

    200
    {"status": "approved", "run_id": "RUN"}

A name in capitals (TASK, RUN) in the place of a text stands for what came there first, here and
in later blocks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import urllib3

from tests.test_readme import is_part

_REQUEST = re.compile(r"(?m)^(?=(?:DELETE|GET|POST|PUT) /)")
_NAME = re.compile(r"[A-Z][A-Z_]+")
_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request, and the answer that it is said to get."""

    method: str
    path: str
    headers: dict[str, str]
    body: str
    status: int
    answer: str


def exchanges(text: str) -> Iterator[Exchange]:
    """Yield the exchanges of a block."""
    for one in filter(None, _REQUEST.split(text)):
        request, _, answer = one.partition("\n\n")
        first, *lines = request.splitlines()
        method, _, path = first.partition(" ")
        headers = {}
        while lines and (found := re.fullmatch(r"([A-Z][\w-]*): (.*)", lines[0])):
            headers[found[1]] = found[2]
            del lines[0]
        status, _, body = answer.partition("\n")
        yield Exchange(method, path, headers, "\n".join(lines), int(status), body.strip())


@dataclass
class Conversation:
    """What was said so far: `names` has what names in capitals stand for."""

    names: dict[str, str] = field(default_factory=dict)

    def carry_out(self, one: Exchange, url: str) -> str | None:
        """Send a request; return what of the answer is not as it is said to be."""
        headers = dict(one.headers)
        if one.body:
            headers.setdefault("Content-Type", "application/json")
        reply = urllib3.request(
            one.method,
            url + self._named(one.path),
            headers=headers,
            body=self._named(one.body).encode() or None,
            redirect=False,
            timeout=_SECONDS,
        )
        told = f"{one.method} {one.path}: {reply.status} {reply.data.decode()}"
        if reply.status != one.status:
            return told
        if not one.answer:
            return None
        expected, found = json.loads(self._named(one.answer)), json.loads(reply.data)
        return None if is_part(self._bound(expected, found), found) else told

    def _named(self, text: str) -> str:
        """Return a text with what its names stand for."""
        return _NAME.sub(lambda found: self.names.get(found[0], found[0]), text)

    def _bound(self, expected: object, found: object) -> object:
        """Return what is expected, where names that stand for nothing yet take what is found."""
        if isinstance(expected, str) and _NAME.fullmatch(expected) and isinstance(found, str):
            return self.names.setdefault(expected, found)
        if isinstance(expected, dict) and isinstance(found, dict):
            return {key: self._bound(one, found.get(key)) for key, one in expected.items()}
        if isinstance(expected, list) and isinstance(found, list):
            rest = [*found, *[None] * len(expected)]
            return [self._bound(one, rest[at]) for at, one in enumerate(expected)]
        return expected
