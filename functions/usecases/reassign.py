"""Give a task to other people, and make links: the old ones are void."""

from __future__ import annotations

from dataclasses import dataclass, replace

from functions.domain.errors import ValidationError
from functions.domain.people import Directory
from functions.domain.task import PEOPLE_DECIDE, Actor, Entry, Task
from functions.domain.task_links import fresh, next_number
from functions.domain.task_rules import Verdict, assignee, deciders
from functions.usecases.desk import Desk, Teller
from functions.usecases.tell import News, tell
from protocol.payloads import Json

_ONE_PART = (
    "several have to agree: you hand on your own part alone, from yourself to one person; "
    "an operator can replace others"
)
_MOST_CHANGES = 200
"""Lines of a task's history; a task is one item of a table."""


@dataclass(frozen=True, slots=True)
class Handover:
    """Who is to be asked instead: of all assignees, or of one of them (`of`)."""

    to: Json
    reason: str = ""
    of: str | None = None


def reassign(
    task_id: str, handover: Handover, actor: Actor, desk: Desk, *, is_operator: bool = False
) -> Verdict:
    """Replace a task's assignees, or one of them; whoever may decide it may, and an operator.

    Links made before are void, and votes of people who are no longer asked do not count. Where
    several have to agree, whoever is asked gives away their own part alone, to one person: else
    one of them would choose all the others. `decided` says that it is done; `invalid`, `ended`,
    `forbidden`, `not_yours`, `unknown` as in `decide`.
    """
    task = desk.tasks.get(task_id)
    if task is None:
        return Verdict("unknown")
    while True:
        refused = _refused(task, actor, desk, is_operator=is_operator)
        if refused is not None:
            return refused
        if not is_operator and task.quorum > 1 and not _is_own_part(handover, actor, desk):
            return Verdict("forbidden", task, (_ONE_PART,))
        try:
            changed = _given_to(task, handover, actor, desk)
        except ValidationError as error:
            return Verdict("invalid", task, (error.message,))
        stored = desk.tasks.replace(changed)
        if stored is None:
            return Verdict("decided", replace(changed, version=changed.version + 1))
        task = stored


def tell_reassigned(task: Task, office: Teller) -> Task:
    """Tell the new assignees of a task that it is theirs now."""
    number = sum(entry.what == "reassigned" for entry in task.history)
    can = deciders(task, office.desk.directory)
    return tell(task, can, News("reassigned", f"reassigned-{number}"), office)


def make_link(
    task_id: str, person: str, actor: Actor, desk: Desk, *, is_operator: bool = False
) -> tuple[Verdict, str | None]:
    """Make a fresh link for an assignee and return its address; the ones before are void.

    Whoever has the address decides in the assignee's name, so it is for them alone to ask, and
    for operators of the stage.
    """
    task = desk.tasks.get(task_id)
    if task is None:
        return Verdict("unknown"), None
    while True:
        refused = _refused(task, actor, desk, is_operator=is_operator)
        if refused is not None:
            return refused, None
        own = assignee(task, Actor(person, "system"), desk.directory)
        if not is_operator and own != assignee(task, actor, desk.directory):
            return Verdict("forbidden", task, ("only operators make links for others",)), None
        if own is None or own not in deciders(task, desk.directory) or task.auth == "login":
            problem = f"/for: {person[:80]} cannot decide this task by a link"
            return Verdict("invalid", task, (problem,)), None
        changed = fresh(desk.signer, task, own, actor, desk.clock.now())
        stored = desk.tasks.replace(changed)
        if stored is None:
            return Verdict("decided", changed), desk.signer.url(changed, own)
        task = stored


def _refused(task: Task, actor: Actor, desk: Desk, *, is_operator: bool) -> Verdict | None:
    if task.kind not in PEOPLE_DECIDE:
        return Verdict("not_yours", task)
    if not is_operator:
        own = assignee(task, actor, desk.directory)
        if own is None:
            return Verdict("not_yours", task)
        # Else whoever started the run would choose who decides about it.
        if own not in deciders(task, desk.directory):
            return Verdict("forbidden", task, ("whoever may not decide hands it to nobody",))
    if not task.is_open:
        return Verdict("ended", task)
    if len(task.history) >= _MOST_CHANGES:
        return Verdict("invalid", task, ("the task has been changed too often",))
    return None


def _is_own_part(handover: Handover, actor: Actor, desk: Desk) -> bool:
    """Return whether somebody gives away what is theirs, and to no more than one person."""
    directory = desk.directory
    if handover.of is None or directory.identity(handover.of) != directory.identity(actor.name):
        return False
    try:
        return len(directory.resolve(handover.to)) == 1
    except ValidationError:
        return True  # it is told what is wrong with it


def _given_to(task: Task, handover: Handover, actor: Actor, desk: Desk) -> Task:
    directory, signer = desk.directory, desk.signer
    people = _resolved(task, handover, directory)
    detail = f"from {', '.join(task.people)} to {', '.join(people)}: {handover.reason[:500]}"
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
        problem = f"/to: {task.quorum} have to agree, and only {len(can)} of them can"
        raise ValidationError(problem)
    if task.auth == "link":
        for person in can:
            given = signer.with_link(given, person, next_number(task), given.expires_at)
    return given


def _resolved(task: Task, handover: Handover, directory: Directory) -> tuple[str, ...]:
    """Return the people who are asked from now on; raises ValidationError."""
    rest: list[Json] = []
    if handover.of is not None:
        leaving = directory.identity(handover.of)
        rest = [one for one in task.people if directory.identity(one) != leaving]
        if len(rest) == len(task.people):
            raise ValidationError(f"/from: {handover.of[:80]} is not asked")
    try:
        directory.resolve(handover.to)
        return directory.resolve([*rest, handover.to])
    except ValidationError as error:
        raise ValidationError(f"/to: {error.message}") from None
