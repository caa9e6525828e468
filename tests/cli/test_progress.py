"""What a local run says while it goes on."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta

import pytest

from cli.progress import ItemCount, Progress, Style
from functions.domain.task import Place, Task
from local.people import Mail, News
from protocol.status import Rule
from tests.cli.calling import call

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


def test_a_bar_grows_with_the_items_that_have_ended():
    """An item that is tried again is under way again."""
    count = ItemCount({0, 1, 2, 3}, {0: True, 1: False})
    assert count.bar() == "[██████████··········] 2 done, 1 of them failed"
    assert not count.is_idle
