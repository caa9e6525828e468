"""The function `intake`: events from queues and streams, to the runs that they start."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import cache
from typing import TypedDict

from functions.adapters.clock import SystemClock
from functions.domain.deliveries import Record
from functions.event_wiring import intake_wiring
from functions.settings import EventSettings
from functions.usecases.intake import Intake, take_records

_LOG = logging.getLogger(__name__)


class Batch(TypedDict):
    """Records of one queue or stream."""

    Records: list[Record]


class Failures(TypedDict):
    """Which records are to come again: batch failure reporting of Lambda."""

    batchItemFailures: list[Mapping[str, str]]


def handler_with(wiring: Callable[[], Intake]) -> Callable[[Batch, object], Failures]:
    """Return the handler; what it works with is made at its first call."""
    made = cache(wiring)

    def handle(event: Batch, _context: object) -> Failures:
        again = take_records(event["Records"], made(), _failed)
        return {"batchItemFailures": [{"itemIdentifier": one} for one in again]}

    return handle


def _failed(record: Record, error: Exception) -> None:
    # Without the error's text, in which the event may stand; it is kept with the event.
    source = record["eventSourceARN"]
    _LOG.error("an event of %s could not be taken in: %s", source, type(error).__name__)


handler = handler_with(lambda: intake_wiring(EventSettings.read(), SystemClock()))
