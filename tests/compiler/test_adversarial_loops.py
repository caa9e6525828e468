"""Retries, repeats and pauses, alone and together: what is called again, and under which name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from compiler.check import WorkflowContract
from tests.asl_player import Outcome
from tests.emitted import Happens, Told, World, compiled, run

CHILD = WorkflowContract(
    "child",
    None,
    "workflows/child.yaml",
    outputs={"type": "object", "properties": {"ok": {"type": "boolean"}}},
)
CALLER = """
name: w
steps:
  - id: call
    type: subworkflow
    workflow: child
    {more}
"""


class Desk(World):
    """A person who ends each pause with the next of `choices`."""

    choices: Sequence[str] = ()
    asked: int = 0

    def _task(self, call: Any, payload: Mapping[str, Any]) -> Outcome:
        if payload["op"] != "pause":
            return super()._task(call, payload)
        choice = self.choices[self.asked]
        self.asked += 1
        answer = {"choice": choice, "outputs": None}
        call.player.at(1, lambda: call.player.succeed(payload["token"], answer))
        return Outcome()


def played(
    workflow: str, say: Callable[[str, Mapping[str, Any]], Happens], *choices: str
) -> tuple[Told, Desk]:
    """Play a workflow whose pauses end as `choices` say."""
    desk = Desk(say)
    desk.choices = choices
    told = run(compiled(workflow, workflows={"child": (CHILD,)}), say, world=desk)
    assert told.played.query_errors == []
    return told, desk


def in_turn(step: str, *ends: Happens) -> Callable[[str, Mapping[str, Any]], Happens]:
    """Let the attempts of a step end one after the other as given, the last one for ever."""
    left = [*ends]

    def say(name: str, payload: Mapping[str, Any]) -> Happens:
        if name != step or payload.get("op"):
            return Happens("timed_out" if name == step else "succeeded")
        return left.pop(0) if len(left) > 1 else left[0]

    return say


def names_of(told: Told) -> list[str]:
    """Return the names under which child executions were started, in order."""
    return [c.arguments["Name"] for c in told.played.calls if "startExecution" in c.resource]


FAILED, FINE = Happens("failed"), Happens()


def test_a_passing_error_of_step_functions_starts_the_same_child_again() -> None:
    """A start whose answer was lost must not start a second child."""
    lost = Happens("failed", error="StepFunctions.SfnException")
    told, _ = played(CALLER.format(more=""), in_turn("call", lost, lost, FINE))
    assert told.run == "succeeded"
    assert len(names_of(told)) == 3
    assert len(set(names_of(told))) == 1


@pytest.mark.parametrize(
    "retry", ["{count: 2}", "{count: 2, conditions: [{error_type: WorkflowError}]}"]
)
def test_the_authors_retries_of_a_sub_workflow_start_another_child_each(retry: str) -> None:
    """A name that was used cannot be used again."""
    failed = Happens("failed", error="States.TaskFailed")
    told, _ = played(CALLER.format(more=f"retry: {retry}"), in_turn("call", failed, failed, FINE))
    assert told.run == "succeeded"
    assert len(set(names_of(told))) == 3


def test_what_an_expression_did_is_not_tried_again() -> None:
    """It would fail again."""
    broken = Happens("failed", error="States.QueryEvaluationError")
    told, _ = played(CALLER.format(more="retry: {count: 2}"), in_turn("call", broken))
    assert told.run == "failed"
    assert len(names_of(told)) == 1


def test_a_person_who_retries_a_sub_workflow_starts_another_child() -> None:
    """So does each of the author's retries behind it."""
    more = "on_error: pause\n    retry: {count: 1}"
    told, desk = played(
        CALLER.format(more=more), in_turn("call", FAILED, FAILED, FAILED, FINE), "retry"
    )
    assert desk.asked == 1
    assert told.run == "succeeded"
    assert len(set(names_of(told))) == len(names_of(told)) == 4


def test_each_round_of_a_repeated_sub_workflow_is_a_child_of_its_own() -> None:
    """And a repeat that runs out has failed."""
    until = 'repeat: {until: "${{ steps.call.outputs.ok }}", delay: 5s, max_attempts: 3}'
    told, _ = played(CALLER.format(more=until), in_turn("call", FINE))
    assert told.run == "failed"
    assert "RepeatExhausted" in str(told.played.cause)
    assert len(set(names_of(told))) == 3


ALL = """
name: w
steps:
  - id: it
    run: echo
    retry: {max_attempts: 3, delay: 1s, conditions: ["contains(steps.it.outputs.error, 'again')"]}
    repeat: {until: "${{ steps.it.outputs.ok == 'yes' }}", delay: 5s, max_attempts: 3}
    on_error: pause
    outputs: {ok: "${{ steps.it.outputs.ok }}"}
"""
AGAIN = Happens("failed", message="again")
NO, YES = Happens(outputs={"ok": "no"}), Happens(outputs={"ok": "yes"})


