"""Steps answered by stubs: every kind, in virtual time, with the same record every time."""

from __future__ import annotations

import json

import pytest

from local.stubs import Fail, Stub
from tests.local.runs import compiled, played, steps_of


def seconds(step):
    """Return when a step began and ended, in seconds of its minute and hour."""
    began, ended = step["started_at"], step["completed_at"]
    return began.removeprefix("2026-01-01T"), ended.removeprefix("2026-01-01T")


def test_a_stub_takes_its_time_and_gives_its_outputs():
    program = compiled("""
        steps:
          - {id: a, run: "exit 9", outputs: {x: }}
          - {id: b, run: "exit 9", env: {X: "${{ steps.a.outputs.x }}"}}
        outputs: {x: {value: "${{ steps.a.outputs.x }}"}}
    """)
    _, record = played(program, {"a": Stub(30.5, {"x": "1"}), "b": Stub(2)})
    steps = steps_of(record)
    assert (record["status"], record["outputs"]) == ("succeeded", {"x": "1"})
    assert seconds(steps["a"]) == ("00:00:00.000Z", "00:00:30.500Z")
    assert seconds(steps["b"]) == ("00:00:30.500Z", "00:00:32.500Z")


def test_a_stub_fails_as_often_as_it_says_and_then_succeeds():
    program = compiled("""
        steps:
          - {id: a, run: x, retry: {max_attempts: 3, delay: 10s, jitter: none}}
          - {id: b, run: x}
    """)
    fail = Fail("Broken", "first words\nmore", details=("t1",), times=2)
    _, record = played(program, {"a": Stub(1, fail=fail), "b": Stub()})
    step = steps_of(record)["a"]
    assert (step["status"], step["attempt"]) == ("succeeded", 3)
    assert seconds(step)[1] == "00:00:23.000Z"
    _, record = played(program, {"a": Stub(1, fail=Fail("Broken", "why", ("t1",))), "b": Stub()})
    steps = steps_of(record)
    assert steps["a"]["error"] == {"type": "Broken", "message": "why", "details": ["t1"]}
    assert (steps["b"]["status"], steps["b"]["reason"]) == ("skipped", "upstream_failed")


@pytest.mark.parametrize("stub", [Stub(happens="timed_out"), Stub(3600)])
def test_a_stub_that_takes_too_long_ends_at_the_step_s_timeout(stub):
    program = compiled("steps: [{id: a, run: x, timeout: 5m}]")
    _, record = played(program, {"a": stub})
    step = steps_of(record)["a"]
    assert (step["status"], step["error"]["type"]) == ("timed_out", "StepTimedOut")
    assert seconds(step) == ("00:00:00.000Z", "00:05:00.000Z")


KINDS = """
    steps:
      - {id: call, action: "aws:dynamodb:putItem", inputs: {TableName: t, Item: {pk: {S: x}}}}
      - {id: tell, type: publish, event: a.b, payload: {x: 1}}
      - {id: pause, type: wait, for: 10m}
      - {id: ask, type: manual, title: Good?, assignees: [ada@example.com], timeout: 2h}
      - {id: child, type: subworkflow, workflow: other}
      - id: both
        type: parallel
        steps: [{id: one, run: x}, {id: two, run: x}]
"""
OTHER = "steps: [{id: inner, run: 'true'}]"
NAMES = ("call", "tell", "pause", "ask", "child", "both")


def test_every_kind_of_step_takes_a_stub():
    program = compiled(KINDS, other=OTHER)
    _, record = played(program, {name: Stub(30) for name in NAMES})
    steps = steps_of(record)
    assert record["status"] == "succeeded", record["error"]
    ends = [seconds(steps[name])[1][3:8] for name in NAMES]
    assert ends == ["00:30", "01:00", "01:30", "02:00", "02:30", "03:00"]
    assert steps["ask"]["outputs"]["status"] == "approved"
    assert steps["one"]["status"] == "skipped"


@pytest.mark.parametrize("name", ["call", "tell", "child", "both"])
def test_a_step_of_any_kind_fails_as_its_stub_says(name):
    program = compiled(KINDS, other=OTHER)
    stubs = {one: Stub(1) for one in NAMES} | {name: Stub(1, fail=Fail("Mine", "because"))}
    _, record = played(program, stubs)
    assert steps_of(record)[name]["status"] == "failed"
    assert record["status"] == "failed"
    assert record["error"]["details"][0]["step_id"] == name


