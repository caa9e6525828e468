"""Start the run of an event because somebody asks for it."""

from __future__ import annotations

from dataclasses import replace

from functions.domain.events import DEAD, STARTED, UNDONE, Event
from functions.event_ports import Became
from functions.usecases.claim import Gate
from functions.usecases.deliver import deliver_event
from functions.usecases.run_workflow import API
from functions.usecases.start_waiting import start_kept
from functions.usecases.take_in import Again, came_from, take_in
from functions.usecases.triggers import UnknownTrigger, trigger_named


class NotReplayed(Exception):
    """The event can start nothing; the text says why."""


def find_event(name: str, gate: Gate) -> Event | None:
    """Return an event by its id or its own identity, with what was sent; None for none.

    Of several of one identity, each at a trigger of its own, the newest.
    """
    found = gate.events.get(name)
    if found is None:
        known = gate.events.found(name)
        found = gate.events.get(known[-1].event_id) if known else None
    return found


def replay(event: Event, word: str, gate: Gate) -> Event:
    """Start a run of an event: its own if it has had none, else another; return that event.

    `word` tells this wish from others: the same word is the same run. Raises NotReplayed, and
    Held where another call is about to start it.
    """
    if event.type == API:
        raise NotReplayed("it is a call of the API: run the workflow again")
    if not event.trigger:
        return _to_waits(event, gate)
    try:
        manifest, trigger = trigger_named(f"{event.workflow_id}.{event.trigger}", gate.manifests)
    except UnknownTrigger as error:
        raise NotReplayed(str(error)) from None
    if event.workflow_id in gate.switches.disabled():
        raise NotReplayed(f"the workflow '{event.workflow_id}' is disabled")
    if event.key and event.outcome in UNDONE:
        return start_kept(event.event_id, gate)
    came = came_from(event, manifest, trigger, gate)
    if event.key:
        came = replace(came, again=Again(word, event.event_id, event.run_id))
    done = take_in(came, gate)
    if event.outcome == DEAD:
        gate.events.settle(event, Became(done.outcome, done.run_id, done.problems))
    return done


def _to_waits(event: Event, gate: Gate) -> Event:
    """Give an event to the steps that wait for it once more."""
    body = None if event.sent is None else event.sent.body
    if event.kept is not None:
        body = gate.bodies.get(event.kept)
    if not isinstance(body, dict):
        raise NotReplayed("it is no event, but a text that nobody could read")
    deliver_event(body, gate.clock.now(), gate)
    gate.events.settle(event, Became(STARTED))
    return replace(event, outcome=STARTED)
