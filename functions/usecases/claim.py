"""Claim an event and start its run: what makes it one run, whatever happens in between.

Three calls for a new event: claim, start, mark. The claim has a lease; whoever is cut off leaves
the event to a later delivery, which starts the same execution: its name follows from the event
and the number of its claim, its input from what was sent. A duplicate costs the one call that
tells it is one.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta

from functions.domain.events import FAILED, STARTED, WAITING, Event
from functions.event_ports import Became, Bodies, Events, NewRuns, Queue, Switches
from functions.ports import Clock, Machines, Manifests, Tasks
from functions.usecases.keep_start import keep_start
from functions.usecases.start_run import Start, Starter, start_run

LEASE = timedelta(seconds=120)
"""How long a claim holds: longer than a call of the functions that claim may take."""
_LONGEST_ERROR = 500


@dataclass(frozen=True, slots=True)
class Gate:
    """What events go through; steps wait for them in `tasks`, and `runs` are those they start."""

    clock: Clock
    events: Events
    switches: Switches
    manifests: Manifests
    machines: Machines
    queue: Queue
    bodies: Bodies
    tasks: Callable[[], Tasks]
    runs: NewRuns

    def start(self, start: Start) -> None:
        """Start a run, unless it has been."""
        start_run(start, Starter(self.manifests, self.machines))

    def tell(self, start: Start) -> None:
        """Have a run known that was started: Step Functions tells of it later, or never."""
        keep_start(start, self.manifests, self.runs, self.clock)


class Held(Exception):
    """Another call is about to start the event's run, and may yet fail: try again later."""


def claim(event: Event, gate: Gate) -> Event:
    """Keep an event and claim it; return what is kept: claimed if its `claim` is the event's.

    Raises Held.
    """
    kept = gate.events.receive(event)
    now = gate.clock.now()
    if kept.claim == event.claim or kept.is_known(now):
        return kept
    if kept.is_held(now):
        raise Held(kept.event_id)
    if kept.outcome == STARTED:
        mine = gate.events.renew(kept, event)
    elif event.outcome == WAITING:
        gate.events.settle(kept, Became(WAITING))
        return replace(kept, outcome=WAITING)
    else:
        mine = gate.events.take_over(kept, event.claim, event.lease)
    if mine is None:
        raise Held(kept.event_id)
    return mine


def begin(event: Event, start: Start, gate: Gate) -> Event:
    """Start the run of a claimed event and mark it; return the event as it is then.

    An execution that is there already was started by a call that was cut off.
    """
    try:
        gate.start(start)
        gate.tell(start)
    except Exception as error:
        # So that the next delivery need not wait for the lease, and people see why.
        with suppress(Exception):
            gate.events.settle(event, Became(FAILED, error=told(error)))
        raise
    gate.events.settle(event, Became(STARTED, start.run_id))
    return replace(event, outcome=STARTED, run_id=start.run_id)


def told(error: Exception) -> str:
    """Return an error as people are told of it."""
    return f"{type(error).__name__}: {error}"[:_LONGEST_ERROR]
