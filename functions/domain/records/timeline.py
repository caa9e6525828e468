"""What an execution's history tells of each state: when it was entered and how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeAlias

from functions.domain.records.said import parsed

ENTERED, EXITED = "StateEntered", "StateExited"
_FAILURES = ("TaskFailed", "TaskTimedOut", "EvaluationFailed", "LambdaFunctionFailed")
Items: TypeAlias = tuple[int, ...]
"""Indices of the Map iterations a state was in, outermost first."""
Event: TypeAlias = Mapping[str, Any]
"""One event of an execution's history, as GetExecutionHistory gives it."""


@dataclass(frozen=True, slots=True)
class Child:
    """An execution that a state started: its name, and the ARN of its machine as it was given."""

    name: str
    machine: str


@dataclass(slots=True)
class StateTimes:
    """The visits of one state; of the last one: its attempts, its end and what it gave."""

    entered: datetime
    kind: str = ""  # Task, Choice, Wait, ...
    last_entered: datetime | None = None
    order: int = 0  # of the event of its last entry, which tells equal times apart
    visits: int = 0
    attempt: int = 0
    exited: datetime | None = None
    succeeded: bool | None = None
    error: str | None = None
    cause: str | None = None
    output: str | None = None
    result: str | None = None
    child: str | None = None  # the name of the execution that it started last
    children: tuple[Child, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that happened to a state: `entered`, `failed` (an attempt) or `succeeded`.

    Of a state that is neither a Task nor a Wait, `entered` is all that is told.
    """

    state: str
    what: str
    at: datetime
    times: StateTimes
    began: datetime
    items: Items = ()


@dataclass(frozen=True, slots=True)
class _Place:
    state: str
    items: Items


@dataclass(slots=True)
class Timeline:
    """Follows a history event by event.

    `offset` is added to the index of the outermost items: a chunk of a for_each counts on.
    """

    offset: int = 0
    states: dict[tuple[str, Items], StateTimes] = field(default_factory=dict)
    _places: dict[int, _Place] = field(default_factory=dict)
    _began: dict[tuple[str, Items], datetime] = field(default_factory=dict)
    _maps: dict[str, Items] = field(default_factory=dict)

    def follow_all(self, events: Iterable[Event]) -> Timeline:
        """Take a whole history in; return the timeline."""
        for event in events:
            self.follow(event)
        return self

    def follow(self, event: Event) -> Change | None:
        """Take an event in; return what it says of a state, if it says something."""
        kind = _kind(event)
        place = self._place(event, kind)
        if place is None:
            return None
        self._places[event["id"]] = place
        if kind.endswith(ENTERED):
            return self._entered(place, kind, event)
        key = (place.state, place.items)
        if key not in self.states:
            return None
        return self._ended(place, kind, event)

    def _place(self, event: Event, kind: str) -> _Place | None:
        """Return the state and the items that an event belongs to, by the event before it."""
        before = self._places.get(event["previousEventId"], _Place("", ()))
        if kind == "MapIterationStarted":
            details = event["mapIterationStartedEventDetails"]
            name, index = str(details["name"]), int(details["index"])
            outer = self._maps.get(name, ())
            return _Place(name, (*outer, index + (self.offset if not outer else 0)))
        if kind.endswith(ENTERED):
            return _Place(str(event["stateEnteredEventDetails"]["name"]), before.items)
        if kind.endswith(EXITED):
            name = str(event["stateExitedEventDetails"]["name"])
            is_map = kind.startswith("Map")
            return _Place(name, self._maps.get(name, ()) if is_map else before.items)
        return before if before.state else None

    def _entered(self, place: _Place, kind: str, event: Event) -> Change:
        at, key = moment(event), (place.state, place.items)
        if kind.startswith("Map"):
            self._maps[place.state] = place.items
        times = self.states.get(key)
        if times is None:
            times = self.states[key] = StateTimes(at, kind.removesuffix(ENTERED))
        retried = (f"{place.state.removesuffix('.item')}.again", place.items) in self.states
        times.attempt = times.attempt if retried else 0
        times.last_entered, times.visits = at, times.visits + 1
        times.order = event["id"]
        times.exited = times.succeeded = times.output = None
        self._began[key] = at
        return Change(place.state, "entered", at, times, at, place.items)

    def _ended(self, place: _Place, kind: str, event: Event) -> Change | None:
        at, key = moment(event), (place.state, place.items)
        times = self.states[key]
        if kind.endswith(EXITED):
            times.exited = at
            times.output = event["stateExitedEventDetails"].get("output")
            if kind == f"Wait{EXITED}":  # which has no other event of its end
                return Change(place.state, "succeeded", at, times, self._began[key], place.items)
            return None
        if kind.endswith("Scheduled"):
            times.attempt += 1
            child = _child(event)
            if child is not None:
                times.child = child.name
                times.children = (*times.children, child)
            self._began[key] = at
            return None
        if kind == "TaskSucceeded":
            times.succeeded = True
            details = event["taskSucceededEventDetails"]
            if details.get("resource") != "startBuild.sync":  # which gives no outputs of a step
                times.result = details.get("output")
            return Change(place.state, "succeeded", at, times, self._began[key], place.items)
        if kind in _FAILURES:
            times.succeeded = False
            details = next((v for k, v in event.items() if k.endswith("EventDetails")), None)
            if details is not None:
                times.error, times.cause = details.get("error"), details.get("cause")
            return Change(place.state, "failed", at, times, self._began[key], place.items)
        return None


def children_of(events: Iterable[Event]) -> list[Child]:
    """Return the executions that an execution started, each once, in the order of its history."""
    found = (_child(event) for event in events)
    return [*dict.fromkeys(child for child in found if child is not None)]


def _child(event: Event) -> Child | None:
    """Return the execution that a Task starts, None where it starts none."""
    details = event.get("taskScheduledEventDetails", {})
    arguments = parsed(details.get("parameters")) if details.get("resourceType") == "states" else {}
    if not isinstance(arguments, dict):
        return None
    name, machine = arguments.get("Name"), arguments.get("StateMachineArn")
    if not isinstance(name, str):
        return None
    return Child(name, machine if isinstance(machine, str) else "")


def _kind(event: Event) -> str:
    kind = event["type"]
    return str(getattr(kind, "value", kind))


def moment(event: Event) -> datetime:
    """Return an event's time, in UTC."""
    stamp = event["timestamp"]
    when = datetime.fromisoformat(stamp) if isinstance(stamp, str) else stamp
    return when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC)
