"""Slips in scenarios that are told with what to write, and what failed inside a block."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import call, write
from tests.cli.test_scenarios import WORKFLOW


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(Path("w.yaml"), WORKFLOW)


def scenario(case: str = "") -> str:
    """Write a scenario file with a case, and return its name."""
    write(Path("w.test.yaml"), f"workflow: w.yaml\ncases:\n  {case}\n")
    return "w.test.yaml"


@pytest.mark.parametrize(
    ("case", "help_"),
    [
        ("stubs: {review: {fail: NetworkError}}", "write `fail: {type: NetworkError}`"),
        ("expect: failed", "write `expect: {status: failed}`"),
        ("expect: {takes: 2h}", "write `takes: {at_most: 2h}`"),
    ],
)
def test_what_is_written_too_short_is_told_in_full(case, help_):
    file = scenario(f"- {{name: a, inputs: {{name: x}}, {case}}}")
    (told,) = json.loads(call("test", file, "--format", "json").out)["not_played"]
    assert [(one["code"], one["help"]) for one in told["diagnostics"]] == [("wrong-type", help_)]


def test_an_empty_file_lacks_scenarios_and_no_workflow():
    write(Path("w.test.yaml"), "")

    ended = call("test", "w.test.yaml")

    assert "error[empty-file]: w.test.yaml holds no scenarios\n" in ended.err
    assert "= help: write `workflow:` and `cases:`" in ended.err


def test_a_stub_may_give_more_than_the_step_declares():
    """So may a script; a slip is what is nearly declared."""
    stub = "{outputs: {said: hi, processed: true}, takes: 1m}"
    case = f"- {{name: a, inputs: {{name: x}}, stubs: {{hello: {stub}, review: {{}}}}}}"
    assert call("test", scenario(case)).code == 0


BLOCKS = """
name: W
steps:
  - id: pages
    type: parallel
    for_each: [a, b]
    steps: [{id: read, run: echo}]
  - id: both
    type: parallel
    depends_on: []
    steps: [{id: left, run: echo}]
"""


@pytest.mark.parametrize(
    ("failing", "why"),
    [
        ("read", "the first: StepsFailed: read: Unreadable: page 1 of)"),
        ("left", "both: StepsFailed: left: Unreadable: page 1 of"),
    ],
)
def test_of_a_block_that_failed_the_step_inside_is_told(failing, why):
    fail = "{fail: {type: Unreadable, message: page 1 of}}"
    file = scenario(f"- {{name: x, stubs: {{{failing}: {fail}}}}}")
    write(Path("w.yaml"), BLOCKS)

    ended = call("test", file)

    assert ended.code == 1
    assert f"{why}\n" in ended.out, "and nothing said twice"
