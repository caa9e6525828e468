"""What the use cases of events need from the world outside, as protocols."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from functions.domain.arrivals import Came, Wait
    from functions.domain.events import Event, Sought
    from functions.domain.records.item import RunItem
    from functions.domain.task import Task
    from functions.domain.triggers.incoming import Problem
    from protocol.payloads import Json, QueueMessage, Reference


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list of events; `place` is where the next one begins, None after the last."""

    events: Sequence[Event]
    place: tuple[str, str] | None = None  # id and time of the last one


@dataclass(frozen=True, slots=True)
class Became:
    """What became of an event."""

    outcome: str
    run_id: str | None = None
    problems: tuple[Problem, ...] = ()
    error: str | None = None


class NewRuns(Protocol):
    """Records of runs, for those who start them."""

    def add(self, item: RunItem) -> None:
        """Keep the item of a run that has just been started, unless there is one."""


class Events(Protocol):
    """Events, each kept once; each change one atomic write."""

    def receive(self, event: Event) -> Event:
        """Keep an event unless its id is known, and count the delivery.

        Returns what is kept: it is this delivery's where `claim` is the same.
        """

    def take_over(self, kept: Event, claim: str, lease: datetime) -> Event | None:
        """Claim an event that nobody holds; None where somebody else did first."""

    def renew(self, kept: Event, event: Event) -> Event | None:
        """Claim a key again whose time is over, and keep the old event under another id.

        None where somebody else did first.
        """

    def settle(self, event: Event, became: Became) -> bool:
        """Write what became of a claimed event; False where the claim was taken over."""

    def bury(self, event: Event) -> Event:
        """Keep an event that the queue has given up, unless its run was started after all."""

    def get(self, event_id: str) -> Event | None:
        """Return an event with what was sent, but for a body that lies in the bucket."""

    def listed(self, sought: Sought, limit: int, after: tuple[str, str] | None = None) -> Page:
        """Return events without what was sent, the newest first; a new one may be missing."""

    def found(self, source_id: str) -> list[Event]:
        """Return the events of one identity, without what was sent; a new one may be missing."""

    def waiting(self, workflow_id: str) -> list[Event]:
        """Return all that wait for a workflow, without what was sent, the oldest first."""


class EventWaits(Protocol):
    """Which tasks wait for events, and which events have come; all reads are consistent."""

    def announce(self, task: Task) -> None:
        """Have all that comes from now on look at a task."""

    def announced(self) -> list[Wait]:
        """Return what waits, or did, and nobody has noted yet that it is over."""

    def over(self, task_id: str, at: datetime) -> None:
        """Note that a wait was over at a moment, unless it has begun again since."""

    def keep(self, came: Came) -> None:
        """Keep an event for waits that are still to come, if one can ask for it and have it."""

    def kept(self, type: str, since: datetime) -> list[Came]:
        """Return the events of a type that came since a moment, the oldest first."""


class Bodies(Protocol):
    """Events too large to travel."""

    def put(self, name: str, body: Json) -> Reference:
        """Keep a body under a name and return where it is."""

    def get(self, reference: Reference) -> Json:
        """Return a kept body."""


class Queue(Protocol):
    """The queue that all events go through."""

    def send(self, message: QueueMessage, *, delay: int = 0) -> None:
        """Put a message into the queue; it comes out after `delay` seconds at the earliest."""


class Bus(Protocol):
    """The stage's bus."""

    def publish(self, name: str, detail: dict[str, Json]) -> None:
        """Publish an event of a name."""


class Switches(Protocol):
    """Which workflows are disabled."""

    def disabled(self) -> frozenset[str]:
        """Return their ids, as they were some seconds ago at most (`STALE`)."""

    def switch(self, workflow_id: str, *, disabled: bool) -> None:
        """Disable or enable a workflow."""


STALE = 5
"""Seconds for which a function may go on by what it knew of the switches."""
