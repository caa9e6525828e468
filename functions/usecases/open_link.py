"""Know a person by their link."""

from __future__ import annotations

from dataclasses import dataclass

from functions.domain.task import Actor, Task
from functions.usecases.desk import Desk


@dataclass(frozen=True, slots=True)
class Holder:
    """Whose link it is, the task it is for, and whether it still holds."""

    actor: Actor
    task: Task
    holds: bool


def open_link(task_id: str, token: str, desk: Desk) -> Holder | None:
    """Return whose link a token is; None for an unknown task and a wrong token alike.

    It reads and changes nothing. A link says who its owner is, not who uses it.
    """
    task = desk.tasks.get(task_id)
    found = None if task is None else desk.signer.holder(task, token, desk.clock.now())
    if task is None or found is None or found[0] not in task.people:
        return None
    person, holds = found
    return Holder(Actor(person, "link"), task, holds)
