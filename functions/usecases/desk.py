"""What the use cases of tasks work with, and how a task is changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from functions.domain.people import Directory
from functions.domain.task import Task
from functions.domain.task_links import Signer
from functions.ports import Answers, Clock, Notifications, Tasks, TaskTokens


@dataclass(frozen=True, slots=True)
class Desk:
    """Where people decide. There is no token here, and no way to one."""

    clock: Clock
    tasks: Tasks
    directory: Directory
    signer: Signer


class Teller(Protocol):
    """What people are told with."""

    @property
    def desk(self) -> Desk:
        """Return where they decide."""

    @property
    def notifications(self) -> Notifications:
        """Return the ways to them."""


@dataclass(frozen=True, slots=True)
class Reception:
    """A desk that can tell people something."""

    desk: Desk
    notifications: Notifications


@dataclass(frozen=True, slots=True)
class Office:
    """Where tasks are opened: the desk, what waits for it, and who is told."""

    desk: Desk
    tokens: TaskTokens
    notifications: Notifications


@dataclass(frozen=True, slots=True)
class Waker:
    """What wakes executions."""

    tasks: Tasks
    tokens: TaskTokens
    answers: Answers


def change(tasks: Tasks, task: Task, wish: Callable[[Task], Task | None]) -> Task:
    """Change a task and return it as it is then; `wish` returns None where nothing is to change.

    Somebody else's write in between is seen, and the wish judged again on what they left. Each
    time somebody got ahead, so it ends.
    """
    while True:
        changed = wish(task)
        if changed is None or changed == task:
            return task
        stored = tasks.replace(changed)
        if stored is None:
            return replace(changed, version=changed.version + 1)
        task = stored
