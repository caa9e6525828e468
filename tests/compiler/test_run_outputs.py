"""What a run gives: by the last step's own state where that can be, else by one behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.emitted import Happens, compiled, run

OUTPUTS = """
name: outputs
outputs:
  x: {{value: "${{{{ steps.last.outputs.x }}}}"}}
  all: {{value: "${{{{ steps.last.outputs }}}}"}}
  status: {{value: "${{{{ steps.last.status }}}}"}}
  first: {{value: "${{{{ steps.first.outputs.x }}}}"}}
steps:
  - {{id: first, run: echo, outputs: {{x: "0"}}}}
  - {{id: last, {keys}}}
"""
GIVES = {"x": "1", "y": "2"}
ITSELF = (
    "run: echo, outputs: {x: '7'}",
    "run: docker build, outputs: {x: '7'}",
    "action: aws:sqs:listQueues",
)
MADE = (
    "action: aws:sqs:listQueues, outputs: {x: '${{ steps.last.outputs.y }}'}",
    (
        "run: echo, outputs: {x: '7'}, "
        "repeat: {until: steps.last.outputs.x == '1', delay: 1s, max_attempts: 2}"
    ),
)
SKIPPED = "run: echo, outputs: {x: '7'}, condition: steps.first.outputs.x == '1'"
FAILED = "run: echo, outputs: {x: '7'}, on_error: continue"


def given(keys: str, happens: Mapping[str, Happens] | None = None) -> tuple[Any, bool]:
    """Return what a run gives, and whether a state behind the last step gives it."""
    made = compiled(OUTPUTS.format(keys=keys), runner_programs=frozenset({"echo"}))
    ends = {"first": Happens(outputs={"x": "1"}), "last": Happens(outputs=GIVES)}
    told = run(made, ends | dict(happens or {}))
    assert told.played.query_errors == []
    assert told.run == "succeeded"
    return told.played.output, "Done" in told.played.states()


@pytest.mark.parametrize("keys", [*ITSELF, *MADE, SKIPPED, FAILED])
def test_a_run_gives_what_its_last_step_gave(keys: str) -> None:
    output, is_behind = given(keys)

    x = "2" if "outputs.y" in keys else "1"
    assert output["x"] == x
    assert output["all"]["y"] == "2"
    assert (output["status"], output["first"]) == ("succeeded", "1")
    assert is_behind == (keys in MADE)


def test_a_last_step_that_may_fail_or_be_skipped_gives_null() -> None:
    failed, _ = given(FAILED, {"last": Happens("failed")})
    skipped, _ = given(SKIPPED, {"first": Happens(outputs={"x": "0"})})

    assert (failed["x"], failed["status"]) == (None, "failed")
    assert (skipped["x"], skipped["status"]) == (None, "skipped")
