"""Tasks as the API tells them."""

from __future__ import annotations

from datetime import datetime

from pydantic import ConfigDict, Field

from functions.domain.people import Directory
from functions.domain.task import Decision, Entry, Notice, Task, Vote
from functions.domain.task_answers import stamp
from functions.domain.task_rules import may_decide
from functions.http.bodies import AnyJson, Moment, View
from functions.usecases.read_task import Reader
from protocol.payloads import Json


class VoteView(View):
    """One person's answer."""

    model_config = ConfigDict(title="Vote")

    by: str
    status: str
    at: Moment
    comments: str | None


class DecisionView(View):
    """How a task ended; `timed_out` and `cancelled` were nobody's decision."""

    model_config = ConfigDict(title="Decision")

    status: str
    decided_by: str | None
    decided_at: Moment
    comments: str | None
    form: AnyJson
    timeout_reason: str | None
    via: str


class NoticeView(View):
    """That somebody was told; `level` is 0 at the opening, then that of the escalation."""

    model_config = ConfigDict(title="Notice")

    at: Moment
    level: str
    to: str
    outcome: str | None
    error: str | None


class EntryView(View):
    """A line of the audit trail: who did what, and how they were known."""

    model_config = ConfigDict(title="Entry")

    at: Moment
    what: str
    by: str | None
    via: str
    detail: str | None


class TaskView(View):
    """What waits for people, or did; `may_decide` is about who asks."""

    model_config = ConfigDict(title="Task")

    task_id: str
    kind: str
    workflow_id: str
    run_id: str
    run_attempt: int
    step_id: str
    items: list[int]
    status: str
    title: str
    description: str | None
    assignees: list[str]
    answers: list[str]
    opened_at: Moment
    due_at: Moment | None
    expires_at: Moment
    overdue: bool
    quorum: int
    votes: list[VoteView]
    form: dict[str, AnyJson] | None = Field(description="The JSON Schema of what is filled in")
    decision: DecisionView | None
    started_by: str | None
    subject: AnyJson = Field(description="Of a pause: the error")
    level: int
    auth: str
    may_decide: bool
    notices: list[NoticeView]
    history: list[EntryView]


def task_view(task: Task, reader: Reader, now: datetime, directory: Directory) -> TaskView:
    """Return a task as its reader sees it."""
    place = task.place
    return TaskView(
        task_id=task.task_id,
        kind=task.kind,
        workflow_id=task.workflow_id,
        run_id=place.run_id,
        run_attempt=place.run_attempt,
        step_id=place.step_id,
        items=[*place.items],
        status=task.status,
        title=task.title,
        description=task.description,
        assignees=[*task.people],
        answers=[*task.answers],
        opened_at=stamp(task.opened_at),
        due_at=None if task.due_at is None else stamp(task.due_at),
        expires_at=stamp(task.expires_at),
        overdue=task.is_overdue(now),
        quorum=task.quorum,
        votes=[_vote(vote) for vote in task.votes.values()],
        form=None if task.form is None else dict(task.form),
        decision=None if task.decision is None else decision_view(task.decision),
        started_by=task.started_by,
        subject=task.subject,
        level=task.level,
        auth=task.auth,
        may_decide=task.is_open and may_decide(task, reader.name, directory),
        notices=[_notice(key, notice) for key, notice in task.notices.items()],
        history=[_entry(entry) for entry in task.history],
    )


def decision_view(decision: Decision) -> DecisionView:
    """Return how a task ended."""
    return DecisionView(
        status=decision.status,
        decided_by=decision.decided_by,
        decided_at=stamp(decision.decided_at),
        comments=decision.comments,
        form=decision.form,
        timeout_reason=decision.timeout_reason,
        via=decision.via,
    )


def state_of(task: Task) -> dict[str, Json]:
    """Return what a problem tells of a task: its state, and who decided."""
    decision = None if task.decision is None else decision_view(task.decision).model_dump()
    return {"task": {"task_id": task.task_id, "status": task.status}, "decision": decision}


def _vote(vote: Vote) -> VoteView:
    return VoteView(by=vote.name, status=vote.status, at=stamp(vote.at), comments=vote.comments)


def _notice(key: str, notice: Notice) -> NoticeView:
    level, _, to = key.partition("/")
    return NoticeView(
        at=stamp(notice.at), level=level, to=to, outcome=notice.outcome, error=notice.error
    )


def _entry(entry: Entry) -> EntryView:
    return EntryView(
        at=stamp(entry.at), what=entry.what, by=entry.by, via=entry.via, detail=entry.detail
    )
