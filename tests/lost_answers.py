"""Answers of AWS that get lost: the call had its effect, and the SDK makes it once more.

Every client here tries again by itself; whoever made the call sees the answer to the second one
alone. What the first one wrote must not look like somebody else's.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import botocore.endpoint
from botocore.exceptions import ConnectionClosedError


@dataclass
class Calls:
    """The calls that were made, but for those that the SDK repeated."""

    lost: int | None = None
    names: list[str] = field(default_factory=list)
    repeated: str | None = None
    _counting: threading.Lock = field(default_factory=threading.Lock)

    def is_lost(self, name: str) -> bool:
        """Take note of a call; return whether its answer gets lost."""
        with self._counting:
            self.names.append(name)
            is_lost = len(self.names) - 1 == self.lost
        self.repeated = name if is_lost else self.repeated
        return is_lost


@contextmanager
def answers_lost(number: int | None = None) -> Iterator[Calls]:
    """Lose the answer to a call, counted from 0; None: to none of them."""
    calls = Calls(number)
    endpoint: Any = botocore.endpoint
    put: Any = setattr
    kind: Any = endpoint.Endpoint
    # Below the retries, above moto.
    asked, clock = kind._do_get_response, endpoint.time

    def ask(self: Any, request: Any, operation: Any, context: Any) -> Any:
        is_first = context["retries"]["attempt"] == 1
        is_lost = is_first and calls.is_lost(operation.name)
        answer = asked(self, request, operation, context)
        return (None, ConnectionClosedError(endpoint_url=request.url)) if is_lost else answer

    put(kind, "_do_get_response", ask)
    put(endpoint, "time", SimpleNamespace(sleep=lambda _seconds: None))
    try:
        yield calls
    finally:
        put(kind, "_do_get_response", asked)
        put(endpoint, "time", clock)


def each_lost() -> Iterator[str]:
    """Yield a word of its own for each call that what follows makes, whose answer is lost then.

    And one for when none is.
    """
    number = 0
    while True:
        with answers_lost(number) as calls:
            yield f"lost-{number}"
        if number == len(calls.names):
            return
        number += 1
