"""Decide a task: the one conditional write that counts, and an answer for all who were later."""

from __future__ import annotations

from functions.domain import task_rules
from functions.domain.task import PENDING, Actor, Answer, Entry
from functions.domain.task_rules import Verdict
from functions.usecases.desk import Desk

_AUDITED = {
    "conflict": "other_answer",
    "ended": "late_decision",
    "forbidden": "refused",
    "not_yours": "refused",
    "invalid": "invalid_answer",
}


def decide(task_id: str, actor: Actor, answer: Answer, desk: Desk) -> Verdict:
    """Decide a task for somebody, and return what became of it.

    Nothing is told to the execution here: the table's stream does that. What is refused is
    audited; `actor` must be known for sure (a login, or `open_link`).
    """
    task = desk.tasks.get(task_id)
    if task is None:
        return Verdict("unknown")
    while True:
        now = desk.clock.now()
        verdict, changed = task_rules.decide(task, actor, answer, now, desk.directory)
        stored = None if changed is None else desk.tasks.replace(changed)
        if stored is None:
            _audit(task_id, actor, answer, verdict, desk)
            return verdict
        task = stored


def _audit(task_id: str, actor: Actor, answer: Answer, verdict: Verdict, desk: Desk) -> None:
    what = _AUDITED.get(verdict.name)
    if what is None:
        return
    detail = f"{verdict.name}: {answer.status[:40]}"
    if verdict.task is not None and verdict.task.status != PENDING:
        detail += f", but it was {verdict.task.status}"
    desk.tasks.audit(task_id, Entry(desk.clock.now(), what, actor.name[:320], actor.via, detail))
