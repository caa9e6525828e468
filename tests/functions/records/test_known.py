"""What the close machine of a run that was cut off is told of its steps."""

from __future__ import annotations

import json
from typing import Any

import pytest

from functions.domain.records.closing import known
from functions.domain.records.plan import Plan

KINDS = ["action", "run", "aws", "manual", "parallel", "subworkflow", "wait", "publish"]
PLAN = Plan("w", "1", {}, steps={k: {"id": k, "name": k, "kind": k, "line": 1} for k in KINDS})


def record(step: str, **more: Any) -> Any:
    return {"step_id": step, "status": "succeeded", "outputs": {"x": 1}, **more}


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_told_how_each_ended_and_the_outputs_that_nothing_stores(kind: str):
    outputs = {} if kind in ("action", "run") else {"outputs": {"x": 1}}
    assert known([record(kind)], PLAN) == {kind: {"status": "succeeded", "error": None, **outputs}}


def test_an_error_is_told_as_the_machine_tells_it():
    error = {"type": "Rejected", "message": "no", "details": [1]}
    (told,) = known([record("manual", status="rejected", error=error)], PLAN).values()
    assert told["error"] == {"type": "Rejected", "message": "no"}
    assert told["status"] == "rejected"


@pytest.mark.parametrize("status", ["skipped", "pending"])
def test_what_has_not_begun_is_not_told(status: str):
    assert known([record("manual", status=status)], PLAN) == {}


def test_a_step_that_is_not_in_the_plan_is_not_told():
    assert known([record("handler")], PLAN) == {}


def test_what_is_too_much_for_an_input_is_left_out():
    large = [record("wait", outputs={"x": "ä" * 60_000}), record("manual")]
    found = known(large, PLAN)
    assert list(found) == ["manual"]
    assert len(json.dumps(found)) < 200
