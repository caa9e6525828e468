"""Open what waits: manual steps, pauses, waits for events, callbacks.

Every call may be repeated: the task's id follows from the step, its token is kept before the
task is looked at, and a task that has ended in the meantime has its execution woken at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeAlias

from functions.domain.arrivals import known_as, types_of
from functions.domain.errors import ValidationError
from functions.domain.moments import stamp
from functions.domain.task import (
    ANSWERS,
    DELIVERED,
    FAILED,
    PENDING,
    RETRY,
    SUCCEEDED,
    TIMED_OUT,
    Entry,
    Kind,
    Place,
    Task,
    order_of,
    task_id,
)
from functions.domain.task_links import CALLBACK
from functions.domain.task_rules import cancel, deciders, give_up
from functions.ports import Tasks
from functions.usecases.desk import Office, change
from functions.usecases.tell import News, tell
from protocol.payloads import (
    AwaitCallback,
    AwaitEvent,
    Json,
    OpenCallback,
    OpenTask,
    PauseStep,
    Run,
)

_Waiting: TypeAlias = OpenTask | PauseStep | AwaitEvent | AwaitCallback
_Opening: TypeAlias = OpenTask | PauseStep | AwaitEvent | OpenCallback

_LONGEST_TITLE = 300
_LONGEST_TEXT = 8_000
_ACTION_SECONDS = 900
"""What the action itself may take before its answer is waited for."""
MOST_RETRIES = 20
"""Times that a person may have one step tried again."""


def open_task(call: OpenTask, office: Office) -> Task:
    """Open a manual step's task and tell its assignees.

    Raises ValidationError for assignees that are none, or of whom too few may decide.
    """
    desk = office.desk
    now = desk.clock.now()
    due = call.get("due_in")
    task = replace(
        _new("manual", call, call["timeout"], now),
        title=_text(call.get("title"), _LONGEST_TITLE) or f"Decide about '{call['step']}'",
        description=_text(call.get("description"), _LONGEST_TEXT) or None,
        people=desk.directory.resolve(call["assignees"]),
        due_at=None if due is None else now + timedelta(seconds=due),
        auth=call["auth"],
        quorum=call["quorum"],
        self_approval=call["self_approval"],
        form=call.get("form"),
    )
    enough = deciders(task, desk.directory)
    if len(enough) < task.quorum:
        raise ValidationError(_too_few(task, len(enough)))
    if task.auth == "link":
        for person in enough:
            task = desk.signer.with_link(task, person, 1, task.expires_at)
    stored = _opened(task, call, office)
    return tell(stored, enough, News("opened", "0"), office)


def pause(call: PauseStep, office: Office) -> Task:
    """Open the task on which a person says what becomes of a failed step.

    The stage's approvers are asked; where there are none, the step fails.
    """
    desk = office.desk
    now = desk.clock.now()
    task = _new("pause", call, call["timeout"], now, call["entered"])
    approvers = [*desk.directory.approvers]
    task = replace(
        task,
        title=f"'{call['step']}' failed: what now?",
        description=_failure(call["error"]),
        people=desk.directory.resolve([*approvers]) if approvers else (),
        self_approval=True,  # who started a run may look after it
        subject=call["error"],
    )
    if _pauses(task, office) >= MOST_RETRIES:
        task = replace(task, answers=tuple(one for one in task.answers if one != RETRY))
    for person in task.people:
        task = desk.signer.with_link(task, person, 1, task.expires_at)
    if not task.people:
        task = give_up(task, now, "the stage has no approvers who could be asked")
    stored = _opened(task, call, office)
    return tell(stored, task.people, News("opened", "0"), office)


def _pauses(task: Task, office: Office) -> int:
    """Return how often the step was paused before, in this attempt of the run."""
    found = office.desk.tasks.of_run(task.place.run_id)
    return sum(
        one.kind == "pause" and one.place == task.place and one.task_id != task.task_id
        for one in found
    )


def await_event(call: AwaitEvent, office: Office) -> Task:
    """Open a wait for an event; one that came to nothing is opened again where it is asked for.

    A person may have said so after the time was over. It ends at once where the event is there.
    """
    tasks = office.desk.tasks
    task = _new("event", call, call["timeout"], office.desk.clock.now())
    since, started_by = _since(task, call["run"], tasks), call["run"].get("event_id")
    subject: dict[str, Json] = {
        "pattern": call["pattern"],
        "match": call.get("match"),
        "contexts": call.get("contexts", {}),
        "since": stamp(since),
        "not": None if started_by is None else known_as(started_by),
    }
    task = replace(task, subject=subject)
    # First that it waits, then the task, then what has come: whoever has an event writes it down
    # before asking who waits, so that it is seen there or here.
    tasks.waits.announce(task)
    _again(tasks, task)
    stored = _opened(task, call, office)
    types = types_of(call["pattern"])
    if not stored.is_open:
        tasks.waits.over(stored.task_id, task.opened_at)
        return stored
    if not types:
        return stored
    from functions.domain.awaited import awaited  # reads expressions, which most calls do not
    from functions.usecases.settle import deliver_kept

    deliver_kept(stored, types, since, awaited, office.desk)
    return stored


def _since(task: Task, run: Run, tasks: Tasks) -> datetime:
    """Return since when events count: the beginning of the run.

    A run of its own is told when its first attempt began; one that is called by another, of its
    later attempts only when they did: then it is when the first of its tasks was opened.
    """
    try:
        began = datetime.fromisoformat(run["started_at"])
    except ValueError:
        began = task.opened_at
    if run["attempt"] == 1:
        return began
    return min((began, *(one.opened_at for one in tasks.of_run(run["id"]))))


def _it_was(status: str) -> str:
    return f"it was {status}"


_ASK_AGAIN = frozenset({_it_was(FAILED), _it_was(TIMED_OUT)})
"""Why a callback was opened again where an outside system has to be asked again.

