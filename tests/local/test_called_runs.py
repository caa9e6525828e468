"""What a caller tells of a called workflow that ended badly: the step, its error and the run."""

from __future__ import annotations

from typing import Any

import pytest

from functions.domain.records.notices import message_of_end, of_end
from local.people import People, Said
from local.stubs import Fail, Stub
from tests.local.runs import compiled, played, steps_of

LEAF = """
    inputs: {ask: {type: boolean, default: false}}
    steps:
      - {id: compile, run: x, condition: "!inputs.ask"}
      - id: review
        type: manual
        title: ok?
        assignees: [ann@example.com]
        timeout: 5h
        condition: inputs.ask
"""
MIDDLE = """
    inputs: {ask: {type: boolean, default: false}}
    steps:
      - {id: build, type: subworkflow, workflow: leaf, inputs: {ask: "${{ inputs.ask }}"}}
"""
TOP = """
    inputs: {ask: {type: boolean, default: false}}
    outputs:
      why: {value: "${{ steps.call.error.type }}: ${{ steps.call.error.message }}"}
    steps:
      - id: call
        type: subworkflow
        workflow: middle
        inputs: {ask: "${{ inputs.ask }}"}
        on_error: continue
"""
BROKEN = {"compile": Stub(5, fail=Fail("ScriptFailed", 'no "space"\nexit code 3'))}
FIRST = 'compile: ScriptFailed: no "space"'


def called(record: Any, *path: str) -> Any:
    """Return the record of the run that a step called, and of those that its steps called."""
    for step in path:
        record = steps_of(record)[step]["run"]
    return record


@pytest.mark.parametrize(
    ("given", "more", "first"),
    [
        ({}, {"stubs": BROKEN}, FIRST),
        (
            {"ask": True},
            {"people": People(decisions={"review": (Said("rejected", "ann@example.com"),)})},
            "review: Rejected: rejected by ann@example.com",
        ),
        ({"ask": True}, {}, "review: States.Timeout: nobody decided in time"),
    ],
    ids=["a step", "a person", "nobody"],
)
def test_what_failed_in_a_called_workflow_is_told_by_all_above_it(given, more, first):
    """The record, what expressions read and the error of the run say the same."""
    program = compiled(TOP, middle=MIDDLE, leaf=LEAF)
    record = played(
        program, more.get("stubs", {}), inputs=given, people=more.get("people", People())
    )[1]
    leaf, middle = called(record, "call", "build"), called(record, "call")
    assert leaf["error"]["message"] == first
    said = f"{first} (run {leaf['run_id']})"
    assert steps_of(middle)["build"]["error"]["message"] == said
    assert steps_of(middle)["build"]["error"]["run_id"] == leaf["run_id"]
    assert middle["error"]["message"] == f"build: WorkflowError: {said}"
    error = steps_of(record)["call"]["error"]
    assert (error["type"], error["message"]) == ("WorkflowError", f"build: {said}")
    assert error["run_id"] == middle["run_id"]
    (build,) = error["details"]
    assert (build["step_id"], build["type"], build["message"]) == ("build", "WorkflowError", said)
    assert build["run_id"] == leaf["run_id"]
    assert build["details"][0]["message"] == first.partition(": ")[2].partition(": ")[2]
    assert record["outputs"] == {"why": f"WorkflowError: build: {said}"}


def test_every_called_run_knows_the_one_that_all_calls_began_with():
    """Whoever may not resume or cancel it is told that one."""
    ran, _ = played(compiled(TOP, middle=MIDDLE, leaf=LEAF), BROKEN)
    assert [one.machine for one in ran.others] == ["middle", "leaf"]
    assert [one.finished.input["run"]["root"] for one in ran.others] == ["r", "r"]


def test_people_and_events_are_told_what_failed_inside():
    program = compiled(TOP.replace("on_error: continue", ""), middle=MIDDLE, leaf=LEAF)
    record = played(program, BROKEN)[1]
    said = f"build: {FIRST} (run {called(record, 'call', 'build')['run_id']})"
    assert record["error"]["message"] == f"call: WorkflowError: {said}"
    text = message_of_end(record, "failed", "https://api.example.com", None).text
    assert f"WorkflowError: call: WorkflowError: {said}\n- call: WorkflowError: {said}" in text
    (event,) = of_end(record, None, 0)
    assert event.detail["payload"]["error"]["message"] == f"call: WorkflowError: {said}"


