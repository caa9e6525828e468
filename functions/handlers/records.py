"""The function `records`: what is kept of runs, what their end asks for, what was lost of both."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any

from functions.lost_wiring import lost_wiring
from functions.settings import RecordSettings, Settings
from functions.usecases.stored import Lost, answer
from functions.wiring import keeper_wiring, stored_wiring

if TYPE_CHECKING:
    from functions.ports import StoredResults
    from functions.usecases.archive import Keeper

_LOG = logging.getLogger(__name__)


def handler_with(
    results: Callable[[], StoredResults],
    keeper: Callable[[], Keeper],
    lost: Lost = lambda _: (),
) -> Callable[[Any, object], Any]:
    """Return the handler; what it works with is made at its first call."""
    stored_results, kept = cache(results), cache(keeper)

    def handle(event: Any, _context: object) -> Any:
        if "Records" in event:
            from functions.usecases.record_streams import take_changes

            first = take_changes(event["Records"], kept(), _failed)
            return {"batchItemFailures": [{"itemIdentifier": first}] if first else []}
        if "detail" in event:
            from functions.usecases.keep_record import take_change

            take_change(event["detail"], kept())
            return None
        if event["op"] == "sweep":
            from functions.usecases.sweep import sweep

            return asdict(sweep(kept()))
        return answer(event, stored_results(), lost)

    return handle


def _failed(error: Exception) -> None:
    _LOG.error("a changed row could not be taken in: %s", type(error).__name__)


handler = handler_with(
    lambda: stored_wiring(Settings.read()),
    lambda: keeper_wiring(RecordSettings.read()),
    lost_wiring(Settings.read),
)
