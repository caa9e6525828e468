"""Take in a message of the stage's queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from functions.domain.deliveries import is_event, received_at
from functions.domain.triggers.incoming import Incoming
from functions.usecases.claim import Gate
from functions.usecases.deliver import deliver_event
from functions.usecases.start_waiting import start_kept, start_waiting
from functions.usecases.take_in import Came, take_in
from functions.usecases.triggers import trigger_named
from protocol.payloads import EventMessage, Json, QueueMessage


def take_message(message: QueueMessage, gate: Gate) -> None:
    """Take in a message; whatever it raises, another delivery may do better."""
    if not is_event(message):
        told = cast("Mapping[str, str]", message)
        if "enabled" in told:
            start_waiting(told["enabled"], gate)
        else:
            start_kept(told["start"], gate)
    elif "trigger" in message:
        take_in(came_of(message, gate), gate)
    else:
        deliver_event(body_of(message, gate), received_at(message, gate.clock.now()), gate)


def came_of(message: EventMessage, gate: Gate) -> Came:
    """Return the event in a message at its trigger; raises UnknownTrigger."""
    manifest, trigger = trigger_named(message["trigger"], gate.manifests)
    return Came(manifest, trigger, incoming_of(message, gate), message.get("kept"))


def incoming_of(message: EventMessage, gate: Gate) -> Incoming:
    """Return what came in a message."""
    return Incoming(
        id=message.get("id", ""),
        received_at=received_at(message, gate.clock.now()),
        body=body_of(message, gate),
        headers=message.get("headers", {}),
        source=message.get("source", ""),
    )


def body_of(message: EventMessage, gate: Gate) -> Json:
    """Return the event in a message, or in the bucket if it is large."""
    return gate.bodies.get(message["kept"]) if "kept" in message else message.get("event")
