"""The record of a run that is over, gathered from Step Functions and the stage's tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from functions.domain.records.executions import (
    SUCCEEDED,
    Carried,
    Execution,
    close_name,
    execution_arn,
)
from functions.domain.records.more import with_more
from functions.domain.records.plan import Plan
from functions.domain.records.said import stamp
from functions.domain.records.shape import RunRecord
from functions.domain.records.tell import Family, record_of
from functions.record_ports import Kept, Known
from functions.usecases.archive import Keeper, manifest_of, subject_of


@dataclass(frozen=True, slots=True)
class Gathered:
    """A run that is over: its executions, its record and how many executions that tells of.

    `started` are chunks and workflows that it called, going on or not.
    """

    main: Carried
    closes: tuple[Carried, ...]
    plan: Plan | None
    record: RunRecord
    over: int
    started: tuple[Execution, ...] = ()


@dataclass(slots=True)
class _Started:
    """What executions started, by what it is to them."""

    chunks: list[Carried] = field(default_factory=list)
    children: list[Execution] = field(default_factory=list)
    closes: list[Execution] = field(default_factory=list)


def gather(main: Execution, keeper: Keeper, close: Execution | None = None) -> Gathered:
    """Return what became of a run whose execution is over.

    `close` is a close execution of it, where one is known. Executions that belong to the run are
    noted on the way.
    """
    manifest = manifest_of(main, keeper)
    plan = keeper.plans.of(None if manifest is None else manifest["digest"])
    subject = subject_of(main, manifest, keeper.archive.stage)
    carried = _carried(main, keeper)
    started = _started(carried, keeper)
    known = [one for one in started.closes if one.run_id == main.run_id]
    has_close = manifest is not None and manifest["has_close"] and main.status != SUCCEEDED
    if has_close or close is not None:
        known += [*_closes(main, subject.reference, keeper), *([close] if close else [])]
    own = {one.name: one for one in known}
    closes = sorted(
        (_carried(one, keeper) for one in own.values()),
        key=lambda one: (one.execution.started_at, one.execution.name),
    )
    after = [_started(one, keeper) for one in closes]
    undone = {one.run_id: one for part in after for one in part.closes}
    _note(main.run_id, [*started.chunks, *closes], keeper)
    children = {
        child.name: kept
        for part in (started, *after)
        for child in part.children
        if (kept := _child(child, undone.get(child.run_id), keeper)) is not None
    }
    family = Family(
        carried,
        keeper.archive.rows.of_run(main.run_id),
        started.chunks,
        closes,
        {name: kept.record for name, kept in children.items()},
    )
    record = record_of(family, plan or Plan(subject.workflow_id, subject.workflow_version, {}))
    _give_kept(record, keeper)
    tasks = keeper.archive.tasks.of_run(main.run_id)
    executions = [one.execution for one in (carried, *started.chunks, *closes)]
    return Gathered(
        carried,
        tuple(closes),
        plan,
        with_more(record, main, tasks, plan, manifest),
        sum(one.is_over for one in executions) + sum(kept.over for kept in children.values()),
        (*(one.execution for one in started.chunks), *started.children),
    )


def _closes(main: Execution, reference: str, keeper: Keeper) -> Iterator[Execution]:
    """Yield the close executions of a run that are there or were noted."""
    name = close_name(main.run_id, main.attempt)
    arns = {name: keeper.address(f"{reference}--close", name)}
    for one in keeper.archive.runs.known(main.run_id):
        if one.role == "close" and (one.run_id, one.attempt) == (main.run_id, main.attempt):
            arns[one.name] = one.arn
    for arn in arns.values():
        found = keeper.histories.describe(arn)
        if found is not None:
            yield found


def _carried(execution: Execution, keeper: Keeper) -> Carried:
    return Carried(execution, execution.timeline(keeper.histories.events(execution.arn)))


def _started(carried: Carried, keeper: Keeper) -> _Started:
    """Return what an execution, and the chunks it started, have started."""
    found = _Started()
    for execution in _each(carried, keeper):
        if execution.role == "chunk":
            chunk = _carried(execution, keeper)
            inside = _started(chunk, keeper)
            found.chunks += [chunk, *inside.chunks]
            found.children += inside.children
        elif execution.role == "close":
            found.closes.append(execution)
        else:
            found.children.append(execution)
    return found


def _each(carried: Carried, keeper: Keeper) -> Iterator[Execution]:
    for child in dict.fromkeys(carried.children):
        found = keeper.histories.describe(execution_arn(child.machine, child.name))
        if found is not None:
            yield found


def _child(child: Execution, close: Execution | None, keeper: Keeper) -> Kept | None:
    """Return the record of a workflow that was called; None while it goes on."""
    if not child.is_over:
        return None
    runs = keeper.archive.runs
    item = runs.get(child.run_id)
    if close is None and item is not None and item.settled:
        kept = runs.kept(child.run_id, child.attempt)
        if kept is not None:
            return kept
    told = gather(child, keeper, close)
    kept = Kept(told.record, told.over)
    runs.keep(kept)
    return kept


def _give_kept(record: RunRecord, keeper: Keeper) -> None:
    """Give steps whose called workflow is an earlier attempt's the record of it."""
    kept = {
        step["step_id"]: step for step in record["steps"] if step.get("kept") and "run" not in step
    }
    if not kept:
        return
    runs = keeper.archive.runs
    for one in sorted(runs.known(record["run_id"]), key=lambda one: one.started_at):
        if one.role == "child" and one.step in kept and not one.items:
            found = runs.kept(one.run_id, one.attempt)
            if found is not None:
                kept[one.step]["run"] = found.record


def _note(run_id: str, carried: Iterable[Carried], keeper: Keeper) -> None:
    for one in carried:
        keeper.archive.runs.know(run_id, known_of(one.execution))


def known_of(execution: Execution) -> Known:
    """Return how an execution that belongs to a run is noted."""
    role = execution.role
    assert role != "run"
    step, items = execution.place
    return Known(
        name=execution.name,
        arn=execution.arn,
        role=role,
        run_id=execution.run_id,
        attempt=execution.attempt,
        started_at=stamp(execution.started_at),
        step=step,
        items=items,
    )
