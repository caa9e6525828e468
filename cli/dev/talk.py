"""What `stepsmith dev` says: where it is, what becomes of runs, whom it would have written to."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cli.output.progress import Style
from cli.output.units import meant
from cli.shown import shown
from functions.domain.records.said import said
from protocol.names import STARTED_BY

if TYPE_CHECKING:
    from cli.console import Console
    from cli.here.addresses import Address
    from cli.here.workflows import Read
    from functions.domain.events import Event
    from functions.domain.task_messages import Message
    from local.people import News
    from local.stage.setting import Setting
    from local.stage.stage import Stage

_PASSES = {
    "real": "as on the wall",
    "fast": "as soon as nothing runs; while people are asked, an hour a second",
    "jumping": "as soon as nothing runs",
}
_ID = 12
_ENDS = {
    "SUCCEEDED": ("✓", "succeeded", "good"),
    "FAILED": ("✗", "failed", "bad"),
    "TIMED_OUT": ("✗", "timed out", "bad"),
    "ABORTED": ("✗", "was cancelled", "bad"),
}


class Talk:
    """Lines on standard output, each with the time of the workflows."""

    def __init__(self, console: Console, *, fast: bool = False) -> None:
        self._console = console
        self._style = Style(console.colours(console.stdout))
        self._fast = fast
        self._lock = threading.Lock()
        self._stage: Stage | None = None

    def follow(self, stage: Stage) -> None:
        """Tell what becomes of a stage's runs."""
        self._stage = stage
        stage.engine.listen(self._changed)

    def up(self, url: str, person: str, read: Read, setting: Setting) -> None:
        """Say where what is served, and to whom."""
        served = _counted(len(read.workflows), "workflow")
        self._write(f"{self._style(url, 'strong')}  {served}, their runs and tasks")
        self._write(f"  you are {person}; be somebody else: {url}/dev/login")
        self._write(f"  steps work on copies of {setting.source}")
        self._write(f"  time passes {_PASSES[setting.pace]}")
        self._write("  Ctrl-C ends it")

    def not_alone(self, other: Address) -> None:
        """Say that another process serves this project."""
        self._write(f"  commands talk to the one at {other.url}, which was here before")

    def read_again(self, read: Read) -> None:
        """Say that files have been read again."""
        left = ", those with mistakes as they were" if read.mistakes else ""
        self._line("↻", f"{_counted(len(read.workflows), 'workflow')}{left}", "faint")

    def mistakes(self, text: str) -> None:
        """Show what is wrong with files."""
        if text:
            with self._lock:
                self._console.stderr.write(text)
                self._console.stderr.flush()

    def mail(self, message: Message) -> None:
        """Show a mail, with its link."""
        where = message.link or message.page
        self._line("✉", f"{message.recipient}: {message.subject}  {where}", "strong")

    def news(self, news: News) -> None:
        """Tell of a task: what was said to it."""
        task = news.task
        if news.what == "timed_out":
            self._line("◆", f"{task.place.run_id}: '{task.place.step_id}' timed out", "bad")

    def refused(self, event: Event) -> None:
        """Tell of an event that its workflow does not take, and why."""
        problems = [f"{one['pointer']}: {one['detail']}".lstrip(": ") for one in event.problems]
        by = f"{event.workflow_id}.{event.trigger}"
        # By what `stepsmith events show` finds it; a full id would fill half of the line.
        told = f"event {event.event_id[:_ID]} was rejected by {by}: {'; '.join(problems)}"
        self._line("✗", told, "bad")

    def unheard(self, name: str, near: Sequence[str]) -> None:
        """Tell of an event that nobody listens to; `near` are names that may be meant."""
        self._line("-", f"no workflow listens to the event '{name}'{meant(near)}", "faint")

    def fault(self, text: str) -> None:
        """Tell of what a function could not do."""
        self._line("!", text, "bad")

    def end(self) -> None:
        """Say that it is over."""
        self._write("stopping; running scripts are ended")

    def _changed(self, event: Mapping[str, Any]) -> None:
        detail = event["detail"]
        name, status = detail["name"], detail["status"]
        if name.endswith("-close") or _is_child(detail):
            return
        if status == "RUNNING":
            self._line("▸", f"{name} started", "faint")
            return
        sign, what, style = _ENDS[status]
        self._line(sign, f"{name} {what}{_why(detail)}", style)

    def _line(self, sign: str, text: str, style: str) -> None:
        self._write(f"{self._time()} {self._style(sign, style)} {shown(text)}")

    def _time(self) -> str:
        assert self._stage is not None
        now = self._stage.clock.now().astimezone()
        return now.strftime("%d %b %H:%M:%S" if self._fast else "%H:%M:%S")

    def _write(self, text: str) -> None:
        with self._lock:
            self._console.stdout.write(f"{text}\n")
            self._console.stdout.flush()


def _is_child(detail: Mapping[str, Any]) -> bool:
    given = json.loads(detail["input"] or "{}")
    return isinstance(given, dict) and STARTED_BY in given


def _why(detail: Mapping[str, Any]) -> str:
    """Return what failed: the first of the failed steps with its message, or else the cause."""
    cause = detail.get("cause") or ""
    try:
        told = json.loads(cause)
    except ValueError:
        told = None
    text = _failed(told) if isinstance(told, dict) else _first_line(cause)
    return f": {text}" if text else ""


def _failed(told: Mapping[str, Any]) -> str:
    details = told.get("details") or [{}]
    step, message = details[0].get("step_id"), details[0].get("message")
    if not (step and message):
        return _first_line(told.get("message"))
    more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    return f"{step}: {_first_line(said(message))}{more}"


def _first_line(text: str | None) -> str:
    return (text or "").split("\n", 1)[0]


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
