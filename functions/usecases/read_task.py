"""Read tasks: one with its audit trail, and lists of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from functions.api_ports import Listed, TaskList
from functions.domain.task import Actor, Task
from functions.domain.task_answers import stamp
from functions.domain.task_rules import assignee, may_read
from functions.usecases.desk import Desk

_MOST_LOOKED_AT = 1000
"""Tasks read for one page, however few of them are wanted."""
_BATCH = 100


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where tasks are found: one by one, and in lists."""

    desk: Desk
    lists: TaskList


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads; an operator of the stage sees everything."""

    name: str
    is_operator: bool = False


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which tasks are wanted; None and False ask for nothing."""

    mine: bool = False
    is_open: bool | None = None
    overdue: bool = False
    workflow: str | None = None
    run: str | None = None


@dataclass(frozen=True, slots=True)
class TaskPage:
    """Some tasks, and where the ones behind them are; None where there are none."""

    tasks: list[Task]
    rest: Listed | None = None


def read_task(task_id: str, reader: Reader, desk: Desk) -> Task | None:
    """Return a task with all that was tried on it; None for one that is not the reader's."""
    task = desk.tasks.get(task_id)
    if task is None or not _sees(task, reader, desk):
        return None
    entries = sorted((*task.history, *desk.tasks.audited(task_id)), key=lambda entry: entry.at)
    return replace(task, history=tuple(entries))


def list_tasks(
    wanted: Wanted, reader: Reader, begin: Listed | None, most: int, shelf: Shelf
) -> TaskPage:
    """Return the tasks behind a place that are wanted and the reader's, `most` at most.

    Open ones come first, those due first ahead; then closed ones, those due last ahead; a run's
    by when they are due. A page may hold fewer than `most` although it says where the rest is.
    """
    now = shelf.desk.clock.now()
    place = begin or Listed(is_open=wanted.is_open is not False)
    found: list[Task] = []
    for looked_at, task in enumerate(_behind(place, wanted, shelf)):
        if len(found) == most or looked_at == _MOST_LOOKED_AT:
            return TaskPage(found, place)
        place = _place_of(task)
        if _fits(task, wanted, now) and _is_visible(task, wanted, reader, shelf.desk):
            found.append(task)
    return TaskPage(found)


def _behind(place: Listed, wanted: Wanted, shelf: Shelf) -> Iterator[Task]:
    if wanted.run is not None:
        tasks = sorted(shelf.desk.tasks.of_run(wanted.run), key=_order)
        yield from (task for task in tasks if _order(task) > (place.due, place.task_id))
        return
    while True:
        tasks = shelf.lists.after(place, _BATCH)
        yield from tasks
        if len(tasks) == _BATCH:
            place = _place_of(tasks[-1])
        elif place.is_open and wanted.is_open is None:
            place = Listed(is_open=False)
        else:
            return


def _fits(task: Task, wanted: Wanted, now: datetime) -> bool:
    return (
        wanted.is_open in (None, task.is_open)
        and wanted.workflow in (None, task.workflow_id)
        and (not wanted.overdue or task.is_overdue(now))
    )


def _is_visible(task: Task, wanted: Wanted, reader: Reader, desk: Desk) -> bool:
    if wanted.mine:
        return assignee(task, Actor(reader.name, "login"), desk.directory) is not None
    return _sees(task, reader, desk)


def _sees(task: Task, reader: Reader, desk: Desk) -> bool:
    return reader.is_operator or may_read(task, reader.name, desk.directory)


def _place_of(task: Task) -> Listed:
    return Listed(task.is_open, *_order(task))


def _order(task: Task) -> tuple[str, str]:
    return stamp(task.to_be_done), task.task_id
