"""The function `records`: what is kept of runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from functions.ports import StoredResults
from functions.settings import Settings
from functions.usecases.stored import stored
from functions.wiring import stored_wiring
from protocol.payloads import Stored, StoredRecords


def handler_with(
    wiring: Callable[[], StoredResults],
) -> Callable[[StoredRecords, object], Stored]:
    """Return the handler; what it works with is made at its first call."""
    made = cache(wiring)

    def handle(event: StoredRecords, _context: object) -> Stored:
        return stored(event, made())

    return handle


handler = handler_with(lambda: stored_wiring(Settings.read()))