def test_a_called_workflow_that_took_longer_than_its_step_may_tells_where_it_was():
    late = TOP.replace("on_error: continue", "timeout: 1h")
    record = played(compiled(late, middle=MIDDLE, leaf=LEAF), {}, inputs={"ask": True})[1]
    step = steps_of(record)["call"]
    assert (step["status"], step["error"]["type"]) == ("timed_out", "States.Timeout")
    assert step["error"]["message"] == (
        "the workflow that was called took longer than the step's timeout; it was at build "
        f"(run {step['run']['run_id']})"
    )
    assert record["error"]["message"] == f"call: States.Timeout: {step['error']['message']}"


def test_of_several_that_failed_the_first_says_why():
    leaf = "steps: [{id: one, run: x}, {id: two, run: x, depends_on: []}]"
    top = "steps: [{id: call, type: subworkflow, workflow: leaf}, {id: x, run: x, depends_on: []}]"
    stubs = {
        "one": Stub(5, fail=Fail("Broken", "it broke")),
        "two": Stub(9, fail=Fail("Broken", "it broke, too")),
        "x": Stub(20, fail=Fail("Broken", "here")),
    }
    record = played(compiled(top, leaf=leaf), stubs)[1]
    run = called(record, "call")["run_id"]
    error = steps_of(record)["call"]["error"]
    assert error["message"] == f"one: Broken: it broke; also two (run {run})"
    assert [one["message"] for one in error["details"]] == ["it broke", "it broke, too"]
    assert record["error"]["message"] == f"call: WorkflowError: {error['message']}; also x"


def test_each_item_tells_what_failed_in_its_own_run():
    top = "steps: [{id: call, type: subworkflow, workflow: leaf, for_each: [a, b, c]}]"
    record = played(compiled(top, leaf=LEAF), BROKEN)[1]
    step = steps_of(record)["call"]
    runs = [item["run"]["run_id"] for item in step["items"]]
    assert len({*runs}) == 3
    for item, run in zip(step["items"], runs, strict=True):
        assert item["error"]["message"] == f"{FIRST} (run {run})"
    first = f"WorkflowError: {FIRST} (run {runs[0]})"
    assert step["error"]["message"] == f"3 items failed: 0, 1, 2 (the first: {first})"


@pytest.mark.parametrize("fail_fast", ["true", "false"])
def test_a_block_tells_what_failed_in_a_workflow_that_its_child_called(fail_fast):
    top = f"""
        steps:
          - id: both
            type: parallel
            fail_fast: {fail_fast}
            steps:
              - {{id: call, type: subworkflow, workflow: leaf}}
              - {{id: other, run: x}}
    """
    record = played(compiled(top, leaf=LEAF), {**BROKEN, "other": Stub(60)})[1]
    said = f"{FIRST} (run {called(record, 'call')['run_id']})"
    how = "call failed: WorkflowError" if fail_fast == "true" else "call: WorkflowError"
    assert steps_of(record)["both"]["error"]["message"] == f"{how}: {said}"
    assert record["error"]["message"] == f"both: StepsFailed: {how}: {said}"


def test_a_retry_asks_what_the_called_workflow_said():
    """Conditions read the message; each attempt is a run of its own."""
    retry = """on_error: continue
        retry:
          count: 3
          delay: 1s
          jitter: none
          conditions: ["contains(steps.call.outputs.error, 'ScriptFailed')"]"""
    program = compiled(TOP.replace("on_error: continue", retry), middle=MIDDLE, leaf=LEAF)
    once = {"compile": Stub(5, fail=Fail("ScriptFailed", "no", (), 1))}
    record = played(program, once)[1]
    assert (steps_of(record)["call"]["status"], record["status"]) == ("succeeded", "succeeded")
    record = played(program, BROKEN)[1]
    step = steps_of(record)["call"]
    assert (step["status"], step["attempt"]) == ("failed", 4)
    leaf = called(record, "call", "build")["run_id"]
    assert step["error"]["message"] == f"build: {FIRST} (run {leaf})"