One that was cancelled with its run has been asked: it may answer still.
"""


def _again(tasks: Tasks, task: Task) -> Task:
    """Create a task, or open it again where it ended without a good answer."""

    def reopened(one: Task) -> Task | None:
        if one.status in (PENDING, SUCCEEDED, DELIVERED):
            return None
        entry = Entry(task.opened_at, "opened_again", detail=_it_was(one.status))
        return replace(task, version=one.version, history=(*one.history, entry))

    return change(tasks, tasks.create(task), reopened)


def open_callback(call: OpenCallback, office: Office) -> tuple[str, int | None]:
    """Open a callback; return the URL under which an outside system ends the step, and the round.

    The URL is the same for every attempt, as the step's key is, and an answer that was good
    stays. One that was not, or came too late, makes room for another, which has to be asked for:
    the round, from 2, gives the action's call another key. None: the first.
    """
    desk = office.desk
    now = desk.clock.now()
    seconds = call["timeout"] + _ACTION_SECONDS
    task = _new("callback", call, seconds, now, call.get("entered"))
    forever = datetime.max.replace(tzinfo=now.tzinfo)
    task = desk.signer.with_link(task, CALLBACK, 1, forever)
    opened = _again(desk.tasks, task)
    asked_again = sum(entry.detail in _ASK_AGAIN for entry in opened.history)
    return desk.signer.callback_url(opened), asked_again + 1 if asked_again else None


def await_callback(call: AwaitCallback, office: Office) -> Task:
    """Let a callback's answer wake the state that waits now."""
    place = Place.of(call["run"], call["step"], call.get("items"))
    task = office.desk.tasks.get(task_id("callback", place, call.get("entered")))
    if task is None:
        raise ValidationError(f"no callback of '{call['step']}' is open")
    return _opened(task, call, office)


def _opened(task: Task, call: _Waiting, office: Office) -> Task:
    """Write a task; a run that is over closes it, and one that has ended wakes its execution."""
    tasks = office.desk.tasks
    order = order_of(call["run"], call.get("entry", 0))
    office.tokens.keep(task.task_id, call["token"], order)
    stored = tasks.create(task)
    place = task.place
    if stored.is_open and tasks.has_ended(place.run_id, place.run_attempt):
        now = office.desk.clock.now()
        return change(tasks, stored, lambda one: cancel(one, now, "the run is over"))
    if not stored.is_open:
        tasks.nudge(stored.task_id)
    return stored


def _new(
    kind: Kind, call: _Opening, seconds: int, now: datetime, entered: str | None = None
) -> Task:
    run = call["run"]
    place = Place.of(run, call["step"], call.get("items"))
    return Task(
        task_id=task_id(kind, place, entered),
        kind=kind,
        place=place,
        workflow_id=run["workflow"],
        workflow_version=run["version"],
        opened_at=now,
        expires_at=now + timedelta(seconds=seconds),
        title=call["step"],
        answers=ANSWERS[kind],
        started_by=run.get("started_by"),
        history=(Entry(now, "opened"),),
    )


def _text(value: Json, longest: int) -> str:
    text = value if isinstance(value, str) else "" if value is None else str(value)
    return text.strip()[:longest]


def _failure(error: Json) -> str | None:
    told: Mapping[str, Json] = error if isinstance(error, dict) else {}
    parts = [str(told[name]) for name in ("Error", "Cause") if told.get(name)]
    return ": ".join(parts)[:_LONGEST_TEXT] or None


def _too_few(task: Task, can: int) -> str:
    if can == 0:
        return (
            "nobody can decide: only whoever started the run is asked, and may not; "
            "ask somebody else, too, or write `self_approval: true`"
        )
    return f"{task.quorum} people have to agree, and only {can} can"
