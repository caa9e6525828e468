"""Decisions on the command line and at the prompt."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from cli.console import Misuse
from cli.running.decisions import Prompt, read_decisions
from functions.domain.task import ANSWERS, Place, Task
from local.people import Said
from protocol.payloads import Json
from protocol.status import Rule

RULES = {"review": Rule("review", manual=True), "build": Rule("build")}
NOW = datetime(2026, 11, 30, tzinfo=UTC)
TASK = Task(
    "t", "manual", Place("r", 1, "review"), "w", NOW, NOW + timedelta(days=3), "Review staging",
    ANSWERS["manual"],
)  # fmt: skip


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("review=approved", Said("approved", "me@x.y")),
        ("review=rejected:bob@x.y", Said("rejected", "bob@x.y")),
        ("review=approved:bob@x.y:50h", Said("approved", "bob@x.y", after=180_000.0)),
        ("review=approved::30m", Said("approved", "me@x.y", after=1800.0)),
        ("build=retry", Said("retry", "me@x.y")),
    ],
)
def test_a_decision_names_who_and_when(written, said):
    step = written.partition("=")[0]
    assert read_decisions([written], RULES, "me@x.y") == {step: (said,)}


def test_several_decisions_of_a_step_are_made_in_turn():
    found = read_decisions(["build=retry", "build=fail"], RULES, None)
    assert [one.status for one in found["build"]] == ["retry", "fail"]


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("review", "STEP=STATUS"),
        ("revue=approved", "did you mean 'review'"),
        ("review=yes", "approved, rejected"),
        ("review=retry", "approved, rejected"),
        ("build=approved", "retry, skip, fail"),
        ("review=approved:bob", "no mail address"),
        ("review=approved:50h", "STATUS:PERSON:AFTER"),
        ("review=approved::soon", "'soon' is not a duration; write a number with its unit"),
        ("review=approved::2x", "'2x' is not a duration; write a number with its unit: 30s"),
        ("review=approved::999d", "'999d' is longer than a year, .*; at most 365d"),
    ],
)
def test_what_cannot_be_a_decision_is_refused_with_what_to_write(written, told):
    with pytest.raises(Misuse, match=told):
        read_decisions([written], RULES, None)


def test_all_that_is_wrong_with_decisions_is_told_at_once():
    wrong = ["review", "revue=approved", "review=yes:bob:2x", "build=retry", "revue=rejected"]
    with pytest.raises(Misuse) as refused:
        read_decisions(wrong, RULES, None)
    assert [line.partition(";")[0] for line in str(refused.value).splitlines()] == [
        "--decide review: write STEP=STATUS, as review=approved",
        "--decide: the workflow has no step 'revue'",
        "--decide review=yes:bob:2x: 'yes' is none of approved, rejected",
        "--decide review=yes:bob:2x: 'bob' is no mail address",
        "--decide review=yes:bob:2x: '2x' is not a duration",
    ]


@pytest.fixture
def typed(tmp_path):
    """Return what is said at the prompt when a text is typed, and what is asked."""

    def type_(text: str, task: Task = TASK) -> tuple[Said | None, str]:
        reading, writing = os.pipe()
        os.write(writing, text.encode())
        os.close(writing)
        shown = tmp_path / "shown"
        with os.fdopen(reading) as stdin, shown.open("w") as stream:
            said = Prompt(stdin, stream, "me@x.y").ask(task)
        return said, shown.read_text()

    return type_


@pytest.mark.parametrize("word", ["a", "approve", "APPROVED"])
def test_a_word_or_its_first_letter_decides(typed, word):
    said, shown = typed(f"{word}\nlooks fine\n")
    assert said == Said("approved", "me@x.y", "looks fine")
    assert "Review staging" in shown


def test_nothing_of_a_title_steers_the_terminal(typed):
    hostile = "\x1b]0;owned\x07 \u202eevil\x1b[2J"
    _, shown = typed("o\n", replace(TASK, title=hostile, description=f"one\n{hostile}"))
    assert shown.count("evil") == 2
    assert "\none\n" in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


def test_what_is_no_answer_is_asked_again(typed):
    assert typed("what?\n\nyes\nr\n\n")[0] == Said("rejected", "me@x.y")


@pytest.mark.parametrize("text", ["o\n", "open\n", "", "x\n"])
def test_a_task_may_be_left_open(typed, text):
    assert typed(text)[0] is None


def test_a_form_is_filled_in_field_by_field(typed):
    form: dict[str, Json] = {
        "type": "object",
        "properties": {"count": {"type": "integer"}, "note": {}},
    }
    said, shown = typed("a\n3\n12\n\n", replace(TASK, form=form))
    assert said.form == {"count": 3, "note": "12"}
    assert "count (integer, may be empty)" in shown


def test_a_question_ends_with_the_run(tmp_path):
    reading, writing = os.pipe()
    with os.fdopen(reading) as stdin, (tmp_path / "shown").open("w") as stream:
        prompt = Prompt(stdin, stream, None)
        said: list[object] = []
        thread = threading.Thread(target=lambda: said.append(prompt.ask(TASK)))
        thread.start()
        prompt.close()
        thread.join(5)
    os.close(writing)
    assert said == [None]
