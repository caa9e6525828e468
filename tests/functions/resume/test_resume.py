"""What a resume says beforehand, and does then: examples, each read off what the steps did."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from compiler.check import StageSettings
from compiler.manifest import manifest
from functions.domain.resuming import Wishes
from functions.usecases.resume import NotResumed, Unknown, UnknownRun, plan_resume
from tests.emitted import compiled
from tests.functions.resume.simple import CALLS, CHILD, A, B, C, D, failed, failing, script, whys
from tests.functions.resume.town import RUN, Does, Town


def test_it_goes_on_where_it_failed():
    town = failed(A, B, C, at="b")
    plan = town.plan().told()
    assert plan["again"] == [{"step_id": "b", "why": "it failed"}]
    assert (plan["kept"], plan["following"]) == (["a"], ["c"])
    assert plan["run_attempt"] == 2
    assert town.resume().status == "SUCCEEDED"
    assert town.done() == ["a", "b", "c"]


def test_a_dry_run_changes_nothing():
    town = failed(A, B, at="b")
    before = {key: row.result for key, row in town.results.rows.items()}
    town.plan(start=frozenset({"a"}))
    assert {key: row.result for key, row in town.results.rows.items()} == before
    assert town.runs.items[RUN].attempt == 1


def test_what_was_changed_runs_again_with_all_behind_it():
    town = failed(A, B, C, D, at="d")
    town.deploy({"steps": [A, script("b", env={"NEW": "1"}), C, D]})
    assert whys(town) == {
        "b": "it was changed",
        "c": "it comes after 'b'",
        "d": "it comes after 'c'",
    }
    town.resume()
    assert town.done(2) == ["b", "c", "d"]


def test_a_new_step_runs_and_takes_what_comes_after_it_along():
    town = failed(A, B, C, at="c")
    town.deploy({"steps": [A, script("new"), B, C]})
    assert whys(town) == {
        "new": "it is new",
        "b": "it comes after other steps now",
        "c": "it comes after 'b'",
    }


def test_a_new_step_that_nothing_comes_after_leaves_the_others_alone():
    town = failed(A, B, at="b")
    town.deploy({"steps": [A, B, script("new", depends_on=["a"])]})
    assert whys(town) == {"b": "it failed", "new": "it is new"}


def test_a_renamed_step_is_another_step():
    town = failed(A, B, C, at="c")
    town.deploy({"steps": [A, script("renamed"), C]})
    plan = town.plan().plan
    assert plan.removed == ["b"]
    assert {one.step for one in plan.again} == {"renamed", "c"}
    town.resume()
    assert town.done() == ["a", "b", "renamed", "c"]


def test_a_step_that_comes_back_after_it_was_removed_does_not_find_its_old_result():
    town = failed(A, B, C, at="c")
    town.deploy({"steps": [A, C]})
    town.say = failing("c")
    town.resume()
    town.deploy({"steps": [A, B, C]})
    town.say = failing()
    town.resume()
    assert town.done(3) == ["b", "c"]


def test_what_an_earlier_resume_did_not_come_to_is_not_forgotten():
    """`c` was to run again after `b`; the second attempt failed before it did."""
    town = failed(A, B, C, D, at="d")
    town.deploy({"steps": [A, script("b", env={"NEW": "1"}), C, D]})
    town.say = failing("b")
    town.resume()
    town.say = failing()
    assert whys(town)["c"] == "it comes after 'b'"
    town.resume()
    assert town.done() == ["a", "b", "c", "b", "c", "d"]


def test_steps_that_only_wait_longer_or_retry_more_are_not_changed():
    town = failed(A, B, at="b")
    town.deploy({"steps": [script("a", timeout="10m", retry={"max_attempts": 3}), B]})
    assert whys(town) == {"b": "it failed"}


def test_another_variable_of_the_stage_is_a_change_of_what_reads_it():
    """They are constants in what is compiled."""
    steps = [script("a", env={"WHERE": "${{ vars.region }}"}), B]

    def prints(region: str) -> list[str]:
        made = compiled({"name": "w", "steps": steps}, stage=StageSettings(vars={"region": region}))
        return [step["resume"]["fingerprint"] for step in manifest(made)["steps"]]

    here, there = prints("eu"), prints("us")
    assert here[0] != there[0]
    assert here[1] == there[1]


def test_a_step_that_timed_out_runs_again():
    town = failed(A, B, at="b", fails="StepTimedOut", has_effect=True)
    assert whys(town) == {"b": "it timed out"}


def test_only_the_items_that_failed_run_again():
    each = script("each", for_each=["x", "y", "z"])
    town = failed(A, each, B, at="each/1")
    assert whys(town) == {"each": "it failed: item 1"}
    town.resume()
    assert town.done(2) == ["each/1", "b"]


def test_another_list_is_another_step():
    town = failed(A, script("each", for_each=["x", "y"]), B, at="b")
    town.deploy({"steps": [A, script("each", for_each=["x", "y", "z"]), B]})
    assert whys(town)["each"] == "it was changed"
    town.resume()
    assert town.done(2) == ["each/0", "each/1", "each/2", "b"]


def test_a_handler_runs_for_each_failure():
    handler = {"id": "page", "run": "echo page"}
    town = Town({"steps": [A, B], "on_failure": [handler]})
    town.say = failing("b")
    town.run()
    town.resume()
    assert town.done() == ["a", "page", "page"]


def test_what_is_behind_a_tolerated_failure_stays():
    """Nobody waited for it: it runs again, and takes nothing along that does not read it."""
    lint = script("lint", on_error="continue")
    town = Town({"steps": [lint, B, C]})
    town.say = failing("lint", "c")
    town.run()
    assert whys(town) == {"lint": "it failed", "c": "it failed"}
    town.say = failing()
    town.resume()
    assert town.done(2) == ["lint", "c"]


def test_a_clean_up_behind_a_failure_runs_for_it_again():
    always = script("clean", condition="always()")
    town = failed(A, B, always, at="b")
    assert whys(town)["clean"] == "it comes after 'b'; its condition is asked again"
    town.resume()
    assert town.done() == ["a", "clean", "b", "clean"]


def test_what_somebody_skipped_takes_nothing_along():
    """A pause was answered with `skip`: the record says so, and what came after it was done."""
    town = failed(A, B, C, at="c")
    kept = town.runs.records[RUN, 1]
    town.results.rows[RUN, "a"].result = replace(
        town.results.rows[RUN, "a"].result, status="failed", error=("Broken", "it broke")
    )
    kept.record["steps"][0] |= {"status": "failed", "tolerated": True}
    assert whys(town) == {"a": "it failed", "c": "it failed"}


def test_what_a_stopped_run_did_not_come_to_has_not_run():
    town = failed(A, B, script("each", for_each=["x", "y"]), at="b", stops=True, fails=None)
    for step in town.runs.records[RUN, 1].record["steps"][1:]:
        step["status"] = "cancelled"
    plan = town.plan(redo=frozenset({"b"})).plan
    assert [one.step for one in plan.again] == ["b"]
    assert plan.following == ["each"]


# --- what is in doubt ---------------------------------------------------------------------------


@pytest.mark.parametrize("how", [{"killed": True, "fails": None}, {"in_doubt": True}])
def test_a_step_in_doubt_is_refused_until_somebody_says_what_is_true(how: dict[str, Any]):
    town = failed(A, B, C, at="b", has_effect=True, **how)
    plan = town.plan().plan
    assert [one.step for one in plan.refused] == ["b"]
    assert "--redo" in plan.refused[0].why
    with pytest.raises(NotResumed) as refused:
        town.resume()
    assert refused.value.plan is not None
    assert town.runs.items[RUN].attempt == 1


def test_redo_forgets_what_is_in_doubt():
    town = failed(A, B, C, at="b", killed=True, fails=None)
    assert whys(town, redo=frozenset({"b"})) == {"b": "what was in doubt is forgotten"}
    town.resume(redo=frozenset({"b"}))
    assert town.done() == ["a", "b", "b", "c"]


def test_done_tells_what_somebody_found_to_be_done():
    makes = script("b", outputs={"x": "${{ steps.b.outputs.x }}"})
    reads = script("c", env={"X": "${{ steps.b.outputs.x }}"})
    town = failed(A, makes, reads, at="b", killed=True, fails=None)
    with pytest.raises(NotResumed, match="in the way"):
        town.resume(done={"b": {}})
    assert "say what it gave: x" in town.plan(done={"b": {}}).plan.refused[0].why
    town.resume(done={"b": {"x": "by hand"}})
    assert town.done() == ["a", "b", "c"]
    assert town.results.rows[RUN, "b"].result.outputs == {"x": "by hand"}


def test_what_may_be_repeated_is_not_refused():
    town = Town({"steps": [A, B]})
    town.tolerates_repeats = frozenset({"b"})
    town.say = failing("b", killed=True, fails=None)
    town.run()
    town.say = failing()
    assert whys(town) == {"b": "it is in doubt, and may be repeated"}
    town.resume()
    assert town.done() == ["a", "b", "b"]


def test_redo_of_what_is_not_in_doubt_is_refused():
    town = failed(A, B, at="b")
    assert "--from" in town.plan(redo=frozenset({"b"})).plan.refused[0].why


def test_from_begins_at_a_step_whatever_is_stored():
    town = failed(A, B, C, at="c")
    assert whys(town, start=frozenset({"b"})) == {
        "b": "you asked for it",
        "c": "it comes after 'b'",
    }
    town.resume(start=frozenset({"b"}))
    assert town.done() == ["a", "b", "b", "c"]


# --- whether at all -----------------------------------------------------------------------------


def test_unknown_steps_are_named_with_those_there_are():
    town = failed(A, B, at="b")
    with pytest.raises(Unknown, match="no step 'x'; there are: a, b"):
        town.plan(start=frozenset({"x"}))


def test_an_unknown_run():
    town = failed(A, at="a")
    with pytest.raises(UnknownRun):
        plan_resume("no-run", Wishes(), town.resumer())


def test_a_run_that_succeeded_is_resumed_only_from_a_step():
    town = Town({"steps": [A, B]})
    town.run()
    with pytest.raises(NotResumed, match="succeeded"):
        town.resume()
    town.resume(start=frozenset({"b"}))
    assert town.done() == ["a", "b", "b"]


def test_a_run_of_a_version_that_nobody_knows_is_not_resumed():
    town = failed(A, at="a")
    town.manifests.kept.clear()
    with pytest.raises(NotResumed, match="version"):
        town.plan()


def test_a_run_keeps_its_inputs_and_is_not_resumed_where_others_are_asked_for():
    town = failed(A, at="a")
    town.deploy({"inputs": {"where": "string"}, "steps": [A]})
    with pytest.raises(NotResumed, match="/where: is required"):
        town.plan()
    town.deploy({"inputs": {"where": {"type": "string", "default": "here"}}, "steps": [A]})
    town.resume()
    assert town.runs.inputs[RUN, 2]["inputs"] == {"where": "here"}


def test_a_called_run_is_resumed_by_way_of_its_caller():
    town = failed(A, CALLS, at="c1", called={"child": CHILD})
    child = next(run for run, _ in town.results.rows if run != RUN)
    with pytest.raises(NotResumed, match=f"resume {RUN}"):
        plan_resume(child, Wishes(), town.resumer())


def test_the_run_began_when_its_first_attempt_did():
    shows = script("a", env={"AT": "${{ run.started_at }}", "ATTEMPT": "${{ run.attempt }}"})
    seen: list[Any] = []

    def say(_path: str, call: Any) -> Does:
        seen.append(dict(call["env"]))
        return Does(fails="Broken")

    town = Town({"steps": [shows]})
    town.say = say
    town.run()
    town.resume()
    assert seen[0]["AT"] == seen[1]["AT"]
    assert [one["ATTEMPT"] for one in seen] == [1, 2]


def test_a_repeat_that_ran_out_begins_with_its_first_round():
    until = {"until": "steps.poll.outputs.ready == 'yes'", "delay": "1s", "max_attempts": 2}
    poll = script("poll", repeat=until, outputs={"ready": "${{ steps.poll.outputs.ready }}"})
    ready = {"ready": "no"}
    town = Town({"steps": [poll]})
    town.say = lambda _path, _call: Does(outputs=ready)
    town.run()
    assert whys(town) == {"poll": "it failed"}
    ready["ready"] = "yes"
    town.resume()
    assert town.done() == ["poll/r1", "poll/r2", "poll/r1"]
