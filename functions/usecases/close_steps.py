"""A step has ended before its children or items did: what they wait for is closed."""

from __future__ import annotations

from functions.domain.task import Place, Task
from functions.domain.task_rules import cancel
from functions.usecases.desk import Desk, change
from protocol.payloads import CloseSteps

REASON = "another step of its block, or another item, failed"


def close_steps(call: CloseSteps, desk: Desk) -> list[Task]:
    """Cancel the open tasks of some steps of a run and return them.

    A decision that was first stays. A step with a for_each of its own has a task for each item:
    all of them are closed.
    """
    now = desk.clock.now()
    return [
        change(desk.tasks, task, lambda one: cancel(one, now, REASON))
        for task in desk.tasks.of_run(call["run"]["id"])
        if task.is_open and _is_meant(task.place, call)
    ]


def _is_meant(place: Place, call: CloseSteps) -> bool:
    if place.run_attempt != call["run"]["attempt"] or place.step_id not in call["steps"]:
        return False
    around = tuple(call.get("items", ()))
    return place.items[: len(around)] == around
