"""A run is over: what still waits for people is closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from functions.domain.task import Task
from functions.domain.task_rules import cancel
from functions.usecases.desk import change

if TYPE_CHECKING:
    from functions.ports import Clock, Tasks


class Shelf(Protocol):
    """Where tasks are: a desk, or what keeps records."""

    @property
    def clock(self) -> Clock:
        """Return what tells the time."""

    @property
    def tasks(self) -> Tasks:
        """Return the tasks."""


def close_tasks(run_id: str, run_attempt: int, reason: str, desk: Shelf) -> list[Task]:
    """Cancel all open tasks of an attempt of a run; return those this call has closed.

    One that is being opened at the same moment either is found here, or sees that the run is
    over. A decision that was first stays.
    """
    desk.tasks.end(run_id, run_attempt)
    now = desk.clock.now()
    closed = []
    for task in desk.tasks.of_run(run_id):
        if task.is_open and task.place.run_attempt == run_attempt:
            after = change(desk.tasks, task, lambda one: cancel(one, now, reason))
            if after.decision is not None and after.decision.decided_at == now:
                closed.append(after)
    return closed
