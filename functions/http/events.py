"""Events: webhooks, publishing, and what became of each event.

Webhooks know their senders by signatures; for all else one has to be logged in.
"""

from __future__ import annotations

import re
import uuid
from typing import Annotated, Any, Literal, TypeAlias

from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Query
from pydantic import ConfigDict, Field

from functions.domain.events import DEAD, IGNORED, REJECTED, Event, Sought
from functions.domain.inputs import Problem as Wrong
from functions.domain.listening import hears, near
from functions.domain.moments import stamp
from functions.http.bodies import BodyModel, IdempotencyKey, Moment, View
from functions.http.calls import at_hand
from functions.http.extensions import BODY_LIMIT, PUBLIC
from functions.http.paging import Cursor, Limit, cursor_of, no_cursor, place_in
from functions.http.problems import Fault, Problem, answers, unknown
from functions.usecases.claim import Held
from functions.usecases.replay import NotReplayed, find_event, replay
from functions.usecases.triggers import UnknownTrigger, current_patterns
from functions.usecases.webhooks import (
    Door,
    NoSecret,
    NotGenuine,
    Posted,
    Rejected,
    Unreadable,
    receive_webhook,
)

router = Router()
_TAGS = ["events"]
_MOST_POSTED = 5_000_000
"""Bytes of a webhook. Lambda takes calls of 6 MB, in which the body is escaped:
https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html"""
_MOST_PUBLISHED = 200_000
"""Bytes of an event to publish. An event may have 256 KB with what EventBridge adds, and
1 MB of late: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html"""
_ID = re.compile(r"[0-9a-f]{32}(-\d{1,9})?")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


Outcome: TypeAlias = Literal[
    "claimed", "started", "ignored", "rejected", "waiting", "failed", "dead", "duplicate"
]


class TakenView(View):
    """What becomes of a webhook."""

    model_config = ConfigDict(title="WebhookTaken")

    event_id: str
    outcome: Literal["queued", "ignored", "ping"]


class PublishBody(BodyModel):
    """An event for the stage's bus."""

    model_config = ConfigDict(title="Publication")

    event: str = Field(min_length=1, max_length=128, description="Its name, such as user.signup")
    payload: Any = Field(default_factory=dict)
    id: str | None = Field(
        default=None, min_length=1, max_length=200, description="Two with one id are one event"
    )


class PublishedView(View):
    """An event was published."""

    model_config = ConfigDict(title="Published")

    event_id: str
    heard: bool = Field(description="Whether a trigger or a wait asks for events of its name")
    near: list[str] = Field(
        default_factory=list, description="Where none does: names that may have been meant"
    )


class ProblemView(View):
    """Why an event starts nothing; `pointer` is a JSON pointer into the workflow's inputs."""

    model_config = ConfigDict(title="EventProblem")

    pointer: str
    detail: str


class EventView(View):
    """An event at a trigger, and what became of it."""

    model_config = ConfigDict(title="Event")

    event_id: str
    source_id: str = Field(description="Its own identity, which its run knows it by")
    key: str = Field(description="By what it counts as one with others; empty: it reserves none")
    workflow_id: str | None
    trigger: str | None
    type: str | None
    outcome: str
    received_at: Moment
    deliveries: int = Field(description="How often it came; more than 1: duplicates")
    run_id: str | None
    problems: list[ProblemView]
    error: str | None
    replay_of: str | None


class WholeEventView(EventView):
    """An event with what was sent."""

    model_config = ConfigDict(title="WholeEvent")

    event: Any
    headers: dict[str, str]
    source: str


class EventsView(View):
    """A page of events."""

    model_config = ConfigDict(title="Events")

    items: list[EventView]
    next: str | None = Field(description="The cursor of the next page")


class ReplayedView(View):
    """The event that was started again."""

    model_config = ConfigDict(title="Replayed")

    event_id: str
    run_id: str | None
    outcome: str


@router.post(
    "/api/webhooks/<trigger>",
    summary="Send a webhook",
    tags=_TAGS,
    responses=answers(
        400, 401, 404, 503, status=202, about="It is in the queue, or starts nothing"
    ),
    status_code=202,
    openapi_extensions={**PUBLIC, BODY_LIMIT: _MOST_POSTED},
)
def webhook(trigger: str) -> TakenView:
    """Take a webhook for a trigger, by its name or `WORKFLOW.NAME`."""
    call = at_hand()
    source = str(call.event.request_context.http.source_ip or "")
    post = Posted(call.event.raw, dict(call.event.headers), call.request_id, source)
    try:
        event_id, outcome = receive_webhook(trigger, post, call.wiring.door())
    except UnknownTrigger:
        raise unknown() from None
    except NoSecret as error:
        # The secret's name is for those who operate the stage: anybody can call this.
        call.wiring.log().lacking(call.request_id, f"/api/webhooks/{trigger}", str(error))
        detail = (
            "the stage does not have the secret of this webhook, so nothing is let in; whoever "
            "operates it has to store it, and finds its name in the log under the request id"
        )
        more = {"request_id": call.request_id}
        raise Problem(503, detail, kind="no-secret", more=more) from None
    except NotGenuine:
        raise Problem(401, "the signature is missing or wrong", kind="not-genuine") from None
    except Unreadable as error:
        raise Problem(400, str(error)) from None
    except Rejected as error:
        raise _rejected(error.problems, error.event_id) from None
    return TakenView(event_id=event_id, outcome=outcome)