@pytest.mark.parametrize(
    ("ends", "choices", "rounds", "verdict"),
    [
        ([AGAIN, AGAIN, YES], (), [1, 1, 1], "succeeded"),
        # three attempts, a person, three more
        ([AGAIN] * 5 + [YES], ("retry",), [1] * 6, "succeeded"),
        # attempts are counted anew in each round
        ([AGAIN, AGAIN, NO, AGAIN, AGAIN, YES], (), [1, 1, 1, 2, 2, 2], "succeeded"),
        # a repeat that ran out asks the person; its rounds are stored, so another one follows
        ([NO, NO, NO, YES], ("retry",), [1, 2, 3, 4], "succeeded"),
        ([NO, NO, NO, NO], ("retry", "skip"), [1, 2, 3, 4], "succeeded"),
        ([NO], ("fail",), [1, 2, 3], "failed"),
        ([Happens("failed", message="stop")], ("fail",), [1], "failed"),
    ],
)
def test_retry_repeat_and_pause_of_one_step(
    ends: list[Happens], choices: tuple[str, ...], rounds: list[int], verdict: str
) -> None:
    """Each does its own part, whatever the others have done before."""
    told, desk = played(ALL, in_turn("it", *ends), *choices)
    calls = [c.arguments["Payload"] for c in told.played.calls]
    assert [call["iteration"] for call in calls if call["step"] == "it" and "op" not in call] == (
        rounds
    )
    assert told.run == verdict
    assert desk.asked == len(choices)


@pytest.mark.parametrize(
    "step",
    [
        '{id: it, type: wait, until: "${{ steps.first.outputs.at }}", on_error: pause}',
        "{id: it, type: wait, event: {source: [shop]}, timeout: 5m, on_error: pause}",
        "{id: it, type: publish, event: a.b, payload: {n: 1}, on_error: pause}",
        '{id: it, action: "aws:s3:getObject", inputs: {}, on_error: pause}',
        "{id: it, type: wait, for: 5s, on_error: pause}",
    ],
)
@pytest.mark.parametrize("last", [True, False])
def test_every_kind_of_step_can_be_paused(step: str, last: bool) -> None:
    """A person is asked wherever the step can fail, and may let it fail, pass or be tried again."""
    more = "" if last else "  - {id: after, run: echo}\n"
    first = "{id: first, run: echo, outputs: {at: '${{ steps.first.outputs.at }}'}}"
    workflow = f"name: w\nsteps:\n  - {first}\n  - {step}\n{more}"
    can_fail = "for: 5s" not in step and "publish" not in step

    def say(name: str, payload: Mapping[str, Any]) -> Happens:
        del payload
        return Happens("failed" if name == "it" else "succeeded", outputs={"at": "tomorrow"})

    for choices in (("fail",), ("skip",), ("retry", "retry", "fail")):
        told, desk = played(workflow, say, *choices)
        assert desk.asked == (len(choices) if can_fail else 0)
        failed = can_fail and choices[-1] == "fail"
        assert told.run == ("failed" if failed else "succeeded")


def test_a_wait_that_a_person_has_opened_again_is_a_later_one() -> None:
    """Its token must win over those of the wait before it, however often that was tried."""
    workflow = """
name: w
steps:
  - {id: it, type: wait, event: {source: [shop]}, timeout: 5m, on_error: pause}
"""
    told, _ = played(workflow, in_turn("it", FINE), "retry", "retry", "fail")
    payloads = [c.arguments["Payload"] for c in told.played.calls]
    assert [p["entry"] for p in payloads if p["op"] == "await_event"] == [0, 10, 20]


def test_the_pause_before_a_late_attempt_is_a_number() -> None:
    """A thousand attempts do not let the doubled pause grow beyond what a number can hold."""
    workflow = """
name: w
steps:
  - id: it
    run: echo
    retry:
      max_attempts: 600
      backoff: {type: exponential, base_delay: 1s, max_delay: 2s}
      conditions: ["contains(steps.it.outputs.error, 'broke')"]
"""
    delay = compiled(workflow).machines[0].definition["States"]["it.delay"]["Seconds"]
    assert "$min([$a_it - 2, 100])" in str(delay)
    told, _ = played(workflow.replace("600", "150"), in_turn("it", FAILED))
    assert told.run == "failed"
    assert len(told.played.calls) == 150


def test_events_of_one_step_have_ids_of_their_own() -> None:
    """Each round of a repeat publishes another event; intake would drop one of a known id."""
    workflow = """
name: w
steps:
  - id: it
    type: publish
    event: tick
    payload: {n: 1}
    repeat: {until: "${{ false }}", delay: 5s, max_attempts: 2}
"""
    told, _ = played(workflow, in_turn("it", FINE))
    details = [c.arguments["Entries"][0]["Detail"] for c in told.played.calls]
    assert [detail["event_id"] for detail in details] == ["run-1/it/r1", "run-1/it/r2"]


def test_an_answer_lost_on_the_way_is_waited_for_by_any_step() -> None:
    """Lambda may carry out a call whose answer was lost; the next call then finds it at work."""
    lost = Happens("failed", error="Lambda.SdkClientException")
    at_work = Happens("failed", error="StepInProgress")
    for more in ("", ", retry: {count: 1}", ", on_error: continue"):
        workflow = f"name: w\nsteps:\n  - {{id: it, run: echo{more}}}\n"
        told, _ = played(workflow, in_turn("it", lost, *[at_work] * 20, FINE))
        assert told.run == "succeeded"
        assert told.steps["it"] == {"status": "succeeded"}
