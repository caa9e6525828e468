"""Every few minutes: look after runs of which some news may have been lost.

Each run that goes on, or whose end still asks for something, is looked at in turn, those not
looked at longest first, so many at a time. What is found is taken in as news are: whatever was
lost, the begin, the end, a lock, a decision, what follows a failed run, comes right by it.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from functions.domain.lock import Group, Turn
from functions.domain.records.executions import attempt_name
from functions.domain.records.item import CLOSED, End, RunItem, ended, settled
from functions.domain.records.said import stamp
from functions.domain.records.shape import FAILED
from functions.domain.task import CANCELLED, Task
from functions.usecases.archive import LOST, Keeper
from functions.usecases.close_tasks import close_tasks
from functions.usecases.keep_record import stop_cancelled, take_execution
from functions.usecases.pausing import note_pauses

MOST_RUNS = 100
"""Looked at by one sweep."""
PATIENCE = timedelta(minutes=2)
"""For news on their way."""
_LOST_ERROR = "its execution is not there any more"
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep did: runs looked at, those found to be over, and those it could not look at."""

    looked_at: int
    over: int
    failed: int


def sweep(keeper: Keeper) -> Swept:
    """Look after the runs whose turn it is."""
    over = failed = 0
    found = keeper.archive.runs.unsettled(MOST_RUNS)
    for item in found:
        try:
            # Before, so that one that takes all the time there is comes last the next time.
            _looked_at(item, keeper)
            over += look_after(item, keeper)
        except Exception as error:  # noqa: BLE001 (one run must not keep the others waiting)
            failed += 1
            _LOG.error("run %s could not be looked after: %s", item.run_id, type(error).__name__)
    return Swept(len(found), over, failed)


def look_after(item: RunItem, keeper: Keeper) -> bool:
    """Look after a run; return whether its execution is over."""
    now = keeper.archive.clock.now()
    name = attempt_name(item.run_id, item.attempt)
    execution = keeper.histories.describe(item.execution or keeper.address(item.reference, name))
    if execution is None:
        _missed(item, name, now - _moment(item.began_at), keeper)
        return False
    if execution.is_over:
        if execution.completed_at is None or now - execution.completed_at > PATIENCE:
            take_execution(execution, keeper)
        return True
    if not item.execution:
        take_execution(execution, keeper)
    stop_cancelled(item, execution, keeper)
    note_pauses(item.run_id, keeper)
    _free_group(execution.arn, keeper)
    _nudge(item, now, keeper)
    return False


def _missed(item: RunItem, name: str, age: timedelta, keeper: Keeper) -> None:
    """Start an attempt that somebody has taken and not started; else say in the end it is lost."""
    given = keeper.archive.runs.given(item.run_id, item.attempt)
    if not item.execution and given is not None:
        if age > PATIENCE:
            from functions.domain.events import canonical

            keeper.machines.start(item.reference, name, canonical(given))
    elif age > (keeper.lost if item.execution else LOST):
        _give_up(item, keeper)


def _looked_at(item: RunItem, keeper: Keeper) -> None:
    at = stamp(keeper.archive.clock.now())
    keeper.archive.runs.change(
        item.run_id,
        lambda one: None if one is None or one.settled else replace(one, looked_at=at),
    )


def _give_up(item: RunItem, keeper: Keeper) -> None:
    """Say of a run whose execution Step Functions does not know (any more) that it failed.

    Nobody is asked any more, and nobody waits for its group.
    """
    close_tasks(item.run_id, item.attempt, "the run is over", keeper.archive)
    if item.execution:
        keeper.release(item.execution)
    end = End(item.attempt, FAILED, stamp(keeper.archive.clock.now()), _LOST_ERROR, closed=True)

    def wish(one: RunItem | None) -> RunItem | None:
        return None if one is None else settled(ended(one, end), item.attempt, CLOSED)

    keeper.archive.runs.change(item.run_id, wish)


def _free_group(own: str, keeper: Keeper) -> None:
    """Free the concurrency group that an execution asked for of holders that are gone."""
    name = keeper.locks.group_of(own)
    if name is None:
        return
    group = keeper.locks.change(name, Turn).group
    for holder in _holders(group):
        if holder == own:
            continue
        found = keeper.histories.describe(holder)
        if found is None or found.is_over:
            keeper.release(holder)


def _holders(group: Group) -> list[str]:
    return [one.execution for one in group.holders]


def _nudge(item: RunItem, now: datetime, keeper: Keeper) -> None:
    """Have decisions delivered again that may have been lost, ever more rarely."""
    before = _moment(item.looked_at) if item.looked_at else _moment(item.began_at)
    for task in keeper.archive.tasks.of_run(item.run_id):
        if task.place.run_attempt == item.attempt and _is_due(task, before, now):
            keeper.archive.tasks.nudge(task.task_id)


def _is_due(task: Task, before: datetime, now: datetime) -> bool:
    """Whether a delivery became due between two looks: 2, 8, 32, ... minutes after the decision."""
    if task.decision is None or task.status == CANCELLED:
        return False
    due = PATIENCE
    while task.decision.decided_at + due <= now:
        if task.decision.decided_at + due > before:
            return True
        due *= 4
    return False


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