@router.post(
    "/api/events",
    summary="Publish an event",
    tags=_TAGS,
    responses=answers(status=202, about="It is on the bus"),
    status_code=202,
    openapi_extensions={BODY_LIMIT: _MOST_PUBLISHED},
)
def publish(body: Annotated[PublishBody, Body()]) -> PublishedView:
    """Publish an event on the stage's bus, as a step of the type `publish` does.

    Whoever publishes it has started the runs that it starts.
    """
    caller, event_id = at_hand().caller.name, body.id or str(uuid.uuid4())
    detail = {"event_id": event_id, "payload": body.payload, "started_by": caller}
    door = _door()
    door.bus.publish(body.event, detail)
    asked = [*current_patterns(door.gate.manifests)]
    heard = any(hears(pattern, body.event) for pattern in asked)
    return PublishedView(
        event_id=event_id, heard=heard, near=[] if heard else near(body.event, asked)
    )


@router.get("/api/events", summary="List events", tags=_TAGS, responses=answers())
def events(
    outcome: Annotated[Outcome | Literal[""], Query(description="What became of them")] = "",
    workflow: Annotated[str, Query(description="The id of a workflow")] = "",
    duplicates: Annotated[bool, Query(description="Only those that came more than once")] = False,
    dead: Annotated[bool, Query(description="Only those that the queue has given up")] = False,
    limit: Limit = 50,
    cursor: Cursor = "",
) -> EventsView:
    """Return events, the newest first. A page may be short although there are more."""
    _ = at_hand().caller
    sought = Sought(
        workflow_id=workflow or None,
        outcome=DEAD if dead else outcome if outcome not in ("", "duplicate") else None,
        duplicates=duplicates or outcome == "duplicate",
    )
    page = _door().gate.events.listed(sought, limit, _place(cursor))
    place = None if page.place is None else [*page.place]
    return EventsView(
        items=[EventView(**_fields(one)) for one in page.events], next=cursor_of(place)
    )


@router.get("/api/events/<event>", summary="Read an event", tags=_TAGS, responses=answers(404))
def event(event: str) -> WholeEventView:
    """Return an event, by its id or by its own identity, with what was sent."""
    found = _found(event)
    sent = found.sent
    body = None if sent is None else sent.body
    if found.kept is not None:
        body = _door().gate.bodies.get(found.kept)
    return WholeEventView(
        **_fields(found),
        event=body,
        headers={} if sent is None else dict(sent.headers),
        source="" if sent is None else sent.source,
    )


@router.post(
    "/api/events/<event>/replay",
    summary="Replay an event",
    tags=_TAGS,
    responses=answers(400, 404, 409, status=202, about="Its run has started"),
    status_code=202,
)
def replay_event(event: str, key: IdempotencyKey = "") -> ReplayedView:
    """Start the run of an event: its own, if it has had none, else one that repeats it."""
    found = _found(event)
    try:
        done = replay(found, key or uuid.uuid4().hex, _door().gate)
    except NotReplayed as error:
        raise Problem(409, str(error)) from None
    except Held:
        detail = "its run is about to be started; ask again in a moment"
        raise Problem(409, detail, kind="in-progress", headers={"Retry-After": "1"}) from None
    if done.outcome == REJECTED:
        raise _rejected(done.problems, done.event_id)
    if done.outcome == IGNORED:
        raise Problem(409, done.problems[0]["detail"] if done.problems else "it is not asked for")
    return ReplayedView(event_id=done.event_id, run_id=done.run_id, outcome=done.outcome)


def _door() -> Door:
    return at_hand().wiring.door()


def _found(name: str) -> Event:
    _ = at_hand().caller
    found = find_event(name, _door().gate)
    if found is None:
        raise unknown()
    return found


def _place(cursor: str) -> tuple[str, str] | None:
    match place_in(cursor):
        case None:
            return None
        case [str() as event_id, str() as at] if _ID.fullmatch(event_id) and _TIME.fullmatch(at):
            return event_id, at
        case _:
            raise no_cursor()


def _rejected(problems: tuple[Wrong, ...], event_id: str) -> Problem:
    faults = [Fault(one["detail"], pointer=one["pointer"]) for one in problems]
    detail = "the event is not as the workflow's contract says"
    return Problem(400, detail, faults=faults, more={"event_id": event_id})


def _fields(one: Event) -> dict[str, Any]:
    return {
        "event_id": one.event_id,
        "source_id": one.source_id,
        "key": one.key,
        "workflow_id": one.workflow_id or None,
        "trigger": one.trigger or None,
        "type": one.type or None,
        "outcome": one.outcome,
        "received_at": stamp(one.received_at),
        "deliveries": one.deliveries,
        "run_id": one.run_id,
        "problems": [ProblemView(**problem) for problem in one.problems],
        "error": one.error,
        "replay_of": one.replay_of,
    }
