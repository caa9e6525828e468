"""How an execution of the local engine ended, and its history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from protocol.payloads import Json

if TYPE_CHECKING:
    from moto.stepfunctions.parser.backend.execution import Execution

Event: TypeAlias = Mapping[str, Any]
"""One event of an execution's history, as GetExecutionHistory gives it."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How an execution ended. Times are virtual."""

    name: str
    status: str  # SUCCEEDED, FAILED, TIMED_OUT or ABORTED
    output: Json
    error: str | None
    cause: str | None
    started_at: datetime
    completed_at: datetime
    history: list[Event] = field(repr=False)
    input: Json = None


def history(execution: Execution, after: int = 0) -> list[Event]:
    """Return the events of an execution so far, without the first `after`."""
    worker = execution.exec_worker
    if worker is None or worker.env is None:
        return []
    # Not by moto's own function, which copies the whole history each time it is asked.
    manager: Any = worker.env.event_manager
    with manager._mutex:  # noqa: SLF001
        return list(manager._history_event_list[after:])  # noqa: SLF001


def finished(execution: Execution, now: datetime | None = None) -> Finished:
    """Return how an execution ended; one that still runs, as if it ended now."""
    status = execution.exec_status
    assert status is not None
    return Finished(
        name=execution.name,
        status=str(status.value),
        output=execution.output,
        error=execution.error,
        cause=execution.cause,
        started_at=_utc(execution.start_date),
        completed_at=_utc(execution.stop_date or now),
        history=history(execution),
        input=execution.input_data,
    )


def _utc(moment: datetime | None) -> datetime:
    assert moment is not None
    return moment.astimezone(UTC)
