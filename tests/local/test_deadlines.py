"""Retries end with the deadline above them, and what always has to happen does happen."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from local.record import RunRecord
from local.stubs import Fail, Stub
from tests.local.runs import compiled, played, steps_of

WORKFLOW = """
    timeout: 2h
    steps:
      - id: block
        type: parallel
        timeout: 1h
        steps:
          - {{id: child, {does}, retry: {{count: 99, delay: {delay}, {more}}}}}
          - {{id: beside, run: echo}}
      - id: clean
        run: echo
        condition: always()
        outputs: {{seen: "${{{{ steps.child.status }}}}"}}
"""
OTHER = "steps: [{id: inner, run: echo}]"
KINDS = {
    "script": "run: exit 1",
    "timed": "run: exit 1, timeout: 90s",
    "build": "run: exit 1, runner: codebuild",
    "call": 'action: "aws:dynamodb:putItem", inputs: {TableName: t, Item: {pk: {S: x}}}',
    "event": "type: publish, event: a.b, payload: {x: 1}",
    "workflow": "type: subworkflow, workflow: other",
}
OUT_OF_TIME = "failed: (Odd: it broke|StepTimedOut: step 'child' was stopped after [1-4] seconds)$"
"""How a message ends: with what the last attempt came to, which may have begun just in time."""
HOUR = 3600
LATEST = HOUR + 70
"""A minute that retriers may be late by, and what an attempt behind it takes."""


def run_of(
    stub: Stub, does: str, delay: str = "15m", more: str = "backoff: 1, jitter: none"
) -> tuple[RunRecord, dict[str, Any]]:
    program = compiled(WORKFLOW.format(does=does, delay=delay, more=more), other=OTHER)
    _, record = played(program, {"child": stub, "beside": Stub(1), "clean": Stub(1)})
    return record, steps_of(record)


def second(stamp: str) -> float:
    """Return the second of the run that a time stamp is."""
    return (datetime.fromisoformat(stamp) - datetime(2026, 1, 1, tzinfo=UTC)).total_seconds()


@pytest.mark.parametrize("stub", [Stub(5, fail=Fail("Odd", "it broke")), Stub(happens="timed_out")])
@pytest.mark.parametrize("delay", ["50s", "15m"])
@pytest.mark.parametrize("jitter", ["none", "full"])
@pytest.mark.parametrize("kind", KINDS)
def test_no_attempt_begins_behind_the_deadline(kind: str, jitter: str, delay: str, stub: Stub):
    record, steps = run_of(stub, KINDS[kind], delay, f"backoff: 1, jitter: {jitter}")
    child, clean = steps["child"], steps["clean"]
    if child["attempt"] < 100:
        assert child["status"] == "timed_out"
        assert child["error"]["type"] == "DeadlinePassed"
        if stub.fail is not None:
            assert re.search(OUT_OF_TIME, child["error"]["message"])
    assert second(child["completed_at"]) <= LATEST
    assert second(steps["block"]["completed_at"]) <= LATEST
    assert clean["status"] == "succeeded"
    assert clean["outputs"] == {"seen": child["status"]}
    assert record["status"] == "failed"
    assert record["error"]["details"][0]["details"][0]["type"] == child["error"]["type"]


def test_pauses_that_grow_end_with_the_deadline():
    stub = Stub(5, fail=Fail("Odd", "it broke"))
    more = "backoff: 2, jitter: none"
    program = compiled(
        WORKFLOW.format(does="run: exit 1", delay="30s", more=more).replace("99", "12")
    )
    _, record = played(program, {"child": stub, "beside": Stub(1), "clean": Stub(1)})
    steps = steps_of(record)
    assert (steps["child"]["attempt"], steps["child"]["status"]) == (7, "timed_out")
    assert second(steps["block"]["completed_at"]) == 30 * (2**6 - 1) + 7 * 5


def test_the_last_attempt_of_all_tells_its_own_error():
    text = WORKFLOW.format(does="run: exit 1", delay="15m", more="backoff: 1, jitter: none")
    program = compiled(text.replace("count: 99", "count: 3"))
    stub = Stub(5, fail=Fail("Odd", "it broke"))
    _, record = played(program, {"child": stub, "beside": Stub(1), "clean": Stub(1)})
    child = steps_of(record)["child"]
    assert (child["attempt"], child["status"], child["error"]["type"]) == (4, "failed", "Odd")


@pytest.mark.parametrize(
    ("conditions", "attempts", "status"),
    [
        ("[{error_type: NetworkError}]", 1, "failed"),
        ("['true']", 4, "timed_out"),
        ("[\"contains(steps.child.outputs.error, 'broke')\"]", 4, "timed_out"),
        ("[\"contains(steps.child.outputs.error, 'other')\"]", 1, "failed"),
    ],
)
def test_what_would_not_be_tried_again_is_not_out_of_time(conditions, attempts, status):
    more = f"backoff: 1, jitter: none, conditions: {conditions}"
    _, steps = run_of(Stub(5, fail=Fail("Odd", "it broke")), "run: exit 1", "15m", more)
    child = steps["child"]
    assert (child["attempt"], child["status"]) == (attempts, status)
    assert child["error"]["type"] == ("DeadlinePassed" if status == "timed_out" else "Odd")


def test_an_attempt_in_time_is_made_and_may_succeed():
    stub = Stub(5, fail=Fail("Odd", "it broke", times=3))
    record, steps = run_of(stub, "run: exit 1")
    assert (record["status"], steps["child"]["attempt"]) == ("succeeded", 4)


@pytest.mark.parametrize("delay", ["50s", "10m"])
def test_items_and_the_run_have_deadlines_too(delay: str):
    retry = f"retry: {{count: 99, delay: {delay}, backoff: 1, jitter: none}}"
    program = compiled(f"""
        timeout: 90m
        steps:
          - id: each
            run: exit 1
            for_each: [1, 2]
            timeout: 30m
            {retry}
            on_error: continue
          - {{id: last, run: exit 1, {retry}}}
          - {{id: clean, run: echo, condition: always()}}
    """)
    fail = Stub(5, fail=Fail("Odd", "it broke"))
    _, record = played(program, {"each": fail, "last": fail, "clean": Stub(1)})
    steps = steps_of(record)
    assert [item["error"]["type"] for item in steps["each"]["items"]] == ["DeadlinePassed"] * 2
    assert second(steps["each"]["completed_at"]) <= HOUR / 2 + 70
    assert (steps["last"]["status"], steps["clean"]["status"]) == ("timed_out", "succeeded")
    assert second(steps["last"]["completed_at"]) <= 1.5 * HOUR + 70


@pytest.mark.parametrize("delay", ["50s", "10m"])
def test_a_handler_learns_that_there_was_no_time(delay: str):
    program = compiled(f"""
        timeout: 30m
        steps:
          - {{id: late, run: exit 1, retry: {{count: 99, delay: {delay}, jitter: none}}}}
        on_failure:
          - {{id: tell, run: echo, condition: "steps.late.status == 'timed_out'"}}
    """)
    stubs = {"late": Stub(5, fail=Fail("Odd", "it broke")), "tell": Stub(1)}
    _, record = played(program, stubs)
    assert steps_of(record)["late"]["error"]["message"].endswith("failed: Odd: it broke")
    handlers = {step["step_id"]: step["status"] for step in record["closing"]["handlers"]}
    assert handlers == {"tell": "succeeded"}
