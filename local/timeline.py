"""What an execution's history tells of each state: when it was entered and how it ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from local.engine import Event

ENTERED, EXITED = "StateEntered", "StateExited"
_FAILURES = ("TaskFailed", "TaskTimedOut", "EvaluationFailed", "LambdaFunctionFailed")


@dataclass(slots=True)
class StateTimes:
    """The latest visit of one state."""

    entered: datetime
    attempt: int = 0
    exited: datetime | None = None
    succeeded: bool | None = None
    error: str | None = None
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that happened to a state: `entered`, `failed` (an attempt) or `succeeded`."""

    state: str
    what: str
    at: datetime
    times: StateTimes
    began: datetime


class Timeline:
    """Follows a history event by event."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.states: dict[str, StateTimes] = {}
        self._owner: dict[int, str] = {}
        self._began: dict[str, datetime] = {}
        for event in events:
            self.follow(event)

    def follow(self, event: Event) -> Change | None:
        """Take an event in; return what it says of a state, if it says something."""
        at, kind = moment(event), _kind(event)
        name = self._name(event, kind)
        if name is None:
            return None
        self._owner[event["id"]] = name
        if kind.endswith(ENTERED):
            self.states[name] = StateTimes(entered=at)
            self._began[name] = at
            return Change(name, "entered", at, self.states[name], at)
        return self._ended(name, kind, at, event)

    def _name(self, event: Event, kind: str) -> str | None:
        for details in ("stateEnteredEventDetails", "stateExitedEventDetails"):
            if details in event:
                return str(event[details]["name"])
        if kind.startswith(("Task", "Evaluation", "Lambda")):
            return self._owner.get(event["previousEventId"])
        return None

    def _ended(self, name: str, kind: str, at: datetime, event: Event) -> Change | None:
        times = self.states[name]
        if kind.endswith(EXITED):
            times.exited = at
            return None
        if kind.endswith("Scheduled"):
            times.attempt += 1
            self._began[name] = at
            return None
        if kind == "TaskSucceeded":
            times.succeeded = True
            return Change(name, "succeeded", at, times, self._began[name])
        if kind in _FAILURES:
            times.succeeded = False
            details = next((v for k, v in event.items() if k.endswith("EventDetails")), None)
            if details is not None:
                times.error, times.cause = details.get("error"), details.get("cause")
            return Change(name, "failed", at, times, self._began[name])
        return None


def _kind(event: Event) -> str:
    kind = event["type"]
    return str(getattr(kind, "value", kind))


def moment(event: Event) -> datetime:
    """Return an event's time, in UTC."""
    stamp = event["timestamp"]
    when = datetime.fromisoformat(stamp) if isinstance(stamp, str) else stamp
    return when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC)
