"""Give an event of the bus to the steps that wait for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from functions.domain.awaited import awaited, identity
from functions.ports import Clock, Tasks
from functions.usecases.claim import Gate
from protocol.patterns import matches
from protocol.payloads import Json


def deliver_event(event: Json, received_at: datetime, gate: Gate) -> list[str]:
    """End the waits that an event fits; return the ids of their tasks.

    The table of tasks is asked only where some version deployed waits for such events.
    """
    if not isinstance(event, dict):
        return []
    patterns = (one for m in gate.manifests.all() for one in m.get("patterns", ()))
    if not any(matches(pattern, event) for pattern in patterns):
        return []
    from functions.usecases.settle import deliver  # most calls never need it

    waits = _Waits(gate.clock, gate.tasks())
    return deliver(event, awaited, waits, received_at, identity(event))


@dataclass(frozen=True, slots=True)
class _Waits:
    clock: Clock
    tasks: Tasks
