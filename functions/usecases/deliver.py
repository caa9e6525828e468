"""Give an event of the bus to the steps that wait for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from functions.domain.awaited import awaited, identity
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

    waits = _Waits(gate.clock, gate.tasks())
    return deliver(event, awaited, waits, received_at, identity(event))


@dataclass(frozen=True, slots=True)
class _Waits:
    clock: Clock
    tasks: Tasks
