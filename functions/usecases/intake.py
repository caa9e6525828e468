"""What comes out of queues and streams: each record is taken in, or comes again.

What a queue or a table of the author's brings and cannot be taken in just now goes into the
stage's own queue, which tries it again and has an end: it holds up nothing behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from functions.domain.deliveries import (
    Record,
    foreign_messages,
    is_ordered,
    number_of,
    own_message,
    queue_named,
)
from functions.usecases.bury import bury
from functions.usecases.claim import LEASE, Gate
from functions.usecases.take_message import take_message
from functions.usecases.triggers import current_triggers
from protocol.payloads import EventMessage


@dataclass(frozen=True, slots=True)
class Intake:
    """The gate, and the names of the stage's own queues: of events, and of those given up."""

    gate: Gate
    queue: str
    dead: str = ""


Failed = Callable[[Record, Exception], None]
"""Told of each record that could not be taken in, and why."""


def take_records(records: Sequence[Record], intake: Intake, failed: Failed) -> list[str]:
    """Take in a batch of one source; return the identifiers of the records to come again.

    Of an ordered source, those are all from the first that failed.
    """
    again: list[str] = []
    for record in records:
        if again and is_ordered(record):
            again.append(number_of(record))
            continue
        try:
            _take_record(record, intake)
        except Exception as error:  # noqa: BLE001 (whatever it is, the source brings it again)
            failed(record, error)
            again.append(number_of(record))
    return again


def _take_record(record: Record, intake: Intake) -> None:
    gate = intake.gate
    queue = queue_named(record)
    if queue == intake.queue:
        take_message(own_message(record), gate)
    elif queue is not None and queue == intake.dead:
        bury(record, gate)
    else:
        for message in foreign_messages(record, current_triggers(gate.manifests)):
            _take_foreign(message, gate)


def _take_foreign(message: EventMessage, gate: Gate) -> None:
    try:
        take_message(message, gate)
    except Exception:  # noqa: BLE001 (whatever it is, the stage's queue brings it again)
        gate.queue.send(message, delay=int(LEASE.total_seconds()))
