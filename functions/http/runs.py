"""Runs: list, read, read their logs, cancel, resume. Whoever is logged in may."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from aws_lambda_powertools.event_handler.api_gateway import Response, Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Query

from functions.http.calls import at_hand
from functions.http.paging import Cursor, Limit, cursor_of, no_cursor, place_in
from functions.http.problems import Problem, answers, unknown
from functions.http.run_views import (
    CancelBody,
    CancelledView,
    LogLineView,
    LogView,
    ResumeBody,
    ResumeView,
    RunsView,
    RunView,
    SummaryView,
)
from functions.record_ports import LogLine, NoSuchPlace, Sought
from functions.usecases import read_run as reading
from protocol.payloads import Json

if TYPE_CHECKING:
    from functions.domain.resuming import Wishes
    from functions.usecases.reading import Reading

router = Router()
_TAGS = ["runs"]
_LONGEST_ID = 80
"""Characters of an execution's name:
https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html"""


@router.get("/api/runs", summary="List runs", tags=_TAGS, responses=answers())
def runs(
    workflow: Annotated[str, Query(description="The id of a workflow")] = "",
    status: Annotated[
        Literal["", "running", "paused", "succeeded", "failed", "cancelled"], Query()
    ] = "",
    starter: Annotated[str, Query(description="Who started it")] = "",
    q: Annotated[
        str, Query(max_length=_LONGEST_ID, description="What the id of the run begins with")
    ] = "",
    limit: Limit = 50,
    cursor: Cursor = "",
) -> RunsView:
    """Return runs, the newest first; with `q`, in the order of their ids.

    Workflows that a run called are told of in its record, and not here.
    """
    sought = Sought(workflow or None, status or None, starter or None, q or None)
    archive = _reading().archive
    try:
        page = archive.runs.listed(sought, limit, _texts(place_in(cursor)))
    except NoSuchPlace:
        raise no_cursor() from None
    return RunsView(
        items=[SummaryView(**one) for one in page.runs],
        next=cursor_of(None if page.place is None else dict(page.place)),
    )


@router.get("/api/runs/<run_id>", summary="Read a run", tags=_TAGS, responses=answers(404))
def read_run(run_id: str) -> RunView:
    """Return all that is known of a run."""
    record = reading.read_run(run_id, _reading())
    if record is None:
        raise unknown()
    return RunView.model_validate(record)


@router.get(
    "/api/runs/<run_id>/logs", summary="Read a run's log", tags=_TAGS, responses=answers(404)
)
def read_logs(
    run_id: str,
    step: Annotated[str, Query(description="The id of a step; empty: all of them")] = "",
    limit: Limit = 200,
    cursor: Cursor = "",
) -> LogView:
    """Return what the steps of a run said, the oldest first. A new line may be missing."""
    after = place_in(cursor)
    if after is not None and not isinstance(after, dict):
        raise no_cursor()
    try:
        page = reading.read_logs(run_id, step or None, (limit, after), _reading())
    except NoSuchPlace:
        raise no_cursor() from None
    if page is None:
        raise unknown()
    place = None if page.place is None else dict(page.place)
    return LogView(items=[_line(line) for line in page.lines], next=cursor_of(place))


@router.post(
    "/api/runs/<run_id>/cancel",
    summary="Cancel a run",
    tags=_TAGS,
    responses=answers(404, 409, status=202, about="It is being cancelled"),
    status_code=202,
)
def cancel_run(
    run_id: str,
    body: Annotated[CancelBody, Body()] = CancelBody(),  # noqa: B008
) -> CancelledView:
    """Stop a run, and undo what it did if that is asked for; also of one that was stopped before.

    What an action is doing at that moment it does to its end.
    """
    from functions.usecases.cancel import NotCancelled, UnknownRun, cancel  # few calls need it

    call = at_hand()
    canceller = _reading().canceller()
    try:
        item = cancel(run_id, call.caller.name, canceller, compensate=body.compensate)
    except UnknownRun:
        raise unknown() from None
    except NotCancelled as refused:
        raise Problem(409, str(refused)) from None
    return CancelledView(run_id=item.run_id, status=item.status)


@router.post(
    "/api/runs/<run_id>/resume",
    summary="Resume a run",
    tags=_TAGS,
    responses=answers(404, 409, about="What it would do (`dry_run`)")
    | {202: {"description": "It goes on, as another attempt"}},
)
def resume_run(
    run_id: str,
    body: Annotated[ResumeBody, Body()] = ResumeBody(),  # noqa: B008
) -> Response[ResumeView]:
    """Let a run that is over go on from where it failed, by the workflow as it is now."""
    from functions.usecases.resume import NotResumed, Unknown, UnknownRun, plan_resume, resume

    call = at_hand()
    resumer, wishes = _reading().resumer(), _wishes(body)
    try:
        if body.dry_run:
            planned = plan_resume(run_id, wishes, resumer)
        else:
            planned = resume(run_id, wishes, call.caller.name, resumer)
    except UnknownRun:
        raise unknown() from None
    except Unknown as refused:
        raise Problem(400, str(refused)) from None
    except NotResumed as refused:
        plan = None if refused.plan is None else refused.plan.told()
        raise Problem(409, str(refused), more={"plan": plan} if plan else {}) from None
    headers = {} if body.dry_run else {"Location": f"/api/runs/{run_id}"}
    view = ResumeView.model_validate(planned.told())
    return Response(200 if body.dry_run else 202, "application/json", view, headers)


def _wishes(body: ResumeBody) -> Wishes:
    from functions.domain.resuming import Wishes

    start = [body.start] if isinstance(body.start, str) else body.start
    done = body.done if isinstance(body.done, dict) else {step: {} for step in body.done}
    return Wishes(frozenset(start), frozenset(body.redo), {step: done[step] for step in done})


def _reading() -> Reading:
    runs = at_hand().wiring.runs
    assert runs is not None
    return runs()


def _line(line: LogLine) -> LogLineView:
    return LogLineView(
        at=line.at,
        step=line.step,
        items=[*line.items],
        attempt=line.attempt,
        level=line.level,
        stream=line.stream,
        text=line.text,
    )


def _texts(place: Json) -> Mapping[str, str] | None:
    """Return the place of a cursor of a list of runs; raises Problem for what can be none."""
    if place is None:
        return None
    if not isinstance(place, dict) or not all(isinstance(one, str) for one in place.values()):
        raise no_cursor()
    return cast("dict[str, Any]", place)
