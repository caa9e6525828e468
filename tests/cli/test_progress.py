"""What a local run says while it goes on."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from cli.output.progress import ItemCount, Progress, Style
from functions.domain.task import Place, Task
from local.people import Mail, News
from protocol.status import Rule
from tests.cli.calling import call, write

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
TASK = Task(
    "t", "manual", Place("r", 1, "review"), "release", NOON, NOON + timedelta(hours=72),
    "Publish?", ("approved", "rejected"),
)  # fmt: skip
SUBJECT = "Still open: Publish?"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def told(*mails: Mail) -> list[str]:
    stream = io.StringIO()
    progress = Progress({"review": Rule("review", manual=True)}, stream, Style(colour=False))
    names = tuple(mail.recipient for mail in mails)
    progress.tell(News("escalated", TASK, 48 * 3600, told=names, mails=mails))
    return stream.getvalue().splitlines()


def test_an_escalation_shows_its_mail_once_for_all_who_got_it():
    text = "Two days now\nPlease decide\n\nPublish?\n\nWorkflow: release"
    mails = [Mail(f"{name}@example.com", SUBJECT, text) for name in ("ann", "bob")]
    assert told(*mails) == [
        "◆ review  reminded   ann@example.com, bob@example.com after 2 d",
        f"    ✉ {SUBJECT}",
        "      Two days now",
        "      Please decide",
    ]


def test_nothing_of_a_title_or_a_mail_steers_the_terminal():
    """Both may be made of an event."""
    hostile = "\x1b]0;owned\x07 \u202eevil\x1b[2J"
    stream = io.StringIO()
    progress = Progress({"review": Rule("review", manual=True)}, stream, Style(colour=False))
    progress.tell(News("opened", replace(TASK, title=hostile), 0))
    mail = Mail("ann@example.com", hostile, f"{hostile}\n\nx")
    progress.tell(News("escalated", TASK, 9, told=("ann@example.com",), mails=(mail,)))
    assert "evil" in stream.getvalue()
    assert not {"\x1b", "\x07", "\u202e"} & set(stream.getvalue())


def test_a_mail_without_the_author_s_words_is_its_subject():
    mail = Mail("ann@example.com", SUBJECT, "Publish?\n\nWorkflow: release")
    assert told(mail)[1:] == [f"    ✉ {SUBJECT}"]


@pytest.mark.parametrize(
    ("colour", "stream", "coloured"),
    [
        ("auto", Terminal(), True),
        ("auto", io.StringIO(), False),
        ("always", io.StringIO(), True),
        ("never", Terminal(), False),
    ],
)
def test_colour_is_for_terminals_unless_it_is_asked_for(monkeypatch, colour, stream, coloured):
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert Style.of(stream, colour).colour is coloured


EACH = """\
name: each
steps:
  - id: patch
    for_each: [a, b, c]
    env: {HOST: "${{ item }}"}
    run: |
      if [ "$HOST" = b ]; then echo "host b is down" >&2; exit 3; fi
"""


def test_a_for_each_tells_how_many_items_are_done_and_which_failed(tmp_path):
    """The line stands for the bar that a terminal shows; the summary names each bad item."""
    file = tmp_path / "each.yaml"
    file.write_text(EACH, encoding="utf-8")
    called = call("run", file)
    assert called.code == 1
    assert "▸ patch  items      3 done, 1 of them failed" in called.err.splitlines()
    assert "  item 1: ScriptFailed: host b is down" in called.out.splitlines()


def test_a_step_that_took_days_is_not_told_in_seconds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "stepsmith.yaml", "stages: {}\n")
    write(tmp_path / "workflows/slow.yaml", "name: slow\nsteps: [{id: a, type: wait, for: 50h}]\n")
    write(
        tmp_path / "workflows/calls.yaml",
        "name: calls\nsteps: [{id: call, type: subworkflow, workflow: slow}]\n",
    )
    called = call("run", "workflows/calls.yaml")
    assert "✓ call  succeeded   2 d 2 h" in called.err.splitlines()


def test_what_follows_a_bar_that_was_cut_off_has_a_line_of_its_own():
    """Items that are under way when a for_each fails fast never end."""
    stream = Terminal()
    rules = {name: Rule(name) for name in ("patch", "tell")}
    progress = Progress(rules, stream, Style(colour=False))
    iteration = {"mapIterationStartedEventDetails": {"name": "patch", "index": 0}}
    events: list[tuple[str, dict[str, Any]]] = [
        ("MapIterationStarted", iteration),
        ("TaskStateEntered", {"stateEnteredEventDetails": {"name": "patch.item"}}),
        ("TaskStateEntered", {"stateEnteredEventDetails": {"name": "tell"}}),
    ]
    for number, (kind, details) in enumerate(events, start=1):
        previous = number - 1 if number < len(events) else 0
        about = {"id": number, "previousEventId": previous, "timestamp": NOON.isoformat()}
        progress.show({"type": kind, **about, **details})
    bar, after = stream.getvalue().rstrip("\n").split("\n")
    assert bar.endswith("0 done")
    assert after == "▸ tell   started"


def test_a_bar_grows_with_the_items_that_have_ended():
    """An item that is tried again is under way again."""
    count = ItemCount({0, 1, 2, 3}, {0: True, 1: False})
    assert count.bar() == "[██████████··········] 2 done, 1 of them failed"
    assert not count.is_idle
