"""What stays of a run that is resumed: undone results, repeated steps, called workflows."""

from __future__ import annotations

from typing import Any

from tests.functions.resume.simple import CALLS, CHILD, A, B, C, failed, failing, script, whys
from tests.functions.resume.town import Does, Town

# --- undone results -----------------------------------------------------------------------------


def booked(name: str) -> dict[str, Any]:
    return script(name, compensate={"run": f"echo cancel {name}"})


def test_an_undone_result_is_not_kept_and_is_undone_again_after_the_next_failure():
    town = Town({"steps": [booked("flight"), B]})
    town.say = failing("b")
    town.run()
    assert whys(town) == {"flight": "it was undone", "b": "it comes after 'flight'"}
    town.resume()
    assert town.done() == ["flight", "flight_undo", "flight", "flight_undo/r2"]
    town.say = failing()
    town.resume()
    assert town.done(3) == ["flight", "b"]


def test_what_was_undone_and_did_not_run_again_is_not_undone_twice():
    town = Town({"steps": [A, booked("flight"), B]})
    town.say = failing("b")
    town.run()
    town.say = failing("a")
    town.deploy({"steps": [script("a", env={"NEW": "1"}), booked("flight"), B]})
    town.resume()
    assert town.done() == ["a", "flight", "flight_undo"]


def test_what_was_not_reached_again_is_undone_if_it_is_still_there():
    """The flight was kept from attempt 1 until `a` failed in attempt 2."""
    town = Town({"steps": [A, booked("flight"), B]})
    town.say = failing("b", stops=True, fails=None)
    town.run()
    town.say = failing("a")
    town.deploy({"steps": [script("a", env={"NEW": "1"}), booked("flight"), B]})
    town.resume(redo=frozenset({"b"}))
    assert town.done()[-1] == "flight_undo"


def test_a_half_undone_result_is_in_doubt():
    town = Town({"steps": [booked("flight"), B]})
    town.say = failing("b", "flight_undo")
    town.run()
    town.say = failing()
    plan = town.plan().plan
    assert plan.refused[0].step == "flight"
    assert "whether it is, is unknown" in plan.refused[0].why
    town.resume(redo=frozenset({"flight"}))
    assert town.done() == ["flight", "flight", "b"]


def test_a_removed_step_with_an_undo_is_refused():
    town = Town({"steps": [booked("flight"), B]})
    town.say = failing("b", stops=True, fails=None)
    town.run()
    town.deploy({"steps": [B]})
    refused = town.plan(redo=frozenset({"b"})).plan.refused
    assert [one.step for one in refused] == ["flight"]
    assert "put it back" in refused[0].why


# --- builds -------------------------------------------------------------------------------------


def test_a_script_that_is_kept_is_not_built_again():
    build = script("build", runner="codebuild", outputs={"x": "${{ steps.build.outputs.x }}"})
    reads = script("b", env={"X": "${{ steps.build.outputs.x }}"})
    seen: list[Any] = []

    def say(path: str, call: Any) -> Does:
        if path == "build":
            return Does(outputs={"x": "built"})
        seen.append(call["env"]["X"])
        return Does(fails="Broken" if len(seen) == 1 else None)

    town = Town({"steps": [build, reads]})
    town.say = say
    town.run()
    town.resume()
    assert town.done() == ["build", "b"]
    assert (town.builds, seen) == (1, ["built", "built"])
    town.resume(start=frozenset({"build"}))
    assert (town.builds, town.done(3)) == (2, ["build", "b"])


# --- what nothing is stored of ------------------------------------------------------------------

CALL = {"id": "call", "action": "aws:sqs:sendMessage", "inputs": {"QueueUrl": "q"}}


def test_a_direct_call_is_repeated_and_takes_nothing_along():
    town = failed(CALL, A, B, at="b")
    assert whys(town) == {"call": "nothing is stored of it", "b": "it failed"}
    town.resume()
    assert town.done() == ["call", "a", "call", "b"]


def test_a_checkpoint_keeps_a_direct_call_and_what_it_gave():
    kept = {**CALL, "checkpoint": True}
    kept["outputs"] = {"MessageId": "no ${{ steps.call.outputs.MessageId }}"}
    reads = script("b", env={"ID": "${{ steps.call.outputs.MessageId }}"})
    seen: list[str] = []

    def say(path: str, call: Any) -> Does:
        if path == "call":
            return Does(outputs={"MessageId": "m-1"})
        if path == "b":
            seen.append(call["env"]["ID"])
        return Does(fails="Broken" if path == "b" and len(seen) == 1 else None)

    town = Town({"steps": [kept, A, reads]})
    town.say = say
    town.run()
    assert whys(town) == {"b": "it failed"}
    played = town.resume()
    assert played.status == "SUCCEEDED"
    assert town.done() == ["call", "a", "b"]
    assert seen == ["no m-1", "no m-1"]
    assert [name for name, *_ in played.query_errors] == ["call"]  # how it asks


