"""The record of runs with children, blocks, loops, chunks, handlers, undos and locks."""

from __future__ import annotations

from cli.output.progress import Style
from cli.output.record import summary
from functions.domain.records.notices import message_of_end
from local.stubs import Fail, Stub
from tests.local.runs import compiled, played, steps_of


def test_a_block_is_one_step_and_its_children_are_told_of_too():
    program = compiled("""
        steps:
          - id: both
            type: parallel
            steps:
              - {id: one, run: x}
              - {id: two, run: x}
          - {id: after, run: x}
    """)
    stubs = {"one": Stub(10), "two": Stub(20, fail=Fail("Broken", "why")), "after": Stub()}
    steps = steps_of(played(program, stubs)[1])
    assert steps["both"]["status"] == "failed"
    assert steps["both"]["error"]["details"][0]["step_id"] == "two"
    assert steps["both"]["completed_at"] == "2026-01-01T00:00:20.000Z"
    assert [steps[name]["status"] for name in ("one", "two", "after")] == [
        "succeeded",
        "failed",
        "skipped",
    ]


def test_a_block_is_one_step_in_each_item_too():
    program = compiled("""
        steps:
          - id: both
            type: parallel
            for_each: [1, 2]
            steps:
              - {id: one-with-a-name-that-is-long, run: "x ${{ item }}"}
              - {id: two-with-a-name-that-is-long, run: x}
    """)
    fails = Stub(10, fail=Fail("Broken", "why"))
    names = ("one-with-a-name-that-is-long", "two-with-a-name-that-is-long")
    step = steps_of(played(program, dict.fromkeys(names, fails))[1])["both"]
    assert (step["status"], step["error"]["type"]) == ("failed", "ItemsFailed")
    for item in step["items"]:
        assert (item["status"], item["error"]["type"]) == ("failed", "StepsFailed")
        assert item["error"]["message"] == f"{names[0]}: Broken: why; also {names[1]}"
        assert [one["step_id"] for one in item["error"]["details"]] == [*names]
    step = steps_of(played(program, dict.fromkeys(names, Stub(10)))[1])["both"]
    assert [item["status"] for item in step["items"]] == ["succeeded", "succeeded"]
    assert {item["completed_at"] for item in step["items"]} == {"2026-01-01T00:00:10.000Z"}


def test_children_of_a_skipped_block_share_its_reason():
    program = compiled("""
        inputs: {go: {type: boolean, default: false}}
        steps:
          - id: both
            type: parallel
            condition: inputs.go
            steps: [{id: one, run: x}, {id: two, run: x}]
    """)
    steps = steps_of(played(program, {"one": Stub(), "two": Stub()})[1])
    assert {(step["status"], step["reason"]) for step in steps.values()} == {
        ("skipped", "condition")
    }


def test_a_repeat_counts_its_rounds():
    program = compiled("""
        steps:
          - id: ask
            run: x
            outputs: {n: }
            repeat: {until: "${{ steps.ask.outputs.n == '9' }}", delay: 10s, max_attempts: 3}
    """)
    step = steps_of(played(program, {"ask": Stub(1, {"n": "1"})})[1])["ask"]
    assert (step["rounds"], step["status"], step["error"]["type"]) == (
        3,
        "failed",
        "RepeatExhausted",
    )
    assert step["completed_at"] == "2026-01-01T00:00:23.000Z"
    step = steps_of(played(program, {"ask": Stub(1, {"n": "9"})})[1])["ask"]
    assert (step["rounds"], step["status"]) == (1, "succeeded")


def test_a_wide_for_each_goes_through_child_executions_in_chunks():
    program = compiled("""
        inputs: {xs: array}
        steps:
          - {id: a, run: x, for_each: "${{ inputs.xs }}", max_items: 200, max_concurrency: 80}
    """)
    ran, record = played(program, {"a": Stub(10)}, inputs={"xs": list(range(90))})
    step = steps_of(record)["a"]
    assert record["status"] == "succeeded", record["error"]
    assert [item["index"] for item in step["items"]] == list(range(90))
    assert len(ran.others) == 3
    assert step["completed_at"] <= "2026-01-01T00:00:30.000Z"


