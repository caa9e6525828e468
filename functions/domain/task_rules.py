"""What may happen to a task: pure rules, from a task and a wish to what becomes of them.

Every change is written only if the task is still the one it was made from, so that whoever
writes first decides, and all others see it and are judged again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from functions.domain.people import Directory
from functions.domain.task import (
    APPROVED,
    CANCELLED,
    FAIL,
    TIMED_OUT,
    Actor,
    Answer,
    Decision,
    Entry,
    Task,
    Vote,
)
from functions.domain.task_forms import MOST_COMMENT_BYTES, form_problems, too_long

Name: TypeAlias = Literal[
    "decided", "counted", "repeated", "conflict", "ended", "forbidden", "not_yours", "unknown",
    "invalid",
]  # fmt: skip

LATE = timedelta(minutes=15)
"""After its end by this much a task that nobody expired is over all the same: its run is gone."""
_EARLY = timedelta(minutes=1)
"""A task is written down a moment after its state was entered, from which the timeout counts."""
NOBODY = "nobody decided in time"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a wish, and the task as it is then (None where there is none).

    `decided`: it is this answer's; `counted`: a vote, and more are needed; `repeated`: the
    answer it has already; `conflict`: it has another; `ended`: it timed out or was cancelled;
    `forbidden`: an assignee who may not; `not_yours`, `unknown`: to be told apart by nobody
    outside; `invalid`: the answer is wrong, see `problems`.
    """

    name: Name
    task: Task | None = None
    problems: tuple[str, ...] = ()


def assignee(task: Task, actor: Actor, directory: Directory) -> str | None:
    """Return the assignee that an actor is, in the task's spelling."""
    identity = directory.identity(actor.name)
    return next((one for one in task.people if directory.identity(one) == identity), None)


def may_read(task: Task, name: str, directory: Directory) -> bool:
    """Return whether a person may see a task: who is asked, has voted or started the run."""
    own = directory.identity(name)
    known = [*task.people, *(vote.name for vote in task.votes.values())]
    if task.started_by is not None:
        known.append(task.started_by)
    return any(directory.identity(one) == own for one in known)


def may_decide(task: Task, name: str, directory: Directory) -> bool:
    """Return whether a person who is logged in may decide a task, were it open."""
    return _refused(task, Actor(name, "login"), directory) is None


def decide(
    task: Task, actor: Actor, answer: Answer, now: datetime, directory: Directory
) -> tuple[Verdict, Task | None]:
    """Return what becomes of an answer, and the changed task where it changes it."""
    refused = _refused(task, actor, directory)
    if refused is not None:
        return refused, None
    problems = _problems(task, answer)
    if problems:
        return Verdict("invalid", task, problems), None
    if not task.is_open:
        return _after_the_end(task, answer), None
    if now > task.expires_at + LATE:
        over = expire(task, now)
        return Verdict("ended", over), over
    changed = _counted(task, actor, answer, now, directory)
    if changed.votes == task.votes and changed.is_open:
        return Verdict("repeated", task), None
    return Verdict("counted" if changed.is_open else "decided", changed), changed


def settle(task: Task, answer: Answer, actor: Actor, now: datetime) -> tuple[Verdict, Task | None]:
    """As `decide`, for what no person decides: events and callbacks."""
    if not task.is_open:
        return _after_the_end(task, answer), None
    if now > task.expires_at + LATE:
        over = expire(task, now)
        return Verdict("ended", over), over
    decision = Decision(
        status=answer.status,
        decided_at=now,
        decided_by=actor.name,
        comments=answer.comments,
        form=answer.form,
        via=actor.via,
    )
    changed = _ended(task, decision, Entry(now, answer.status, actor.name, actor.via))
    return Verdict("decided", changed), changed


def expire(task: Task, now: datetime) -> Task:
    """Return an open task as timed out; one that has ended stays as it is."""
    if not task.is_open:
        return task
    reason = NOBODY if now + _EARLY >= task.expires_at else "the run's time was over before"
    decision = Decision(status=TIMED_OUT, decided_at=now, timeout_reason=reason)
    return _ended(task, decision, Entry(now, TIMED_OUT, detail=reason))


def give_up(task: Task, now: datetime, reason: str) -> Task:
    """Return an open pause with the answer that its step fails."""
    decision = Decision(status=FAIL, decided_at=now, comments=reason)
    return _ended(task, decision, Entry(now, FAIL, detail=reason))


