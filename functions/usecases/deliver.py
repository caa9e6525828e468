"""Give an event of the bus to the steps that wait for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from functions.domain.arrivals import Came, known_as
from functions.domain.awaited import awaited, identity
from functions.domain.events import canonical, event_id
from functions.ports import Clock, Tasks
from functions.usecases.claim import Gate
from protocol.payloads import Json


def deliver_event(event: Json, received_at: datetime, gate: Gate) -> list[str]:
    """End the waits that an event fits; return the ids of their tasks.

    Which that are is for the waits themselves to say: they hold the patterns of their own
    versions. Nothing comes here but what a rule lets through that was made for some wait.
    """
    if not isinstance(event, dict):
        return []
    from functions.usecases.settle import deliver  # most calls never need it

    came = Came(_type_of(event), _identity(event), received_at, event)
    return deliver(came, awaited, _Waits(gate.clock, gate.tasks()))


def _type_of(event: dict[str, Json]) -> str:
    found = event.get("detail-type")
    return found if isinstance(found, str) else ""


def _identity(event: dict[str, Json]) -> str:
    """Return an event's identity; what has none of its own is known by what it holds."""
    return known_as(identity(event) or event_id(canonical(event)))


@dataclass(frozen=True, slots=True)
class _Waits:
    clock: Clock
    tasks: Tasks
