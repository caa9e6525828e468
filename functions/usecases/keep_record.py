"""Keep the records of runs: what a changed status of an execution asks for.

Nothing here minds how often, how late and in which order it is told: an item's changes are rules
of `functions.domain.records.item`, records say of how many executions they know, and what is done
outside the tables is claimed, or may be done twice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from functions.domain.records.closing import BEGUN_TO_CLOSE, close_input, cut_off, needs_close
from functions.domain.records.executions import (
    Execution,
    close_name,
    execution_of,
    has_input,
)
from functions.domain.records.failures import bad_steps
from functions.domain.records.item import CLOSED, ENDED, End, RunItem, begun, ended, settled
from functions.domain.records.said import stamp
from functions.domain.records.tell import run_status
from functions.record_ports import Kept
from functions.usecases.announce import announce_end
from functions.usecases.archive import Keeper, is_ours, manifest_of, subject_of
from functions.usecases.close_tasks import close_tasks
from functions.usecases.gather import Gathered, gather, known_of
from functions.usecases.lost_calls import CALLER_ENDED
from functions.usecases.pausing import note_pauses
from protocol.names import CANCELLED

_LONGEST_ERROR = 400
"""Characters of a run's error in lists."""


def take_change(detail: Mapping[str, Any], keeper: Keeper) -> None:
    """Take in the `detail` of a status change event of EventBridge; others' are left alone."""
    execution = execution_of(detail)
    if not is_ours(execution, keeper.archive.stage):
        return
    if not has_input(detail):
        execution = keeper.histories.describe(execution.arn) or execution
    take_execution(execution, keeper)


def take_execution(execution: Execution, keeper: Keeper) -> None:
    """Take in what is known of an execution of the stage."""
    if execution.role in ("run", "child"):
        item = keep_begin(execution, keeper)
        if execution.is_over:
            keep_end(execution, keeper)
            _tell_caller(item, keeper)
        else:
            stop_cancelled(item, execution, keeper)
        return
    keeper.archive.runs.know(execution.run_id, known_of(execution))
    if execution.is_over:
        _part_is_over(execution, keeper)


def stop_cancelled(item: RunItem, execution: Execution, keeper: Keeper) -> None:
    """Stop an execution whose run somebody has cancelled, if nobody has stopped it yet."""
    if item.cancelling is not None and item.attempt == execution.attempt:
        wish = {"by": item.cancelling.by, "compensate": item.cancelling.compensate}
        keeper.executions.stop(execution.arn, CANCELLED, json.dumps(wish))


def keep_begin(execution: Execution, keeper: Keeper) -> RunItem:
    """Keep that a run has begun; whoever starts one may say so before Step Functions does."""
    runs, stage = keeper.archive.runs, keeper.archive.stage
    subject = subject_of(execution, manifest_of(execution, keeper), stage)
    runs.give(execution.run_id, execution.attempt, execution.input)
    if execution.parent is not None:
        runs.know(execution.parent, known_of(execution))
    item = runs.change(execution.run_id, lambda item: begun(item, execution, subject))
    assert item is not None
    return item


def keep_end(execution: Execution, keeper: Keeper, close: Execution | None = None) -> None:
    """Keep the record of a run that is over, and do what its end asks for.

    The run counts as over when its record is kept, its tasks are closed, what it held is free and
    what has to follow it was started: until then a sweep comes back to it.
    """
    runs = keeper.archive.runs
    told = gather(execution, keeper, close)
    run_id, attempt = execution.run_id, execution.attempt
    close_tasks(run_id, attempt, "the run is over", keeper.archive)
    keeper.release(execution.arn)
    _stop(told, keeper)
    is_closed = not _is_closing(told, keeper)
    if not is_closed:
        told.record.setdefault("closing", BEGUN_TO_CLOSE)
    runs.keep(Kept(told.record, told.over))
    error = told.record["error"]
    end = End(
        attempt=attempt,
        status=run_status(execution),
        completed_at=told.record["completed_at"] or stamp(execution.started_at),
        error=None if error is None else error["message"][:_LONGEST_ERROR],
        closed=is_closed,
    )
    item = runs.change(run_id, lambda item: None if item is None else ended(item, end))
    if item is None:
        return
    announce_end(told, item, keeper, is_closed=is_closed)
    phase = CLOSED if is_closed else ENDED
    if is_closed:
        runs.change(run_id, lambda item: None if item is None else settled(item, attempt, phase))
    if item.parent is not None:
        note_pauses(item.parent, keeper)


def _is_closing(told: Gathered, keeper: Keeper) -> bool:
    """Whether undos and handlers go on after a run; what is due and was not started is.

    It has to wait for what the run called: nothing is undone that is still being done.
    """
    execution = told.main.execution
    if told.closes:
        return not all(one.execution.is_over for one in told.closes)
    manifest = manifest_of(execution, keeper)
    if manifest is None or told.plan is None or not manifest["has_close"]:
        return False
    item = keeper.archive.runs.get(execution.run_id)
    cancelling = None if item is None else item.cancelling
    if not needs_close(told.main, compensate=cancelling is not None and cancelling.compensate):
        return False
    if all(one.is_over for one in told.started):
        reference = subject_of(execution, manifest, keeper.archive.stage).reference
        failed = bad_steps(told.record["steps"], told.plan)
        lost, steps = cut_off(told.started, told.plan), told.record["steps"]
        text = close_input(execution, failed, lost, told.plan, steps)
        name = close_name(execution.run_id, execution.attempt)
        keeper.machines.start(f"{reference}--close", name, text)
    return True


def _stop(told: Gathered, keeper: Keeper) -> None:
    """Stop what a run that is over has started and still goes on."""
    for one in told.started:
        if not one.is_over:
            keeper.executions.stop(one.arn, CALLER_ENDED, "the run that called it is over")


def _part_is_over(part: Execution, keeper: Keeper) -> None:
    """Take in that what a run started is over; one that goes on tells of it at its own end."""
    item = keeper.archive.runs.get(part.run_id)
    if item is None or item.attempt != part.attempt or not item.execution:
        return
    if part.role == "chunk" and not item.is_over:
        return
    main = keeper.histories.describe(item.execution)
    if main is not None and main.is_over:
        keep_end(main, keeper, part if part.role == "close" else None)
        _tell_caller(item, keeper)


def _tell_caller(item: RunItem, keeper: Keeper) -> None:
    """Have the record of a run that is over already tell of one it called, which ended later."""
    if item.parent is None:
        return
    caller = keeper.archive.runs.get(item.parent)
    if caller is None or not caller.is_over or not caller.execution:
        return
    main = keeper.histories.describe(caller.execution)
    if main is not None and main.is_over:
        keep_end(main, keeper)
        _tell_caller(caller, keeper)
