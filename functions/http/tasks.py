"""Tasks: list, read, decide, reassign, make links.

Who is asked, has voted or started the run sees a task, and operators of the stage see all. For
everybody else it is not there.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Query
from pydantic import ConfigDict, Field

from functions.api_ports import Listed
from functions.domain.task import CANCELLED, TIMED_OUT, Answer, Task
from functions.domain.task_answers import stamp
from functions.domain.task_rules import Verdict
from functions.http.bodies import BodyModel, Moment, View
from functions.http.calls import at_hand
from functions.http.paging import Cursor, Limit, cursor_of, no_cursor, place_in
from functions.http.problems import Problem, answers, faults_of, unknown
from functions.http.task_views import TaskView, state_of, task_view
from functions.usecases import read_task as reading
from functions.usecases.decide import decide
from functions.usecases.read_task import Reader, Wanted, list_tasks
from functions.usecases.reassign import Handover, make_link, reassign, tell_reassigned

router = Router()
_TAGS = ["tasks"]
_DUE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_ID = re.compile(r"[0-9a-f]{32}")


class TasksView(View):
    """A page of tasks."""

    model_config = ConfigDict(title="Tasks")

    items: list[TaskView]
    next: str | None = Field(description="The cursor of the next page")


class DecidedView(TaskView):
    """A task behind an answer to it."""

    model_config = ConfigDict(title="DecidedTask")

    counted: bool = Field(description="The answer is a vote, and more are needed")


class DecideBody(BodyModel):
    """An answer to a task."""

    model_config = ConfigDict(title="Answer")

    status: str = Field(description="One of the task's `answers`, such as approved or rejected")
    comments: str | None = None
    form: Any = Field(default=None, description="What the task's `form` asks for")


class ReassignBody(BodyModel):
    """Who is asked from now on."""

    model_config = ConfigDict(title="Reassignment", populate_by_name=True)

    to: list[str] = Field(description="Mail addresses, or `group:NAME`", max_length=200)
    reason: str = Field(min_length=1, max_length=500)
    of: str | None = Field(
        default=None, alias="from", description="Whom they replace; without it, all assignees"
    )


class LinkBody(BodyModel):
    """Whose link it is."""

    model_config = ConfigDict(title="LinkWanted", populate_by_name=True)

    person: str = Field(alias="for", description="The mail address of an assignee")


class LinkView(View):
    """A link by which its holder decides as that person; those made before are void."""

    model_config = ConfigDict(title="Link")

    url: str
    expires_at: Moment


@router.get("/api/tasks", summary="List tasks", tags=_TAGS, responses=answers())
def tasks(
    mine: Annotated[bool, Query(description="Only those that you are asked to decide")] = False,
    status: Annotated[Literal["open", "closed", "all"], Query()] = "all",
    overdue: Annotated[bool, Query(description="Only those due before now")] = False,
    workflow: Annotated[str, Query(description="The id of a workflow")] = "",
    run: Annotated[str, Query(description="The id of a run")] = "",
    limit: Limit = 50,
    cursor: Cursor = "",
) -> TasksView:
    """Return the tasks you may see: open ones first, those due first ahead, then closed ones."""
    call = at_hand()
    desk, reader = call.wiring.desk(), _reader()
    wanted = Wanted(
        mine=mine,
        is_open=None if status == "all" else status == "open",
        overdue=overdue,
        workflow=workflow or None,
        run=run or None,
    )
    shelf = reading.Shelf(desk, call.wiring.task_list())
    page = list_tasks(wanted, reader, _listed(cursor), limit, shelf)
    rest = page.rest
    return TasksView(
        items=[_view(task) for task in page.tasks],
        next=cursor_of(None if rest is None else [rest.is_open, rest.due, rest.task_id]),
    )


@router.get("/api/tasks/<task_id>", summary="Read a task", tags=_TAGS, responses=answers(404))
def read_task(task_id: str) -> TaskView:
    """Return a task with its audit trail."""
    task = reading.read_task(task_id, _reader(), at_hand().wiring.desk())
    if task is None:
        raise unknown()
    return _view(task)


@router.post(
    "/api/tasks/<task_id>/status",
    summary="Decide a task",
    tags=_TAGS,
    responses=answers(403, 404, 409, 410),
)
def decide_task(task_id: str, body: Annotated[DecideBody, Body()]) -> DecidedView:
    """Decide a task, or vote. The same answer again is fine, another one is a conflict."""
    call = at_hand()
    answer = Answer(body.status, body.comments, body.form)
    verdict = decide(task_id, call.caller, answer, call.wiring.desk())
    view = _view(_done(verdict))
    return DecidedView(**dict(view), counted=verdict.name == "counted")


@router.post(
    "/api/tasks/<task_id>/reassign",
    summary="Give a task to others",
    tags=_TAGS,
    responses=answers(403, 404, 409, 410),
)
def reassign_task(task_id: str, body: Annotated[ReassignBody, Body()]) -> TaskView:
    """Ask other people instead. Links made before are void, and the new people are told.

    Where several have to agree, you hand on your own part (`from`) to one person.
    """
    call = at_hand()
    handover = Handover([*body.to], body.reason, body.of)
    operates = _reader().is_operator
    verdict = reassign(task_id, handover, call.caller, call.wiring.desk(), is_operator=operates)
    return _view(tell_reassigned(_done(verdict), call.wiring.teller()))


@router.post(
    "/api/tasks/<task_id>/link",
    summary="Make a link",
    tags=_TAGS,
    responses=answers(403, 404, 409, 410),
)
def link(task_id: str, body: Annotated[LinkBody, Body()]) -> LinkView:
    """Make a fresh link for yourself, or as an operator for any assignee; earlier ones are void."""
    call = at_hand()
    verdict, url = make_link(
        task_id,
        body.person,
        call.caller,
        call.wiring.desk(),
        is_operator=_reader().is_operator,
    )
    task = _done(verdict)
    return LinkView(url=url or "", expires_at=stamp(task.expires_at))


def problem_of(verdict: Verdict) -> Problem | None:
    """Return what is told of a wish that was not granted; None for one that was."""
    task = verdict.task
    if task is None or verdict.name in ("unknown", "not_yours"):
        return unknown()
    if verdict.name == "invalid":
        return Problem(400, "that is no answer to it", faults=faults_of(verdict.problems))
    if verdict.name == "forbidden":
        return Problem(403, " ".join(verdict.problems))
    if verdict.name == "conflict" or (verdict.name == "ended" and not _is_over(task)):
        by = task.decision.decided_by if task.decision else None
        return Problem(409, f"it was {task.status} by {by or 'nobody'}", more=state_of(task))
    if verdict.name == "ended":
        said = "timed out" if task.status == TIMED_OUT else "was cancelled"
        return Problem(410, f"the task {said}", more=state_of(task))
    return None


def _is_over(task: Task) -> bool:
    return task.status in (TIMED_OUT, CANCELLED)


def _done(verdict: Verdict) -> Task:
    problem = problem_of(verdict)
    if problem is not None:
        raise problem
    assert verdict.task is not None
    return verdict.task


def _reader() -> Reader:
    call = at_hand()
    name = call.caller.name
    wiring = call.wiring
    return Reader(name, wiring.operators or wiring.desk().directory.is_operator(name))


def _view(task: Task) -> TaskView:
    desk = at_hand().wiring.desk()
    return task_view(task, _reader(), desk.clock.now(), desk.directory)


def _listed(cursor: str) -> Listed | None:
    match place_in(cursor):
        case None:
            return None
        case [bool(is_open), str(due), str(task_id)] if (due, task_id) == ("", "") or (
            _DUE.fullmatch(due) and _ID.fullmatch(task_id)
        ):
            return Listed(is_open, due, task_id)
        case _:
            raise no_cursor()
