"""What is known of a run in one item, and how news changes it.

News come late, twice and in any order: status changes of executions, looks at them, a starter's
own word. Each change here gives the same item whatever came before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict

from functions.domain.records.said import stamp
from functions.domain.records.shape import PAUSED, RUNNING, RunSummary
from protocol.payloads import Json

if TYPE_CHECKING:  # who starts runs reads no executions
    from datetime import datetime

    from functions.domain.records.executions import Execution

Phase: TypeAlias = Literal[1, 2, 3]

BEGUN: Phase = 1
ENDED: Phase = 2
CLOSED: Phase = 3
"""How far an attempt is: begun; over; over, and so is what followed it."""


@dataclass(frozen=True, slots=True)
class Cancelling:
    """That a run is to be cancelled: by whom, when, and whether what it did is to be undone."""

    by: str
    at: str
    compensate: bool = False


@dataclass(frozen=True, slots=True)
class RunItem:
    """A run. `execution` and what follows it are of its latest attempt.

    `reference` is by which its machine is known, `execution` an ARN (empty until it has begun).
    `started_at` is of the first attempt that is known. `settled` says that all has been done that
    the end of the attempt asks for. `parent` and `root` are the runs that called this one; lists
    show runs without. `looked_at` is when it was last looked at by a sweep, `version` counts the
    writes of the item; neither tells anything of the run.
    """

    run_id: str
    workflow_id: str
    workflow_version: str
    reference: str
    started_at: str
    attempt: int = 1
    status: str = RUNNING
    phase: Phase = BEGUN
    execution: str = ""
    began_at: str = ""
    completed_at: str | None = None
    error: str | None = None
    manifest: str | None = None
    started_by: str | None = None
    trigger: Json = None
    event_id: str | None = None
    rerun_of: str | None = None
    parent: str | None = None
    root: str | None = None
    cancelling: Cancelling | None = None
    settled: bool = False
    looked_at: str = ""
    version: int = 0

    @property
    def is_over(self) -> bool:
        """Whether its latest attempt has ended."""
        return self.phase >= ENDED

    def summary(self) -> RunSummary:
        """Return what lists show of it."""
        return {
            "run_id": self.run_id,
            "workflow_id": self.workflow_id,
            "workflow_version": self.workflow_version,
            "run_attempt": self.attempt,
            "status": self.status,
            "started_by": self.started_by,
            "started_at": self.started_at,
            "completed_at": self.completed_at,
            "trigger": self.trigger,
            "error": self.error,
        }


@dataclass(frozen=True, slots=True)
class Subject:
    """Which version of which workflow an execution is of."""

    workflow_id: str
    workflow_version: str
    reference: str
    manifest: str | None


def begun(item: RunItem | None, execution: Execution, subject: Subject) -> RunItem:
    """Return the item of a run of which an execution has been seen, of whatever attempt."""
    at = stamp(execution.started_at)
    if item is None:
        return _new(execution, subject, at)
    if execution.attempt > item.attempt:
        item = next_attempt(item, execution.attempt, at)
    if execution.attempt == item.attempt and not item.execution:
        known = _new(execution, subject, at) if item.attempt == 1 else item
        item = replace(
            known,
            version=item.version,
            looked_at=item.looked_at,
            cancelling=item.cancelling,
            execution=execution.arn,
            began_at=at,
            reference=subject.reference,
            workflow_version=subject.workflow_version,
            manifest=subject.manifest,
        )
    return replace(item, started_at=min(item.started_at, at))


def announced(run_id: str, subject: Subject, given: Mapping[str, Json], now: datetime) -> RunItem:
    """Return the item of a run that has just been started with an input, and not been seen yet."""
    own = given.get("run")
    run, at = own if isinstance(own, Mapping) else {}, stamp(now)
    return RunItem(
        run_id=run_id,
        workflow_id=subject.workflow_id,
        workflow_version=subject.workflow_version,
        reference=subject.reference,
        started_at=at,
        began_at=at,
        manifest=subject.manifest,
        **_origin(run, given),
    )


def _new(execution: Execution, subject: Subject, at: str) -> RunItem:
    run = execution.run
    return RunItem(
        run_id=execution.run_id,
        workflow_id=subject.workflow_id,
        workflow_version=subject.workflow_version,
        reference=subject.reference,
        started_at=at,
        attempt=execution.attempt,
        execution=execution.arn,
        began_at=at,
        manifest=subject.manifest,
        parent=execution.parent,
        root=execution.root,
        **_origin(run, execution.input),
    )


class _Origin(TypedDict):
    started_by: str | None
    trigger: Json
    event_id: str | None
    rerun_of: str | None


def _origin(run: Mapping[str, Json], given: Mapping[str, Json]) -> _Origin:
    """Return by what a run was started, from its execution's input."""
    return {
        "started_by": _text(run.get("started_by")),
        "trigger": _trigger(given.get("trigger")),
        "event_id": _text(run.get("event_id")),
        "rerun_of": _text(run.get("rerun_of")),
    }


def next_attempt(item: RunItem, attempt: int, at: str) -> RunItem:
    """Return the item of a run whose next attempt is to begin; its execution is not known yet."""
    return replace(
        item,
        attempt=attempt,
        status=RUNNING,
        phase=BEGUN,
        execution="",
        began_at=at,
        completed_at=None,
        error=None,
        cancelling=None,
        settled=False,
        looked_at="",
    )


@dataclass(frozen=True, slots=True)
class End:
    """How an attempt ended; `closed`: nothing follows it any more."""

    attempt: int
    status: str
    completed_at: str
    error: str | None
    closed: bool


def ended(item: RunItem, end: End) -> RunItem:
    """Return the item of a run whose attempt is known to have ended; a later one goes on."""
    phase = CLOSED if end.closed else ENDED
    if end.attempt != item.attempt or phase <= item.phase:
        return item
    return replace(
        item,
        status=end.status,
        phase=phase,
        completed_at=end.completed_at,
        error=end.error,
        settled=False,
    )


def paused(item: RunItem, attempt: int, *, is_paused: bool) -> RunItem:
    """Return the item of a run that waits for a person to say what becomes of a failed step."""
    if item.is_over or attempt != item.attempt:
        return item
    return replace(item, status=PAUSED if is_paused else RUNNING)


def settled(item: RunItem, attempt: int, phase: Phase) -> RunItem:
    """Return the item of a run for which all has been done that its end asks for."""
    if attempt != item.attempt or phase != item.phase:
        return item
    return replace(item, settled=True)


def cancelled_by(item: RunItem, cancelling: Cancelling) -> RunItem:
    """Return the item of a run that somebody wants cancelled; one that is over stays as it is.

    Who asked first is kept; who asks second may have the run undone all the same.
    """
    if item.is_over:
        return item
    first = item.cancelling
    if first is None:
        return replace(item, cancelling=cancelling)
    compensate = first.compensate or cancelling.compensate
    return replace(item, cancelling=replace(first, compensate=compensate))


def _trigger(given: Json) -> Json:
    if not isinstance(given, Mapping):
        return None
    return {name: given[name] for name in ("name", "type", "event_id") if name in given}


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None
