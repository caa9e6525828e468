"""Start runs of events that are kept already: what waited, and what was given up."""

from __future__ import annotations

import uuid

from functions.domain.events import UNDONE, WAITING, Event
from functions.usecases.claim import LEASE, Gate, Held
from functions.usecases.take_in import came_from, is_missed, judge, miss, start_claimed
from functions.usecases.triggers import trigger_named


def start_waiting(workflow_id: str, gate: Gate) -> None:
    """Have started what waits for a workflow.

    Each event goes through the queue by itself, so that one that fails keeps none from starting.
    """
    for event in gate.events.waiting(workflow_id):
        gate.queue.send({"start": event.event_id})


def start_kept(event_id: str, gate: Gate) -> Event:
    """Start the run of an event that is kept, unless it has one or its workflow is disabled.

    Raises Held, UnknownTrigger, and KeyError for an id that is none.
    """
    event = gate.events.get(event_id)
    if event is None:
        raise KeyError(event_id)
    if event.outcome not in UNDONE or event.workflow_id in gate.switches.disabled():
        return event
    if event.is_held(gate.clock.now()):
        raise Held(event_id)
    manifest, trigger = trigger_named(f"{event.workflow_id}.{event.trigger}", gate.manifests)
    came = came_from(event, manifest, trigger, gate)
    mine = gate.events.take_over(event, uuid.uuid4().hex, gate.clock.now() + LEASE)
    if mine is None:
        raise Held(event_id)
    if event.outcome == WAITING and is_missed(mine, trigger, gate):
        return miss(mine, gate)
    return start_claimed(mine, judge(came, gate.clock.now(), mine), gate)
