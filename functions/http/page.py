"""The page of a task, as HTML: what it is about, what can be done, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Literal, TypeAlias

from functions.domain.task import (
    APPROVED,
    CANCELLED,
    FAIL,
    PENDING,
    REJECTED,
    RETRY,
    SKIP,
    TIMED_OUT,
    Task,
)
from functions.domain.task_answers import stamp
from functions.http.fields import fields
from functions.http.html import Html, Part, linked, tag
from functions.http.style import STYLE

HTML = "text/html; charset=utf-8"
Tone: TypeAlias = Literal["good", "bad", "late", "plain"]

_BUTTONS: Mapping[str, tuple[str, str, str | None]] = {
    APPROVED: ("Approve", "yes", None),
    REJECTED: ("Reject", "no", None),
    RETRY: ("Retry", "yes", "run the step again"),
    SKIP: ("Skip", "", "go on without it"),
    FAIL: ("Fail", "no", "let the step fail"),
}
"""What is on the button of an answer, how it looks, and what it does."""
_WORDS: Mapping[str, tuple[str, Tone]] = {
    PENDING: ("Waiting", "plain"),
    APPROVED: ("Approved", "good"),
    REJECTED: ("Rejected", "bad"),
    RETRY: ("To be tried again", "good"),
    SKIP: ("Skipped", "plain"),
    FAIL: ("Left to fail", "bad"),
    TIMED_OUT: ("Timed out", "late"),
    CANCELLED: ("Cancelled", "plain"),
}


@dataclass(frozen=True, slots=True)
class Hidden:
    """What a form carries beside what is filled in: the link's token, and one of its own."""

    csrf: str
    token: str = ""


@dataclass(frozen=True, slots=True)
class Sent:
    """What somebody sent that did not count: the fields, and what is wrong with them."""

    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """What is said above a task."""

    text: str
    tone: Tone = "plain"


def task_page(
    task: Task,
    person: str,
    now: datetime,
    *,
    note: Note | None = None,
    hidden: Hidden | None = None,
    sent: Sent | None = None,
    following: Sequence[str] = (),
) -> Html:
    """Return the page of a task; with `hidden` it can be decided here, by that person.

    `following` are the steps that an approval lets go on.
    """
    parts: list[Part] = [_about(task, now, note)]
    if hidden is not None:
        parts.append(_form(task, person, hidden, sent or Sent(), following))
    parts.append(_details(task, now))
    if hidden is None and task.decision is None:
        parts.append(tag("p", "You see this as ", tag("strong", person), ".", class_="who"))
    # What is read first, by those who cannot see, is the title.
    is_refused = sent is not None and bool(sent.problems or sent.others)
    return page(f"Nothing was decided: {task.title}" if is_refused else task.title, parts)


def message_page(title: str, *parts: Part) -> Html:
    """Return a page that says something, and shows no task."""
    card = tag("section", tag("h1", title), parts, class_="card")
    return page(title, [card])


def problem_page(status: int, request_id: str) -> Html:
    """Return the page for what went wrong around a task's own."""
    where = tag("p", "Request ", tag("code", request_id), class_="quiet")
    return message_page(HTTPStatus(status).phrase, tag("p", "Nothing was decided."), where)


def page(title: str, parts: Sequence[Part]) -> Html:
    """Return a whole page."""
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="robots", content="noindex"),
        tag("title", f"{title} · Stepsmith"),
        tag("link", rel="icon", href="data:,"),
        tag("style", Html(STYLE)),
    ]
    main = tag("main", tag("span", "Stepsmith", class_="brand"), parts)
    whole = tag("html", tag("head", head), tag("body", main), lang="en")
    return Html(f"<!doctype html>{whole}")


def _about(task: Task, now: datetime, note: Note | None) -> Html:
    return tag(
        "section",
        _chip(task, now),
        tag("h1", task.title),
        _asked(task, now),
        None if note is None else tag("p", note.text, class_=f"note {note.tone}", role="status"),
        _outcome(task),
        tag("p", linked(task.description), class_="text") if task.description else None,
        class_="card",
    )


def _asked(task: Task, now: datetime) -> Html:
    """Return who asks, and by when an answer is wanted."""
    starter = task.started_by or "An unknown starter"
    asks: Part = [tag("strong", starter), " asks." if task.is_open else " asked."]
    if not task.is_open:
        return tag("p", asks, class_="asked")
    if task.due_at is None:
        told: Part = [
            "Open until ",
            _moment(task.expires_at),
            f", {relative(task.expires_at, now)}.",
        ]
    elif task.is_overdue(now):
        told = ["It was due on ", _moment(task.due_at), f", {relative(task.due_at, now)}."]
    else:
        told = ["Please decide by ", _moment(task.due_at), f", {relative(task.due_at, now)}."]
    return tag("p", asks, " ", told, class_="asked")


