"""The function `wake`: the stream of the tasks table, to the executions that wait."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import cache
from typing import TypedDict

from functions.settings import TaskSettings
from functions.usecases.desk import Waker
from functions.usecases.wake import wake
from functions.wiring import waker_wiring

_LOG = logging.getLogger(__name__)


class Batch(TypedDict):
    """Records of the stream, with new and old images."""

    Records: list[Mapping[str, Mapping[str, Mapping[str, Mapping[str, str]]]]]


class Failures(TypedDict):
    """Which records are to come again: batch failure reporting of Lambda."""

    batchItemFailures: list[Mapping[str, str]]


def handler_with(wiring: Callable[[], Waker]) -> Callable[[Batch, object], Failures]:
    """Return the handler; what it works with is made at its first call."""
    made = cache(wiring)

    def handle(event: Batch, _context: object) -> Failures:
        for record in event["Records"]:
            change = record["dynamodb"]
            if not _woke(change.get("OldImage", {}), change.get("NewImage", {})):
                continue
            try:
                wake(change["Keys"]["id"]["S"], made())
            except Exception as error:  # noqa: BLE001 (whatever it is, the stream brings it again)
                _LOG.error("a task could not wake its run: %s", type(error).__name__)
                return {"batchItemFailures": [{"itemIdentifier": str(change["SequenceNumber"])}]}
        return {"batchItemFailures": []}

    return handle


def _woke(old: Mapping[str, Mapping[str, str]], new: Mapping[str, Mapping[str, str]]) -> bool:
    """Return whether a write ended a task, or asked to wake its execution once more."""
    if "task" not in new or new["status"]["S"] == "pending":
        return False
    return old.get("status") != new["status"] or old.get("nudges") != new.get("nudges")


handler = handler_with(lambda: waker_wiring(TaskSettings.read()))
