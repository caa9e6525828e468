"""EventBridge Scheduler on ministack: what an input may ask of the schedule is filled in.

https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html
Runs inside ministack.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ministack.services import eventbridge, scheduler

_EVERY_SECONDS = 1
"""Between two looks for schedules that are due; ministack's own are ten."""


def install() -> None:
    """Have inputs filled in, and schedules fire about when they are due."""
    put: Any = setattr
    put(scheduler, "_SCHEDULE_TICK_INTERVAL", _EVERY_SECONDS)
    invoke = eventbridge._invoke_target

    def filled(target: Any, event: Any, rule: Any, *more: Any, **named: Any) -> Any:
        given = target.get("Input")
        if event.get("Source") == "aws.scheduler" and isinstance(given, str):
            target = {**target, "Input": _filled(given, rule, event)}
        return invoke(target, event, rule, *more, **named)

    put(eventbridge, "_invoke_target", filled)


def _filled(given: str, schedule: Mapping[str, Any], event: Mapping[str, Any]) -> str:
    due = datetime.fromtimestamp(event["Time"], UTC)
    if not schedule.get("ScheduleExpression", "").startswith("at("):
        due = due.replace(second=0)  # what it is due at, not when it was found to be
    values = {
        "scheduled-time": due.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "schedule-arn": schedule.get("Arn", ""),
        "execution-id": str(uuid.uuid4()),
        "attempt-number": "1",
    }
    for name, value in values.items():
        given = given.replace(f"<aws.scheduler.{name}>", value)
    return given
