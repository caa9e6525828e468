"""The function `stored`: what was stored of a run's steps, for machines that read or undo it.

It is the part of `records` that state machines call, so each run keeps the version it began with;
what else `records` does changes with every workflow.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from functions.handlers.passing import tried_again
from functions.lost_wiring import lost_wiring
from functions.ports import StoredResults
from functions.settings import Settings
from functions.usecases.stored import Lost, answer
from functions.wiring import stored_wiring


def handler_with(wiring: Callable[[], StoredResults], lost: Lost) -> Callable[[Any, object], Any]:
    """Return the handler; what it works with is made at its first call."""
    made = cache(wiring)

    def handle(event: Any, _context: object) -> Any:
        return answer(event, made(), lost)

    return tried_again(handle)


handler = handler_with(lambda: stored_wiring(Settings.read()), lost_wiring(Settings.read))
