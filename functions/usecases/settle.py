"""End what no person decides: a wait for an event, and the callback of an outside system."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Protocol, TypeAlias

from functions.domain import task_rules
from functions.domain.task import DELIVERED, FAILED, SUCCEEDED, Actor, Answer, Task
from functions.domain.task_forms import form_problems
from functions.domain.task_links import CALLBACK
from functions.domain.task_rules import Verdict
from functions.ports import Clock, Tasks
from functions.usecases.desk import Desk
from protocol.payloads import Json

Reads: TypeAlias = Callable[[Json, Json], tuple[Json] | None]
"""What a wait gets of an event, by its subject (`pattern`, `match`); None if it fits not."""
_SKEW = timedelta(seconds=1)
"""By how much the clocks of a queue and a function may differ."""


class Waits(Protocol):
    """Where waits are; the desk is such a place."""

    @property
    def clock(self) -> Clock:
        """Return the clock."""

    @property
    def tasks(self) -> Tasks:
        """Return the tasks."""


def deliver(
    event: Json,
    reads: Reads,
    waits: Waits,
    came_at: datetime | None = None,
    event_id: str | None = None,
) -> list[str]:
    """Give an event to every open wait that it fits; return the ids of those it ended.

    A wait that began after the event came is not ended by it, however late or often it is
    delivered: not by its time, and not if an earlier wait of the same run was.
    """
    ended = []
    for task in waits.tasks.listed("event", is_open=True):
        read = reads(task.subject, event)
        if read is None or (came_at is not None and task.opened_at > came_at + _SKEW):
            continue
        if event_id is not None and _has_been(event_id, task, waits.tasks):
            continue
        answer = Answer(DELIVERED, comments=event_id, form=read[0])
        if _settle(task, answer, "event", waits).name == "decided":
            ended.append(task.task_id)
    return ended


def _has_been(event_id: str, task: Task, tasks: Tasks) -> bool:
    """Return whether an event ended another wait of the run before this one began."""
    return any(
        one.kind == "event"
        and one.decision is not None
        and one.decision.comments == event_id
        and one.decision.decided_at < task.opened_at
        for one in tasks.of_run(task.place.run_id)
    )


def answer_callback(token: str, outputs: Json, desk: Desk, *, failure: Json = None) -> Verdict:
    """Take the answer of an outside system that knows the token of its URL.

    `failure` (`type`, `message`) says that it did not do it. `unknown` stands for a token that
    is no one's, whatever is wrong with it.
    """
    task_id, _, secret = token.partition(".")
    task = desk.tasks.get(task_id)
    holder = task and desk.signer.holder(task, secret, desk.clock.now())
    if task is None or not holder or holder[0] != CALLBACK:
        return Verdict("unknown")
    if outputs is not None and not isinstance(outputs, dict):
        return Verdict("invalid", task, ("/: must be an object of outputs",))
    problems = form_problems(None, failure or outputs)
    if problems:
        return Verdict("invalid", task, problems)
    done = Answer(SUCCEEDED, form=outputs or {})
    answer = done if failure is None else Answer(FAILED, form=failure)
    return _settle(task, answer, CALLBACK, desk)


def _settle(task: Task, answer: Answer, by: str, desk: Waits) -> Verdict:
    while True:
        now = desk.clock.now()
        verdict, changed = task_rules.settle(task, answer, Actor(by, "system"), now)
        stored = None if changed is None else desk.tasks.replace(changed)
        if stored is None:
            return verdict
        task = stored