def test_what_reads_a_repeated_call_runs_again_only_if_it_gives_something_else():
    call = {**CALL, "outputs": {"MessageId": "${{ steps.call.outputs.MessageId }}"}}
    reads = script("a", env={"ID": "${{ steps.call.outputs.MessageId }}"})
    answers = {"MessageId": "m-1"}

    def say(path: str, _call: Any) -> Does:
        return Does(fails="Broken") if path == "c" else Does(outputs=answers)

    town = Town({"steps": [call, reads, B, C]})
    town.say = say
    town.run()
    assert set(whys(town)) == {"call", "a", "b", "c"}
    assert [one.step for one in town.plan().plan.perhaps] == ["a", "b"]
    town.resume()
    assert town.done(2) == ["call"]
    answers["MessageId"] = "m-2"
    town.resume()
    assert town.done(3) == ["call", "a", "b"]


def test_approvals_are_asked_again_and_take_nothing_along():
    review = {"id": "review", "type": "manual", "assignees": ["ann@example.com"]}
    town = failed(A, review, B, C, at="c")
    assert whys(town) == {"review": "approvals are asked again", "c": "it failed"}
    town.resume()
    assert town.done() == ["a", "b", "c"]


# --- sub-workflows ------------------------------------------------------------------------------


def test_a_called_workflow_goes_on_inside():
    town = failed(A, CALLS, B, at="c2", called={"child": CHILD})
    assert whys(town) == {"calls.c2": "it failed", "calls": "it failed; it goes on inside"}
    assert town.plan().plan.kept == ["a", "calls.c1"]
    town.resume()
    assert town.done() == ["a", "c1", "c2", "c3", "b"]


def test_a_called_workflow_is_corrected_too():
    town = failed(A, CALLS, B, at="b", called={"child": CHILD})
    child = {"steps": [script("c1"), script("c2", env={"NEW": "1"}), script("c3")]}
    town.deploy({"steps": [A, CALLS, B]}, child=child)
    assert whys(town) == {
        "calls.c2": "it was changed",
        "calls.c3": "it comes after 'c2'",
        "calls": "it goes on inside",
        "b": "it comes after 'calls'",
    }
    town.resume()
    assert town.done(2) == ["c2", "c3", "b"]


def test_a_called_workflow_behind_a_changed_step_begins_anew():
    town = failed(A, CALLS, B, at="b", called={"child": CHILD})
    town.deploy({"steps": [script("a", env={"NEW": "1"}), CALLS, B]}, child=CHILD)
    town.resume()
    assert town.done(2) == ["a", "c1", "c2", "c3", "b"]
    assert len({e.run for e in town.effects if e.step == "c1"}) == 2
    town.say = failing("b")
    town.resume(start=frozenset({"b"}))
    assert town.done(3) == []  # and goes on under its second name


def test_a_checkpoint_keeps_a_called_workflow_as_a_whole():
    kept = {**CALLS, "checkpoint": True}
    review = {"id": "review", "type": "manual", "assignees": ["ann@example.com"]}
    child = {"steps": [script("c1"), review]}
    town = failed(A, kept, B, at="b", called={"child": child})
    assert whys(town) == {"b": "it failed"}
    town = failed(A, CALLS, B, at="b", called={"child": child})
    assert whys(town)["calls.review"] == "approvals are asked again"


def test_steps_inside_a_called_workflow_have_addresses():
    town = failed(A, CALLS, B, at="c2", called={"child": CHILD}, killed=True, fails=None)
    assert [one.step for one in town.plan().plan.refused] == ["calls.c2"]
    town.resume(redo=frozenset({"calls.c2"}))
    assert town.done() == ["a", "c1", "c2", "c2", "c3", "b"]
    town = failed(A, CALLS, B, at="b", called={"child": CHILD})
    town.resume(start=frozenset({"calls.c3"}))
    assert town.done(2) == ["c3", "b"]


def test_a_called_workflow_that_was_tried_twice_goes_on_with_its_first_try():
    tried = {**CALLS, "retry": {"max_attempts": 2, "delay": "1s"}}
    town = failed(A, tried, B, at="c2", called={"child": CHILD})
    assert town.done() == ["a", "c1", "c1"]
    assert whys(town) == {"calls.c2": "it failed", "calls": "it failed; it goes on inside"}
    assert town.plan().plan.kept == ["a", "calls.c1"]
    town.resume()
    assert town.done(2) == ["c2", "c3", "b"]


def test_each_item_of_a_called_workflow_goes_on_by_itself():
    each = {**CALLS, "for_each": ["x", "y"], "checkpoint": True}
    town = Town({"steps": [each, B]}, child=CHILD)
    bad = {"one": True}

    def say(path: str, _call: Any) -> Does:
        return Does(fails="Broken" if path == "c3" and bad.pop("one", False) else None)

    town.say = say
    town.run()
    plan = town.plan().plan
    assert {one.step for one in plan.again} == {"calls", "calls/0.c3"}
    town.resume()
    assert town.done(2) == ["c3", "b"]
