"""Give a task to other people, and make links: the old ones are void."""

from __future__ import annotations

from dataclasses import replace

from functions.domain.errors import ValidationError
from functions.domain.task import Actor, Entry, Task
from functions.domain.task_links import fresh
from functions.domain.task_rules import Verdict, assignee, deciders
from functions.usecases.desk import Desk, Office
from functions.usecases.tell import News, tell
from protocol.payloads import Json

_MOST_CHANGES = 200
"""Lines of a task's history; a task is one item of a table."""


def reassign(
    task_id: str, to: Json, actor: Actor, reason: str, desk: Desk, *, is_operator: bool = False
) -> Verdict:
    """Replace a task's assignees; an assignee may, and an operator of the stage.

    Links made before are void, and votes of people who are no longer asked do not count.
    `decided` says that it is done; `invalid`, `ended`, `not_yours`, `unknown` as in `decide`.
    """
    task = desk.tasks.get(task_id)
    if task is None:
        return Verdict("unknown")
    while True:
        refused = _refused(task, actor, desk, is_operator=is_operator)
        if refused is not None:
            return refused
        try:
            changed = _given_to(task, to, actor, reason, desk)
        except ValidationError as error:
            return Verdict("invalid", task, (f"/assignees: {error.message}",))
        stored = desk.tasks.replace(changed)
        if stored is None:
            return Verdict("decided", replace(changed, version=changed.version + 1))
        task = stored


def tell_reassigned(task: Task, office: Office) -> Task:
    """Tell the new assignees of a task that it is theirs now."""
    number = sum(entry.what == "reassigned" for entry in task.history)
    can = deciders(task, office.desk.directory)
    return tell(task, can, News("reassigned", f"reassigned-{number}"), office)


def make_link(task_id: str, person: str, actor: Actor, desk: Desk) -> tuple[Verdict, str | None]:
    """Make a fresh link for an assignee and return its address; the ones before are void.

    For operators of the stage only: whoever has the address decides in the assignee's name.
    """
    task = desk.tasks.get(task_id)
    if task is None:
        return Verdict("unknown"), None
    while True:
        refused = _refused(task, actor, desk, is_operator=True)
        if refused is not None:
            return refused, None
        own = assignee(task, Actor(person, "system"), desk.directory)
        if own is None or own not in deciders(task, desk.directory) or task.auth == "login":
            problem = f"/for: {person[:80]} cannot decide this task by a link"
            return Verdict("invalid", task, (problem,)), None
        changed = fresh(desk.signer, task, own, actor, desk.clock.now())
        stored = desk.tasks.replace(changed)
        if stored is None:
            return Verdict("decided", changed), desk.signer.url(changed, own)
        task = stored


def _refused(task: Task, actor: Actor, desk: Desk, *, is_operator: bool) -> Verdict | None:
    if not is_operator and assignee(task, actor, desk.directory) is None:
        return Verdict("not_yours", task)
    if not task.is_open:
        return Verdict("ended", task)
    if len(task.history) >= _MOST_CHANGES:
        return Verdict("invalid", task, ("/: the task has been changed too often",))
    return None


def _given_to(task: Task, to: Json, actor: Actor, reason: str, desk: Desk) -> Task:
    directory, signer = desk.directory, desk.signer
    people = directory.resolve(to)
    detail = f"from {', '.join(task.people)} to {', '.join(people)}: {reason[:500]}"
    entry = Entry(desk.clock.now(), "reassigned", actor.name, actor.via, detail)
    kept = {directory.identity(one) for one in people}
    given = replace(
        task,
        people=people,
        votes={who: vote for who, vote in task.votes.items() if who in kept},
        history=(*task.history, entry),
        links={},
    )
    can = deciders(given, directory)
    if len(can) < task.quorum:
        raise ValidationError(f"{task.quorum} have to agree, and only {len(can)} of them can")
    if task.auth == "link":
        for person in can:
            before = task.links.get(person)
            number = 1 if before is None else before.number + 1
            given = signer.with_link(given, person, number, given.expires_at)
    return given
