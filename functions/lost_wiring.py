"""What looks for called workflows that were cut off, made of its adapters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

import boto3

from functions.clients import QUICK
from functions.settings import Settings
from protocol.payloads import StoredRecords, Undo

if TYPE_CHECKING:
    from functions.usecases.stored import Lost


def lost_wiring(settings: Callable[[], Settings]) -> Lost:
    """Return what looks for them: made when it is first asked, as few close machines do."""

    @cache
    def made() -> Lost:
        from functions.adapters.executions import StepFunctionsExecutions
        from functions.adapters.histories import StepFunctionsHistories
        from functions.usecases.lost_calls import LostCalls

        client = boto3.client("stepfunctions", region_name=settings().region, config=QUICK)
        return LostCalls(StepFunctionsHistories(client), StepFunctionsExecutions(client))

    def look(message: StoredRecords) -> Sequence[tuple[datetime, Undo]]:
        return made()(message)

    return look
