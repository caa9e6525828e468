"""How a run is shown while it goes on: a line when something happens to a step."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TextIO

from cli.shown import shown

if TYPE_CHECKING:
    from cli.console import Colour
    from functions.domain.task_rules import Verdict
    from local.finished import Event
    from local.people import News, Said
    from local.record import RunRecord
    from local.timeline import Change
    from protocol.status import Rule

_COLOURS = {"good": "32", "bad": "31", "faint": "2", "strong": "1"}
_BAR = 20
_WHY = {
    "not_yours": "not among those who are asked",
    "conflict": "it is decided otherwise",
    "repeated": "it is decided so already",
    "ended": "it is over",
}


@dataclass(frozen=True, slots=True)
class Style:
    """Whether to use colour."""

    colour: bool

    @classmethod
    def of(cls, stream: TextIO, colour: Colour = "auto") -> Style:
        """Return the style for a stream: as asked for, else colour on a terminal.

        Where NO_COLOR is set, a terminal gets none either.
        """
        if colour != "auto":
            return cls(colour == "always")
        return cls(stream.isatty() and not os.environ.get("NO_COLOR"))

    def __call__(self, text: str, style: str) -> str:
        """Return the text in a style."""
        return f"\x1b[{_COLOURS[style]}m{text}\x1b[0m" if self.colour else text


class Progress:
    """Shows a run's steps while it goes on."""

    def __init__(self, rules: Mapping[str, Rule], stream: TextIO, style: Style) -> None:
        from local.timeline import Timeline

        self._timeline = Timeline()
        self._rules = rules
        self._stream = stream
        self._style = style
        self._width = max((len(step) for step in rules), default=0)
        self._items: dict[str, ItemCount] = {}
        self._has_bar = False  # a bar whose line is not at its end

    def show(self, event: Event) -> None:
        """Take an event of the execution and print what it says of a step."""
        change = self._timeline.follow(event)
        if change is None:
            return
        if change.state.endswith(".item"):
            self._item(change)
            return
        if change.state not in self._rules:
            return
        if self._rules[change.state].manual and change.what != "entered":
            return  # `tell` says what became of its task
        if change.what == "entered":
            self._line("▸", change.state, "started", "", "faint")
        elif change.what == "succeeded":
            self._line("✓", change.state, "succeeded", _took(change), "good")
        else:
            from local.record import said

            message = said(change.times.cause).split("\n", 1)[0]
            self._line("✗", change.state, "failed", f"{_took(change)}  {message}", "bad")

    def _item(self, change: Change) -> None:
        """Print how far a for_each has come: a bar on a terminal, else a line at its end."""
        step = change.state.removesuffix(".item")
        if step not in self._rules or len(change.items) != 1:
            return
        count = self._items.setdefault(step, ItemCount())
        count.take(change)
        if self._stream.isatty():
            self._stream.write(f"\r▸ {step:<{self._width}}  {count.bar()}")
            self._stream.write("\n" if count.is_idle else "")
            self._has_bar = not count.is_idle
            self._stream.flush()
        elif count.is_idle:
            self._line("▸", step, "items", count.told(), "faint")

    def tell(self, news: News) -> None:
        """Print what becomes of a task that waits for people."""
        task, step = news.task, news.task.place.step_id
        after = f"after {spoken(news.seconds)}"
        if news.what == "opened":
            self._line("◆", step, "asked", f"{', '.join(task.people)}: {task.title}", "strong")
        elif news.what == "escalated":
            self._line("◆", step, "reminded", f"{', '.join(news.told)} {after}", "strong")
            self._mails(news)
        elif news.what == "timed_out":
            told = f"; told {', '.join(news.told)}" if news.told else ""
            self._line("✗", step, "timed out", f"{after}{told}", "bad")
        elif news.said is not None and news.verdict is not None:
            self._answered(step, news.said, news.verdict, after)

    def _mails(self, news: News) -> None:
        """Print what people were sent: the subject, and what the author has them told."""
        for subject, text in dict.fromkeys((mail.subject, mail.text) for mail in news.mails):
            first = text.split("\n\n", 1)[0]
            note = () if first == news.task.title else first.splitlines()
            for line in (f"✉ {subject}", *(f"  {one}" for one in note)):
                self._stream.write(f"    {shown(line)}\n")
        self._stream.flush()

    def _answered(self, step: str, said: Said, verdict: Verdict, after: str) -> None:
        if verdict.name in ("decided", "counted"):
            good = said.status not in ("rejected", "fail")
            more = f" ({said.comments})" if said.comments else ""
            votes = "" if verdict.name == "decided" else ", more have to agree"
            what = f"by {said.by} {after}{votes}{more}"
            self._line("✓" if good else "✗", step, said.status, what, "good" if good else "bad")
            return
        why = "; ".join(verdict.problems) or _WHY.get(verdict.name, verdict.name)
        self._line("!", step, "refused", f"'{said.status}' by {said.by or 'nobody'}: {why}", "bad")

    def skipped(self, record: RunRecord) -> None:
        """Print the steps that the run did not reach."""
        for step in record["steps"]:
            if step["status"] in ("skipped", "cancelled"):
                reason = step.get("reason")
                why = f"({reason})" if reason else ""
                self._line("-", step["step_id"], step["status"], why, "faint")

    def _line(self, sign: str, step: str, what: str, more: str, style: str) -> None:
        if self._has_bar:  # of items that go on, or were cut off
            self._stream.write("\n")
            self._has_bar = False
        head = self._style(f"{sign} {step:<{self._width}}  {what:<9}", style)
        self._stream.write(f"{head}  {shown(more)}".rstrip() + "\n")
        self._stream.flush()


@dataclass(slots=True)
class ItemCount:
    """Items of a for_each by their index: those begun, and of those ended whether well."""

    begun: set[int] = field(default_factory=set)
    ended: dict[int, bool] = field(default_factory=dict)

    def take(self, change: Change) -> None:
        """Take in what happened to an item; one that is tried again is under way again."""
        index = change.items[0]
        self.begun.add(index)
        if change.what == "entered":
            self.ended.pop(index, None)
        else:
            self.ended[index] = change.what == "succeeded"

    @property
    def is_idle(self) -> bool:
        """Whether every item that has begun has ended."""
        return len(self.ended) == len(self.begun)

    def told(self) -> str:
        """Return how many have ended, and how many of them badly."""
        bad = sum(not good for good in self.ended.values())
        return f"{len(self.ended)} done" + (f", {bad} of them failed" if bad else "")

    def bar(self) -> str:
        """Return a bar of those ended among those begun."""
        full = _BAR * len(self.ended) // max(1, len(self.begun))
        return f"[{'█' * full}{'·' * (_BAR - full)}] {self.told()}"


def _took(change: Change) -> str:
    seconds = (change.at - change.began).total_seconds()
    attempt = f"  attempt {change.times.attempt}" if change.times.attempt > 1 else ""
    return f"{spoken(seconds):>8}{attempt}"


def spoken(seconds: float) -> str:
    """Return a time as people say it: `2 d 2 h`, `31.4 s`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = ((days, "d"), (hours, "h"), (minutes, "m"), (rest, "s"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number)
