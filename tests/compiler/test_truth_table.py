"""The truth table of statuses on the emitted machines: 2,000 small workflows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.emitted import Happens, compiled, run

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "truth_table.json").read_text(encoding="utf-8")
)
PARTS = 8


def as_workflow(case: dict[str, Any]) -> dict[str, Any]:
    """Return a case's steps as a workflow: each step a script, a manual one a question."""
    steps = []
    for step in case["steps"]:
        kind: dict[str, Any] = {"run": "true"}
        if step.get("type") == "manual":
            kind = {"title": "May it go on?", "assignees": ["alice@example.com"]}
        steps.append({**step, **kind})
    return {"name": "case", "inputs": {"x": "boolean"}, "steps": steps}


@pytest.mark.parametrize("part", range(PARTS))
def test_each_step_gets_the_status_and_reason_of_the_table(part: int) -> None:
    """Statuses, reasons and the run's verdict of the machine are those of the table."""
    wrong = []
    for at, case in enumerate(CASES[part::PARTS]):
        happens = {name: Happens(status) for name, status in case["happens"].items()}
        told = run(compiled(as_workflow(case)), happens, case["inputs"])
        assert not told.played.query_errors, (at, case, told.played.query_errors)
        if {"run": told.run, "steps": told.steps} != case["expect"]:
            wrong.append((at * PARTS + part, told.run, told.steps, case))
    assert wrong == []
