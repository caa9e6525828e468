"""Words that are none of a key's: each is told what to write."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compiler.spec import written
from compiler.spec.written import meant
from tests.compiler.check.checked import checked

FOLDER = Path(written.__file__).parent
STEP = "{id: a, run: echo, %s}"
MANUAL = "{id: a, type: manual, title: t, assignees: [a@b.de], %s}"


def helps(step: str) -> list[str]:
    """Return the helps for a workflow of one step."""
    found = checked(f"name: A\nsteps:\n  - {step}\n")
    return [str(one) for one in found.helps]


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (STEP % "on_error: ignore", "write `continue`"),
        (STEP % "on_error: Stop", "write `fail`, or leave it out"),
        (STEP % "on_error: retry", "write `retry: {count: 3}`"),
        (STEP % "on_error: blue", "`fail` fails the run, `continue` goes on, `pause` asks"),
        (STEP % "on_error: contineu", "did you mean `continue`?"),
        (MANUAL % "on_timeout: approve", "write `continue`: the run goes on, without an approval"),
        (MANUAL % "on_reject: cancel", "write `fail`, or leave it out"),
        (MANUAL % "auth: sso", "write `login`"),
        (STEP % "retry: {count: 2, jitter: true}", "write `full`"),
        (STEP % "runner: docker", "write `codebuild`"),
    ],
)
def test_a_word_of_another_tool_is_told_what_to_write(step: str, told: str):
    (found,) = helps(step)
    assert found.startswith(told)


@pytest.mark.parametrize(
    "notify", ["slack", "[slack]", "'#releases'", "https://hooks.example.com/x", "true"]
)
def test_what_is_no_mapping_under_notify_is_told_how_to_write_one(notify: str):
    found = checked(f"name: A\nnotify: {notify}\nsteps:\n  - {{id: a, run: echo}}\n")
    (told,) = found.helps
    assert str(told).startswith("write `notify: {on: failed, to: person@example.com}`")
    assert "`action: notify`" in str(told)


@pytest.mark.parametrize(
    "explain", [one for name, one in vars(meant).items() if name.isupper() and callable(one)]
)
def test_any_word_gets_a_help(explain: meant.Why):
    """For a slip it is the word that was meant, which the caller asks for."""
    assert explain("blue")


def test_each_choice_of_the_language_explains_what_is_none():
    found = [
        call
        for file in FOLDER.glob("*.py")
        for call in re.findall(r"\*choice\([^)]*\)", file.read_text(encoding="utf-8"))
    ]
    assert len(found) > 5
    assert [call for call in found if "why=" not in call] == []
