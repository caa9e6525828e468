"""What the queue of events has given up: tried once more, then kept as dead."""

from __future__ import annotations

import uuid
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from functions.domain.deliveries import Record, is_event, number_of, own_message
from functions.domain.events import DEAD, Event, Sent, event_id
from functions.domain.triggers.incoming import DEFAULT_WINDOW
from functions.usecases.claim import LEASE, Gate, Held, told
from functions.usecases.take_in import Ready, judge, sent_of
from functions.usecases.take_message import came_of, incoming_of, take_message


def bury(record: Record, gate: Gate) -> None:
    """Try a dead letter once more, and keep it as dead where that fails: people can replay it.

    Raises Held.
    """
    try:
        take_message(own_message(record), gate)
    except Held:
        raise  # somebody is at it
    except Exception as error:  # noqa: BLE001 (whatever it is, it is why the event is dead)
        gate.events.bury(_dead(record, told(error), gate))


def _dead(record: Record, error: str, gate: Gate) -> Event:
    """Return a dead event under its own key, so that its next delivery meets it; else its own id.

    A text that is no message of ours is kept as it is.
    """
    now = gate.clock.now()
    dead = Event(
        event_id=event_id(f"dead {number_of(record)}"),
        key="",
        workflow_id="",
        trigger="",
        type="",
        source_id=number_of(record),
        received_at=now,
        outcome=DEAD,
        claim=uuid.uuid4().hex,
        lease=now + LEASE,
        expires_at=now + timedelta(seconds=DEFAULT_WINDOW),
        error=error,
        sent=Sent(number_of(record), record["body"]),
    )
    with suppress(Exception):
        message = own_message(record)
        if not is_event(message):
            return dead
        sent = sent_of(incoming_of(message, gate))
        dead = replace(dead, sent=sent, kept=message.get("kept"), source_id=sent.id)
        workflow, _, trigger = message.get("trigger", "").partition(".")
        dead = replace(dead, workflow_id=workflow, trigger=trigger)
        judged = judge(came_of(message, gate), now)
        if isinstance(judged, Ready):
            dead = replace(judged.event, outcome=DEAD, error=error)
    return dead
