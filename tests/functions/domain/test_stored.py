"""What a close machine is told of its run."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from functions.domain.stored import StoredResult, items_of, stored_of
from functions.usecases.stored import note_undo, stored

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def result(path, minutes, status="succeeded", outputs=None, error=None):
    at = NOON + timedelta(minutes=minutes)
    return StoredResult(path, status, at, outputs or {}, {}, error)


def test_undos_come_newest_completion_first_and_only_for_what_may_have_had_an_effect():
    results = [
        result("a", 1),
        result("b", 3),
        result("c", 2, "failed", error=("E", "m")),
        result("d", 4, "begun"),
        result("e", 5, "in_doubt", error=("StepInDoubt", "who knows")),
        result("f", 6),
    ]
    found = stored_of(results, [], ["a", "b", "c", "d", "e"])["undo"]
    assert [undo["step"] for undo in found] == ["e", "d", "b", "a"]
    assert found[0]["record"]["in_doubt"] is True


def test_what_was_cut_off_stands_where_it_ended_or_last_with_its_run():
    def lost(step):
        return {"step": step, "items": [], "record": {"status": "cancelled"}}

    results = [result("a", 1), result("c", 3)]
    at = NOON + timedelta(minutes=2)
    undo = ["a", "b", "c", "d"]
    found = stored_of(results, [], undo, (), [lost("d"), lost("x")], [(at, lost("b"))])["undo"]
    assert [undo["step"] for undo in found] == ["d", "c", "b", "a"]


def test_each_item_of_a_for_each_is_undone_by_its_path():
    results = [result("a/0", 1), result("a/1", 2), result("b/1/0", 3)]
    found = stored_of(results, [], ["a", "b"])["undo"]
    assert [(undo["step"], undo["items"]) for undo in found] == [
        ("b", [1, 0]),
        ("a", [1]),
        ("a", [0]),
    ]


def test_of_a_repeat_the_last_round_counts():
    results = [result(f"a/r{n}", n, outputs={"n": n}) for n in (1, 2, 10)]
    found = stored_of(results, ["a"], ["a"])
    assert [undo["record"]["outputs"] for undo in found["undo"]] == [{"n": 10}]
    assert found["steps"]["a"]["outputs"] == {"n": 10}


def test_handlers_read_status_outputs_and_error_and_nothing_of_what_never_ran():
    results = [
        result("a", 1, outputs={"x": 1}),
        result("b", 2, "failed", error=("StepTimedOut", "late")),
    ]
    assert stored_of(results, ["a", "b", "c"], [])["steps"] == {
        "a": {"status": "succeeded", "outputs": {"x": 1}},
        "b": {
            "status": "timed_out",
            "outputs": {},
            "error": {"type": "StepTimedOut", "message": "late"},
        },
    }


def test_a_for_each_is_one_record_with_its_items():
    results = [result("a/1", 1, "failed", error=("E", "m")), result("a/0", 2, outputs={"x": 1})]
    record = stored_of(results, ["a"], [])["steps"]["a"]
    assert (record["status"], record["outputs"]) == ("failed", [{"x": 1}, None])
    assert [item["status"] for item in record["items"]] == ["succeeded", "failed"]


def test_a_block_in_a_for_each_reads_the_records_of_its_own_item():
    results = [
        result("a/0", 1, outputs={"x": 0}),
        result("a/1", 2, outputs={"x": 1}),
        result("b/1/0", 3, outputs={"y": 0}),
        result("b/1/1", 4, outputs={"y": 1}),
        result("b/0/0", 5, outputs={"y": 9}),
    ]
    found = stored_of(results, ["a", "b"], [], (1,))["steps"]
    assert found["a"]["outputs"] == {"x": 1}
    assert found["b"]["outputs"] == [{"y": 0}, {"y": 1}]


def test_a_for_each_that_was_stopped_reads_what_is_stored_of_its_own_items():
    """What did not report was cut off; what a resume let go is as if it had never been."""
    results = [
        result("a/0", 1, outputs={"x": 1}),
        result("a/1", 2, "failed", error=("StepTimedOut", "late"), outputs={"half": 1}),
        result("a/2", 3, "begun"),
        result("a/3", 4, "in_doubt", error=("StepInDoubt", "who knows")),
        result("a/4", 5, "again"),
        result("a/10", 5),
        result("a/0/0", 6),
        result("ab/7", 7),
    ]
    cut_off = {"status": "cancelled", "outputs": None, "error": None}
    assert items_of(results, "a", ()) == {
        "0": {"status": "succeeded", "outputs": {"x": 1}, "error": None},
        "1": {
            "status": "timed_out",
            "outputs": None,
            "error": {"type": "StepTimedOut", "message": "late"},
        },
        "2": cut_off,
        "3": cut_off,
        "10": {"status": "succeeded", "outputs": {}, "error": None},
    }
    assert [*items_of(results, "a", (0,))] == ["0"]
    assert items_of(results, "b", ()) == {}


class Results:
    """Stored results of one run."""

    def __init__(self, *results):
        self.results = results
        self.undone = []

    def of_run(self, _run):
        return [*self.results]

    def of_step(self, _run, step):
        return [one for one in self.results if one.place.step == step]

    def begin_undo(self, _run, path):
        self.undone.append(path)
        return False


def call(step, number, attempt=1):
    child = {"id": f"{step}-{number}", "attempt": attempt, "inputs": {}}
    return {"step": step, "items": [], "record": {"status": "cancelled", "child": child}}


def test_a_call_whose_caller_did_not_hear_of_it_is_undone_and_no_other_twice():
    """Its caller may be stopped just when it succeeds; one in an earlier attempt is another."""
    kept = {"id": "a-1", "attempt": 1, "inputs": {}}
    results = Results(replace(result("a", 1), child=kept))
    found = [call("a", 1), call("a", 1, 2), call("a", 2), call("b", 1), call("c", 1)]
    message = {
        "op": "stored",
        "run": {"id": "r", "attempt": 1},
        "steps": [],
        "undo": ["a", "b", "c"],
        "execution": "arn",
        "cut_off": [call("b", 1)],
    }
    lost = [(NOON + timedelta(minutes=9 - n), one) for n, one in enumerate(found)]
    due = stored(message, results, lambda _: lost)["undo"]
    assert [(one["record"]["child"]["id"], one["record"]["child"]["attempt"]) for one in due] == [
        ("b-1", 1),
        ("a-1", 2),
        ("a-2", 1),
        ("c-1", 1),
        ("a-1", 1),
    ]
    asked = stored(message | {"execution": None}, results, lambda _: lost)["undo"]
    assert [one["record"]["child"]["id"] for one in asked] == ["b-1", "a-1"]


def test_the_undo_of_a_call_is_not_noted_as_that_of_another():
    results = Results(replace(result("a", 1), child={"id": "a-2", "attempt": 1}, undo="done"))
    note = {"op": "undo", "run": {"id": "r", "attempt": 1}, "step": "a", "items": []}
    assert note_undo(note | {"child": {"id": "a-1", "attempt": 1}}, results) == {"done": False}
    assert note_undo(note | {"child": {"id": "a-2", "attempt": 2}}, results) == {"done": False}
    assert note_undo(note | {"child": {"id": "a-2", "attempt": 1}}, results) == {"done": True}
    assert note_undo(note, results) == {"done": True}
    assert results.undone == []
