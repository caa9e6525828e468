"""The events of an execution, as GetExecutionHistory gives them.

https://docs.aws.amazon.com/step-functions/latest/apireference/API_HistoryEvent.html
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

from protocol.payloads import Json

_DETAILS = {
    "TaskScheduled": "taskScheduled",
    "TaskStarted": "taskStarted",
    "TaskSubmitted": "taskSubmitted",
    "TaskSucceeded": "taskSucceeded",
    "TaskFailed": "taskFailed",
    "TaskTimedOut": "taskTimedOut",
    "MapStateStarted": "mapStateStarted",
    "MapIterationStarted": "mapIterationStarted",
    "MapIterationSucceeded": "mapIterationSucceeded",
    "MapIterationFailed": "mapIterationFailed",
    "EvaluationFailed": "evaluationFailed",
}


def text(value: Json) -> str:
    """Return a value as the history writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class History:
    """Appends events to the list that ministack keeps; each names the one before it."""

    def __init__(self, events: list[dict[str, Any]], now: Callable[[], str]) -> None:
        self._events = events
        self._now = now
        self._lock = threading.Lock()

    def add(self, kind: str, before: int, **details: Json) -> int:
        """Append an event and return its id."""
        with self._lock:
            event: dict[str, Any] = {
                "id": len(self._events) + 1,
                "type": kind,
                "timestamp": self._now(),
                "previousEventId": before,
            }
            if kind.endswith("StateEntered"):
                event["stateEnteredEventDetails"] = details
            elif kind.endswith("StateExited"):
                event["stateExitedEventDetails"] = details
            elif kind in _DETAILS:
                event[f"{_DETAILS[kind]}EventDetails"] = details
            self._events.append(event)
            return int(event["id"])
