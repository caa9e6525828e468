"""The function `latches`: dependencies that do not nest, and concurrency groups."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from functions.handlers.passing import tried_again
from functions.settings import Settings
from functions.usecases.lock import lock, release
from functions.usecases.meet import noted, signal, wait
from functions.wiring import LatchWiring, latch_wiring
from protocol.items import Items, Noted
from protocol.payloads import Await, Lock, Release, Signal

Call: TypeAlias = Signal | Await | Noted | Lock | Release


def handler_with(wiring: Callable[[], LatchWiring]) -> Callable[[Call, object], Items | None]:
    """Return the handler; what it works with is made at its first call."""
    made = cache(wiring)

    def handle(event: Call, _context: object) -> Items | None:
        with_ = made()
        if event["op"] == "signal":
            signal(event, with_.latches, with_.answers)
        elif event["op"] == "await":
            wait(event, with_.latches, with_.answers)
        elif event["op"] == "noted":
            return noted(event, with_.latches)
        elif event["op"] == "lock":
            lock(event, with_.locks, with_.answers, with_.executions)
        else:
            release(event, with_.locks, with_.answers, with_.executions)
        return None

    return tried_again(handle)


handler = handler_with(lambda: latch_wiring(Settings.read()))