def test_a_person_s_step_is_rejected_or_times_out_as_its_stub_says():
    program = compiled(KINDS, other=OTHER)
    for happens, ended in (("rejected", "01:01:30"), ("timed_out", "02:01:30")):
        stubs = {one: Stub(30) for one in NAMES} | {"ask": Stub(3600, happens=happens)}
        step = steps_of(played(program, stubs)[1])["ask"]
        assert step["status"] == happens
        assert seconds(step)[1].startswith(ended)


def test_items_of_a_for_each_are_stubbed_one_by_one():
    program = compiled("""
        inputs: {xs: array}
        steps:
          - {id: a, run: x, for_each: "${{ inputs.xs }}", max_concurrency: 1}
    """)
    stub = Stub(10, fail=Fail("Broken", times=1))
    _, record = played(program, {"a": stub}, inputs={"xs": [1, 2]})
    step = steps_of(record)["a"]
    assert step["status"] == "failed"
    assert [item["status"] for item in step["items"]] == ["failed", "failed"]
    assert seconds(step)[1] == "00:00:20.000Z"


@pytest.mark.parametrize("more", ["", "fail_fast: true, "])
@pytest.mark.parametrize("each", ["", "for_each: [1, 2], max_concurrency: 1, "])
def test_a_block_that_its_stub_fails_has_failed_however_it_ends(more, each):
    """With `fail_fast` it is an error that ends a block, else what its branches tell."""
    program = compiled(f"""
        steps:
          - {{id: a, type: parallel, {more}{each}steps: [{{id: b, run: x}}, {{id: c, run: x}}]}}
          - {{id: d, run: x}}
    """)
    stubs = {"a": Stub(60, fail=Fail("Broken", "no")), "d": Stub()}
    steps = steps_of(played(program, stubs)[1])
    assert steps["a"]["status"] == "failed"
    assert "a" in steps["a"]["error"]["message"] or steps["a"]["error"]["details"]
    assert steps["d"]["reason"] == "upstream_failed"
    if each:
        items = [item["status"] for item in steps["a"]["items"]]
        assert items == (["failed", "cancelled"] if more else ["failed", "failed"])


def test_the_same_scenario_gives_the_same_record_byte_for_byte():
    program = compiled("""
        steps:
          - {id: a, run: x, depends_on: [], retry: {max_attempts: 4, delay: 10s, jitter: full}}
          - {id: b, run: x, depends_on: []}
          - {id: c, run: x, depends_on: [a]}
          - {id: d, run: x, depends_on: [a, b]}
          - {id: e, run: x, depends_on: [c]}
          - {id: f, run: x, for_each: [1, 2, 3], depends_on: [b]}
          - {id: g, type: manual, title: t, assignees: [ada@example.com], timeout: 72h,
             on_timeout: continue, depends_on: [d, e, f]}
    """)
    stubs = {step: Stub(7, {"x": "1"}) for step in "bcdef"}
    stubs["a"] = Stub(7, fail=Fail("Broken", times=3))
    stubs["g"] = Stub(happens="timed_out")
    texts = {json.dumps(played(program, stubs)[1]) for _ in range(3)}
    assert len(texts) == 1
    _, other = played(program, stubs, seed=2)
    assert json.dumps(other) not in texts  # the jitter is another


def test_two_runs_of_one_child_keep_apart():
    program = compiled(
        """
        steps:
          - {id: a, type: subworkflow, workflow: other, depends_on: []}
          - {id: b, type: subworkflow, workflow: other, depends_on: []}
        """,
        other="steps: [{id: inner, run: 'true'}]",
    )
    ran, record = played(program, {"inner": Stub(60, fail=Fail("Broken", times=1))})
    steps = steps_of(record)
    assert sorted(steps[name]["status"] for name in "ab") == ["failed", "succeeded"]
    assert len({steps[name]["run"]["run_id"] for name in "ab"}) == 2
    failed = next(steps[name] for name in "ab" if steps[name]["status"] == "failed")
    assert failed["error"]["details"][0]["step_id"] == "inner"
    assert len(ran.others) == 2