def cancel(task: Task, now: datetime, reason: str) -> Task:
    """Return an open task as cancelled; one that has ended stays as it is."""
    if not task.is_open:
        return task
    decision = Decision(status=CANCELLED, decided_at=now, comments=reason)
    return _ended(task, decision, Entry(now, CANCELLED, detail=reason))


def escalate(task: Task, level: int, now: datetime) -> Task | None:
    """Return an open task with a level of escalation claimed; None where it is not to be sent.

    Levels that an outage left out are written down, and never sent.
    """
    if not task.is_open or task.level >= level:
        return None
    missed = [
        Entry(now, "escalation_skipped", detail=f"level {one}, for level {level}")
        for one in range(task.level + 1, level)
    ]
    entry = Entry(now, "escalated", detail=f"level {level}")
    return replace(task, level=level, history=(*task.history, *missed, entry))


def _refused(task: Task, actor: Actor, directory: Directory) -> Verdict | None:
    if assignee(task, actor, directory) is None:
        return Verdict("not_yours", task)
    if task.auth == "login" and actor.via == "link":
        return Verdict("forbidden", task, ("this task is decided by people who are logged in",))
    if not task.self_approval and _is_starter(task, actor.name, directory):
        return Verdict("forbidden", task, ("whoever started the run may not decide about it",))
    return None


def _is_starter(task: Task, name: str, directory: Directory) -> bool:
    started = task.started_by
    return started is not None and directory.identity(started) == directory.identity(name)


def deciders(task: Task, directory: Directory) -> list[str]:
    """Return the assignees who may decide: all, but for whoever started the run."""
    return [
        one for one in task.people if task.self_approval or not _is_starter(task, one, directory)
    ]


def _problems(task: Task, answer: Answer) -> tuple[str, ...]:
    if answer.status not in task.answers:
        return (f"/status: must be one of {', '.join(task.answers)}",)
    if answer.comments is not None and too_long(answer.comments):
        return (f"/comments: longer than {MOST_COMMENT_BYTES} bytes",)
    if task.is_open and answer.status == APPROVED:
        return form_problems(task.form, answer.form)
    return form_problems(None, answer.form)


def _after_the_end(task: Task, answer: Answer) -> Verdict:
    if task.status in (TIMED_OUT, CANCELLED):
        return Verdict("ended", task)
    return Verdict("repeated" if task.status == answer.status else "conflict", task)


def _counted(task: Task, actor: Actor, answer: Answer, now: datetime, directory: Directory) -> Task:
    """Return the task with one more vote; a person's later vote replaces the earlier one."""
    identity = directory.identity(actor.name)
    before = task.votes.get(identity)
    if before is not None and before.status == answer.status:
        return task
    vote = Vote(actor.name, answer.status, now, answer.comments, answer.form)
    votes = {**task.votes, identity: vote}
    entry = Entry(now, answer.status, actor.name, actor.via)
    if answer.status == APPROVED and _approvals(votes) < task.quorum:
        return replace(task, votes=votes, history=(*task.history, entry))
    decision = _decision(task, votes, vote, actor)
    return _ended(replace(task, votes=votes), decision, entry)


def _approvals(votes: Mapping[str, Vote]) -> int:
    return sum(vote.status == APPROVED for vote in votes.values())


def _decision(task: Task, votes: Mapping[str, Vote], last: Vote, actor: Actor) -> Decision:
    """Return the decision that a vote completes; one no is enough, and then the only voice."""
    voices = [last]
    if last.status == APPROVED and task.quorum > 1:
        voices = [vote for vote in votes.values() if vote.status == APPROVED]
    comments = [f"{v.name}: {v.comments}" for v in voices if v.comments]
    forms = [vote.form for vote in voices if vote.form is not None]
    joined = "\n".join(comments).encode()[:MOST_COMMENT_BYTES].decode(errors="ignore")
    return Decision(
        status=last.status,
        decided_at=last.at,
        decided_by=", ".join(vote.name for vote in voices),
        comments=last.comments if len(voices) == 1 else joined or None,
        form=forms[-1] if forms else None,
        via=actor.via,
    )


def _ended(task: Task, decision: Decision, entry: Entry) -> Task:
    return replace(task, status=decision.status, decision=decision, history=(*task.history, entry))