def test_a_failed_run_is_undone_newest_first_and_handled():
    program = compiled("""
        steps:
          - {id: a, run: x, compensate: {run: undo}}
          - {id: b, run: x, for_each: [1, 2], max_concurrency: 1, compensate: {run: undo}}
          - {id: c, run: x, compensate: {run: undo}}
        on_failure:
          - {id: clean, run: "echo ${{ steps.c.status }}"}
    """)
    stubs = {name: Stub(10) for name in ("a", "b", "a_undo", "b_undo", "c_undo", "clean")}
    stubs["c"] = Stub(1, fail=Fail("Broken"))
    stubs["a_undo"] = Stub(1, fail=Fail("CannotUndo", "no"))
    ran, record = played(program, stubs)
    closing = record["closing"]
    assert (record["status"], closing["status"]) == ("failed", "succeeded")
    told = [(one["step"], one.get("items"), one["status"]) for one in closing["undone"]]
    assert told == [("b", [1], "undone"), ("b", [0], "undone"), ("a", None, "failed")]
    assert closing["compensation"] == "partial"
    assert [step["status"] for step in closing["handlers"]] == ["succeeded"]
    assert [child.machine for child in ran.others] == ["w--close"]


def test_each_text_about_an_undo_names_the_item_it_is_of():
    program = compiled("""
        steps:
          - id: regions
            type: parallel
            for_each: [eu, us]
            max_concurrency: 1
            steps:
              - {id: roll, run: x, for_each: [1, 2], max_concurrency: 1, compensate: {run: undo}}
          - {id: last, run: x, depends_on: [regions]}
    """)
    fails = Stub(1, fail=Fail("CannotUndo", "no"))
    stubs = {"roll": Stub(1), "roll_undo": fails, "last": Stub(1, fail=Fail("Broken"))}
    record = played(program, stubs)[1]
    told = ["roll[1][1]", "roll[1][0]", "roll[0][1]", "roll[0][0]"]
    lines = summary(record, "w.yaml", {}, Style(colour=False)).splitlines()
    undone = lines[lines.index("undone, the newest first: partial") + 1 :][:4]
    assert undone == [f"  {one}  failed  CannotUndo: no" for one in told]
    text = message_of_end(record, "failed", "https://api.example.com", None).text
    assert f"Could not be undone: {', '.join(told)}\n" in f"{text}\n"


def test_a_child_s_record_stands_in_its_step():
    program = compiled(
        """
        steps:
          - {id: call, type: subworkflow, workflow: other}
          - {id: after, run: x}
        """,
        other="""
        steps:
          - {id: inner, run: x}
        """,
    )
    stubs = {"inner": Stub(5, fail=Fail("Broken", "why")), "after": Stub()}
    step = steps_of(played(program, stubs)[1])["call"]
    assert (step["status"], step["error"]["type"]) == ("failed", "WorkflowError")
    assert step["run"]["steps"][0]["error"] == {"type": "Broken", "message": "why"}
    assert step["error"]["details"][0]["message"] == "why"


def test_an_event_that_is_published_can_be_read_afterwards():
    program = compiled("""
        steps: [{id: tell, type: publish, event: user.signup, payload: {x: 1}}]
    """)
    ran, record = played(program, {})
    assert record["status"] == "succeeded"
    (event,) = ran.published
    assert (event["DetailType"], event["Source"]) == ("user.signup", "stepsmith")


def test_a_concurrency_group_is_taken_and_let_go():
    program = compiled("""
        concurrency: {group: deploy}
        steps: [{id: a, run: x}]
    """)
    _, record = played(program, {"a": Stub(5)})
    assert (record["status"], record["completed_at"]) == (
        "succeeded",
        "2026-01-01T00:00:05.000Z",
    )
