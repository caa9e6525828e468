"""End what no person decides: a wait for an event, and the callback of an outside system."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from functions.domain import task_rules
from functions.domain.task import DELIVERED, FAILED, SUCCEEDED, Actor, Answer, Task
from functions.domain.task_forms import form_problems
from functions.domain.task_links import CALLBACK
from functions.domain.task_rules import Verdict
from functions.usecases.desk import Desk
from protocol.payloads import Json

Fits: TypeAlias = Callable[[Json, Json], bool]
"""Whether an event is what a wait is about: its subject (`pattern`, `match`), the event."""


def deliver(event: Json, fits: Fits, desk: Desk) -> list[str]:
    """Give an event to every open wait that it fits; return the ids of those it ended."""
    ended = []
    for task in desk.tasks.listed("event", is_open=True):
        if fits(task.subject, event):
            verdict = _settle(task, Answer(DELIVERED, form=event), "event", desk)
            if verdict.name == "decided":
                ended.append(task.task_id)
    return ended


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


def _settle(task: Task, answer: Answer, by: str, desk: Desk) -> Verdict:
    while True:
        now = desk.clock.now()
        verdict, changed = task_rules.settle(task, answer, Actor(by, "system"), now)
        stored = None if changed is None else desk.tasks.replace(changed)
        if stored is None:
            return verdict
        task = stored
