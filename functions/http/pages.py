"""The page of a task: for the holder of a link, and for who is logged in.

Looking changes nothing: mail scanners and chats look at every link. What decides is the form,
which carries the link's token and one of its own.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import parse_qs

from aws_lambda_powertools.event_handler.api_gateway import Response, Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.domain.task import APPROVED, CANCELLED, TIMED_OUT, Actor, Answer, Task
from functions.domain.task_follows import follows
from functions.domain.task_rules import Verdict, assignee, may_decide
from functions.http.calls import Call, at_hand
from functions.http.extensions import PAGE
from functions.http.form_values import Filled, filled, properties_of
from functions.http.html import Html, tag
from functions.http.page import HTML, Hidden, Note, Sent, message_page, task_page
from functions.http.style import POLICY
from functions.usecases.decide import decide
from functions.usecases.open_link import open_link
from functions.usecases.read_task import Reader, read_task

router = Router()
LOGIN = "/#/tasks/"
"""Where a person logs in to see a task: a place of the console."""
_MOST_FIELDS = 500


@dataclass(frozen=True, slots=True)
class _Visitor:
    """Who looks at a task, known by a link (its token) or a login, and whether it still holds."""

    task: Task
    actor: Actor
    token: str = ""
    holds: bool = True


@router.get("/tasks/<task_id>", include_in_schema=False, openapi_extensions=PAGE)
def look(task_id: str, t: Annotated[str, Query()] = "") -> Response[str]:
    """Show a task."""
    call = at_hand()
    visitor = _visitor(call, task_id, t)
    return _nobody(call, t, task_id) if visitor is None else _shown(call, visitor)


@router.post("/tasks/<task_id>", include_in_schema=False, openapi_extensions=PAGE)
def answer(task_id: str) -> Response[str]:
    """Decide a task with what the form sent."""
    call = at_hand()
    if call.event.media_type != "application/x-www-form-urlencoded":
        return _page(415, message_page("That was no form", _RELOAD))
    try:
        values = parse_qs(call.event.text, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:
        return _page(400, message_page("That form has too many fields", _RELOAD))
    token = _first(values, "t")
    visitor = _visitor(call, task_id, token)
    if visitor is None:
        return _nobody(call, token, task_id)
    if not _is_our_form(call, visitor, _first(values, "csrf")):
        return _page(403, message_page("Nothing was decided", _RELOAD))
    if not visitor.holds:
        return _shown(call, visitor)
    return _decided(call, visitor, values)


_RELOAD = tag("p", "This did not come from the task's own page. Open the link anew and try again.")


def _visitor(call: Call, task_id: str, token: str) -> _Visitor | None:
    desk = call.wiring.desk()
    if token:
        holder = open_link(task_id, token, desk)
        if holder is None:
            return None
        return _Visitor(holder.task, holder.actor, token, holder.holds)
    person = call.person
    if person is None:
        return None
    operates = call.wiring.operators or desk.directory.is_operator(person)
    task = read_task(task_id, Reader(person, operates), desk)
    return None if task is None else _Visitor(task, Actor(person, "login"))


def _nobody(call: Call, token: str, task_id: str) -> Response[str]:
    """Return the page for who is unknown, the same for tasks that are there and that are not."""
    if token or call.person is not None:
        text = (
            "It may have been replaced by a newer one, or the task was given to somebody else. "
            "Look for a newer mail."
        )
        return _page(404, message_page("This link does not work", tag("p", text)))
    place = LOGIN + task_id
    button = tag("a", "Log in", href=place, class_="button")
    text = "Open the link in your mail, or log in to see what waits for you."
    return _page(401, message_page("Who are you?", tag("p", text), tag("p", button)))


def _shown(
    call: Call,
    visitor: _Visitor,
    *,
    status: int | None = None,
    note: Note | None = None,
    sent: Sent | None = None,
) -> Response[str]:
    task, desk = visitor.task, call.wiring.desk()
    can = visitor.holds and task.is_open and _may(call, visitor)
    if not visitor.holds and task.is_open:
        note = Note("The time to decide is over.", "late")
    elif note is None and task.is_open and not can:
        note = _why_not(call, visitor)
    is_over = not visitor.holds or task.status in (TIMED_OUT, CANCELLED)
    html = task_page(
        task,
        visitor.actor.name,
        desk.clock.now(),
        note=note,
        hidden=Hidden(_csrf(call, visitor), visitor.token) if can else None,
        sent=sent,
        following=_following(call, task) if can else (),
    )
    return _page(status or (410 if is_over else 200), html)


def _following(call: Call, task: Task) -> tuple[str, ...]:
    """Return what an approval lets go on, as the version deployed now has it."""
    if APPROVED not in task.answers:
        return ()
    reference = f"{task.workflow_id}@{task.workflow_version}"
    manifest = call.wiring.manifests().current(
        reference if task.workflow_version else task.workflow_id
    )
    return () if manifest is None else follows(manifest, task.place.step_id)


def _may(call: Call, visitor: _Visitor) -> bool:
    directory = call.wiring.desk().directory
    if visitor.task.auth == "login" and visitor.actor.via == "link":
        return False
    return may_decide(visitor.task, visitor.actor.name, directory)


def _why_not(call: Call, visitor: _Visitor) -> Note:
    directory = call.wiring.desk().directory
    if assignee(visitor.task, visitor.actor, directory) is None:
        return Note("You can look at this task; others decide it.")
    if visitor.actor.via == "link" and visitor.task.auth == "login":
        return Note("Log in to decide this task.")
    return Note("You started this run, so somebody else has to decide.")


def _decided(call: Call, visitor: _Visitor, values: Mapping[str, Sequence[str]]) -> Response[str]:
    """Decide, and show what became of it."""
    task, desk = visitor.task, call.wiring.desk()
    status = _first(values, "status")
    form = filled(task.form, values) if status == APPROVED else Filled()
    if form.problems and task.is_open:
        return _shown(call, visitor, status=400, sent=Sent(values, form.problems))
    comments = _first(values, "comments").replace("\r\n", "\n").strip() or None
    has_form = status == APPROVED and task.form is not None
    said = Answer(status, comments, form.form if has_form else None)
    verdict = decide(task.task_id, visitor.actor, said, desk)
    now = _Visitor(verdict.task or task, visitor.actor, visitor.token)
    return _told(call, now, verdict, values)


def _told(
    call: Call, visitor: _Visitor, verdict: Verdict, values: Mapping[str, Sequence[str]]
) -> Response[str]:
    task = visitor.task
    match verdict.name:
        case "decided":
            return _shown(call, visitor, note=Note("Thank you. Your decision counts.", "good"))
        case "counted":
            note = Note("Thank you. Your vote counts, and more are needed.", "good")
            return _shown(call, visitor, note=note)
        case "repeated":
            return _shown(call, visitor, note=Note("This was your answer, or is the same."))
        case "conflict":
            note = Note("It was decided already: your answer came too late.", "late")
            return _shown(call, visitor, status=409, note=note)
        case "ended":
            return _shown(
                call, visitor, status=410, note=Note("Your answer came too late.", "late")
            )
        case "forbidden":
            return _shown(call, visitor, status=403)
        case "invalid":
            return _shown(call, visitor, status=400, sent=_wrong(task, verdict.problems, values))
        case "not_yours" | "unknown":
            return _nobody(call, visitor.token or "-", task.task_id)


def _wrong(task: Task, problems: Sequence[str], values: Mapping[str, Sequence[str]]) -> Sent:
    """Return what was sent, with each problem at its field where it has one."""
    known = properties_of(task.form)
    at: dict[str, str] = {}
    others = []
    for problem in problems:
        pointer, _, text = problem.partition(": ")
        name = pointer.removeprefix("/form/").partition("/")[0]
        name = name.replace("~1", "/").replace("~0", "~")
        if pointer.startswith("/form/") and name in known:
            at.setdefault(name, text)
        else:
            others.append(f"{pointer.strip('/')}: {text}" if text else problem)
    return Sent(values, at, tuple(others))


def _is_our_form(call: Call, visitor: _Visitor, csrf: str) -> bool:
    if str(call.event.headers.get("sec-fetch-site") or "") in ("cross-site", "same-site"):
        return False
    return hmac.compare_digest(_csrf(call, visitor).encode(), csrf.encode(errors="replace"))


def _csrf(call: Call, visitor: _Visitor) -> str:
    return call.wiring.desk().signer.form_token(visitor.task, visitor.actor)


def _first(values: Mapping[str, Sequence[str]], name: str) -> str:
    return next(iter(values.get(name, ())), "")


def _page(status: int, html: Html) -> Response[str]:
    return Response(status, HTML, html, {"Content-Security-Policy": POLICY})