def _chip(task: Task, now: datetime) -> Html:
    if task.is_overdue(now):
        return tag("span", "Overdue", class_="chip late")
    word, tone = _WORDS.get(task.status, (task.status, "plain"))
    return tag("span", word, class_=f"chip {tone}")


def _outcome(task: Task) -> Part:
    decision = task.decision
    if decision is None:
        return None
    word, tone = _WORDS.get(task.status, (task.status, "plain"))
    by = f" by {decision.decided_by}" if decision.decided_by else ""
    line = [f"{word}{by} on ", _moment(decision.decided_at), "."]
    reason = decision.timeout_reason
    said = decision.comments
    return [
        tag("p", line, class_=f"note {tone}"),
        tag("p", f"{reason[:1].upper()}{reason[1:]}.") if reason else None,
        tag("blockquote", said) if said else None,
    ]


def _details(task: Task, now: datetime) -> Html:
    place = task.place
    items = f", item {', '.join(str(one + 1) for one in place.items)}" if place.items else ""
    version = f", version {task.workflow_version}" if task.workflow_version else ""
    rows: list[tuple[str, Part]] = [
        ("Workflow", f"{task.workflow_id}{version}"),
        ("Run", place.run_id),
        ("Step", f"{place.step_id}{items}"),
    ]
    if task.people:
        rows.append(("Asked", ", ".join(task.people)))
    if task.quorum > 1:
        agreed = [vote.name for vote in task.votes.values() if vote.status == APPROVED]
        told = f"{task.quorum} have to agree"
        rows.append(("Needed", told + (f"; so far {', '.join(agreed)}" if agreed else "")))
    if task.is_open:
        until = [_moment(task.expires_at), f", {relative(task.expires_at, now)}"]
        rows.append(("Open until", until))
    listed = tag("dl", [[tag("dt", name), tag("dd", what)] for name, what in rows])
    return tag("section", tag("h2", "Details"), listed, class_="card")


def _what_follows(following: Sequence[str]) -> Part:
    if not following:
        return None
    steps = [tag("strong", name) for name in following]
    listed: list[Part] = [[", ", one] if at else one for at, one in enumerate(steps)]
    return tag("p", "An approval lets this go on: ", listed, ".", class_="follows")


def _form(task: Task, person: str, hidden: Hidden, sent: Sent, following: Sequence[str]) -> Html:
    asked = fields(task.form, sent.values, sent.problems)
    return tag(
        "form",
        # The first button is what the Enter key presses: this one does nothing.
        tag("button", type="submit", disabled=True, hidden=True),
        tag("input", type="hidden", name="t", value=hidden.token) if hidden.token else None,
        tag("input", type="hidden", name="csrf", value=hidden.csrf),
        tag("h2", "Your decision"),
        _wrong(sent),
        asked,
        _comment(sent),
        _what_follows(following),
        tag("div", [_button(task, answer) for answer in task.answers], class_="buttons"),
        tag(
            "p",
            "You decide as ",
            tag("strong", person),
            ", known by the link." if hidden.token else ", logged in.",
            " If that is not you, close this page." if hidden.token else None,
            class_="who",
        ),
        method="post",
        action=task.task_id,
        class_="card",
        autocomplete="off",
    )


def _wrong(sent: Sent) -> Part:
    if not sent.problems and not sent.others:
        return None
    text = "Nothing was decided. Please look at what is marked below."
    told = [tag("li", one) for one in sent.others]
    return tag(
        "div",
        "Nothing was decided." if told else text,
        tag("ul", told) if told else None,
        class_="note bad",
        role="alert",
    )


def _comment(sent: Sent) -> Html:
    text = next(iter(sent.values.get("comments", ())), "")
    about = tag("label", "Comment", tag("span", " (optional)", class_="quiet"), for_="comments")
    box = tag("textarea", text, id="comments", name="comments", rows="3", maxlength="4096")
    return tag("div", about, box, class_="field")


def _button(task: Task, answer: str) -> Html:
    word, look, does = _BUTTONS.get(answer, (answer, "", None))
    return tag(
        "button",
        word,
        tag("small", does) if does else None,
        type="submit",
        name="status",
        value=answer,
        class_=look or None,
        # What asks for a form is the approval alone.
        formnovalidate=task.form is not None and answer != APPROVED,
    )


def _moment(moment: datetime) -> Html:
    at = moment.astimezone(UTC)
    text = f"{at:%a} {at.day} {at:%b %Y, %H:%M} UTC"
    return tag("time", text, datetime=stamp(moment))


def relative(moment: datetime, now: datetime) -> str:
    """Return how far a moment is off, in a unit that fits: `in 46 hours`, `5 hours ago`."""
    seconds = (moment - now).total_seconds()
    size = abs(seconds)
    for unit, long, least in (("day", 86_400, 2), ("hour", 3600, 1), ("minute", 60, 1)):
        if size >= long * least:
            count = int(size // long)
            told = f"{count} {unit}{'' if count == 1 else 's'}"
            return f"in {told}" if seconds > 0 else f"{told} ago"
    return "now"
