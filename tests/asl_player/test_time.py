"""Virtual time: forks and joins, waits, retries, time limits, and what an abort stops."""

from __future__ import annotations

from typing import Any

import pytest

from tests.asl_player import Call, Outcome, TaskFailed, play
from tests.asl_player.build import machine, map_over, parallel, put, task, token_task


def takes(**seconds: float):
    """Answer each task by its state's name after so many seconds."""
    return lambda call: Outcome(call.state, takes=seconds[call.state])


def test_branches_run_at_once_and_the_join_waits_for_the_slowest() -> None:
    definition = machine(
        {"P": parallel({"A": task(Next="B"), "B": task()}, {"C": task()}, Next="D"), "D": task()}
    )
    played = play(definition, {}, takes(A=2, B=3, C=4, D=1))
    assert [(call.state, call.time, call.end) for call in played.calls] == [
        ("A", 0, 2),
        ("C", 0, 4),
        ("B", 2, 5),
        ("D", 5, 6),
    ]
    assert played.duration == 6


def test_a_failed_branch_aborts_its_siblings_at_once() -> None:
    def stub(call: Call) -> Outcome:
        return Outcome.fail("Bad", "why", takes=3) if call.state == "A" else Outcome(1, takes=9)

    caught = [{"ErrorEquals": ["Bad"], "Next": "Z"}]
    definition = machine(
        {
            "P": parallel(
                {"A": task()},
                {"B": task(Next="C"), "C": task()},
                {"W": token_task()},
                {"Q": parallel({"D": task()})},
                Catch=caught,
            ),
            "Z": put("{% $states.input %}"),
        }
    )
    played = play(definition, {}, stub)
    assert played.output == {"Error": "Bad", "Cause": "why"}
    assert {call.state: (call.status, call.end) for call in played.calls} == {
        "A": ("failed", 3),
        "B": ("aborted", 3),
        "W": ("aborted", 3),
        "D": ("aborted", 3),
    }
    assert played.duration == 3


def test_a_branch_that_fails_in_its_first_moment_still_lets_its_siblings_start() -> None:
    fail = {"Type": "Fail", "Error": "Bad"}
    played = play(machine({"P": parallel({"F": fail}, {"A": task()})}), {}, takes(A=1))
    assert played.error == "Bad"
    assert [(call.state, call.status) for call in played.calls] == [("A", "aborted")]


def test_a_parallel_that_is_tried_again_runs_all_its_branches_again() -> None:
    def stub(call: Call) -> Outcome:
        if call.state == "A" and call.player.now < 2:
            raise TaskFailed("Bad")
        return Outcome(call.player.now)

    retry = [{"ErrorEquals": ["Bad"], "IntervalSeconds": 5}]
    played = play(machine({"P": parallel({"A": task()}, {"B": task()}, Retry=retry)}), {}, stub)
    assert played.output == [5, 5]
    assert played.states() == ["P", "A", "B", "A", "B"]
    assert played.retries == 1
    assert played.transitions == 6


def test_a_retry_waits_longer_each_time_up_to_its_limit() -> None:
    retry = [
        {
            "ErrorEquals": ["States.ALL"],
            "IntervalSeconds": 2,
            "BackoffRate": 3,
            "MaxDelaySeconds": 10,
            "MaxAttempts": 4,
        }
    ]
    played = play(machine({"A": task(Retry=retry)}), {}, lambda _: Outcome.fail("E", takes=1))
    assert [call.time for call in played.calls] == [0, 3, 10, 21, 32]
    assert [call.attempt for call in played.calls] == [0, 1, 2, 3, 4]
    assert (played.status, played.error, played.duration) == ("FAILED", "E", 33)
    assert played.states() == ["A"]


def test_each_retrier_counts_its_own_attempts() -> None:
    errors = iter(["E1", "E2", "E1", "E2", "E1"])
    retry = [
        {"ErrorEquals": ["E1"], "MaxAttempts": 2, "IntervalSeconds": 1, "BackoffRate": 1},
        {"ErrorEquals": ["E2"], "MaxAttempts": 2, "IntervalSeconds": 10, "BackoffRate": 1},
    ]
    played = play(machine({"A": task(Retry=retry)}), {}, lambda _: Outcome.fail(next(errors)))
    assert [call.time for call in played.calls] == [0, 1, 11, 12, 22]


def test_an_output_that_fails_calls_the_task_again() -> None:
    retry = [{"ErrorEquals": ["States.QueryEvaluationError"], "MaxAttempts": 2}]
    definition = machine({"A": task(Retry=retry, Output="{% $states.result.nope %}")})
    played = play(definition, {}, lambda _: Outcome({}))
    assert len(played.calls) == 3
    assert played.error == "States.QueryEvaluationError"
    assert [(state, field) for state, field, _ in played.query_errors] == [("A", "Output")] * 3


def test_a_time_limit_is_per_attempt_and_may_be_an_expression() -> None:
    retry = [{"ErrorEquals": ["States.Timeout"], "MaxAttempts": 1, "IntervalSeconds": 1}]
    definition = machine({"A": task(TimeoutSeconds="{% $states.input.t %}", Retry=retry)})
    played = play(definition, {"t": 4}, takes(A=9))
    assert [(call.time, call.end, call.status) for call in played.calls] == [
        (0, 4, "timed_out"),
        (5, 9, "timed_out"),
    ]
    assert played.error == "States.Timeout"


@pytest.mark.parametrize("limit", [0, -1, 1.5, "5", None, True])
def test_a_time_limit_that_is_no_whole_number_of_seconds_fails(limit: Any) -> None:
    definition = machine({"A": task(TimeoutSeconds="{% $states.input.t %}")})
    played = play(definition, {"t": limit}, takes(A=9))
    assert played.error == "States.QueryEvaluationError"
    assert played.query_errors[0][:2] == ("A", "TimeoutSeconds")
    assert not played.calls


def test_states_task_failed_does_not_take_a_timeout() -> None:
    catch = [{"ErrorEquals": ["States.TaskFailed"], "Next": "Z"}]
    definition = machine({"A": task(TimeoutSeconds=1, Catch=catch), "Z": put(1)})
    assert play(definition, {}, takes(A=2)).error == "States.Timeout"
    assert play(definition, {}, lambda _: Outcome.fail("E")).output == 1


def test_the_machines_time_limit_stops_everything() -> None:
    definition = machine({"P": parallel({"A": task()}, {"B": token_task()})}, TimeoutSeconds=7)
    played = play(definition, {}, takes(A=20, B=0))
    assert (played.status, played.error, played.duration) == ("TIMED_OUT", None, 7)
    assert {call.status for call in played.calls} == {"aborted"}


def test_a_run_that_nothing_ends_times_out_after_a_year() -> None:
    played = play(machine({"A": token_task()}), {}, lambda _: Outcome())
    assert (played.status, played.duration) == ("TIMED_OUT", 365 * 86_400)


def test_a_wait_ends_at_its_time_and_assigns_then() -> None:
    states = {
        "W": {
            "Type": "Wait",
            "Timestamp": "{% $states.input.until %}",
            "Assign": {"at": "{% $millis() %}", "began": "{% $states.context.State.EnteredTime %}"},
            "Next": "Z",
        },
        "Z": put({"at": "{% $fromMillis($at) %}", "began": "{% $began %}"}),
    }
    played = play(machine(states), {"until": "2026-01-01T03:00:00+02:00"}, takes())
    assert played.duration == 3600
    assert played.output == {"at": "2026-01-01T01:00:00.000Z", "began": "2026-01-01T00:00:00.000Z"}


@pytest.mark.parametrize("until", ["2026-01-01T03:00:00", "2026-01-01", "soon", 5])
def test_a_timestamp_needs_an_offset(until: Any) -> None:
    states = {"W": {"Type": "Wait", "Timestamp": "{% $states.input.u %}", "End": True}}
    assert play(machine(states), {"u": until}, takes()).error == "States.QueryEvaluationError"


def test_a_map_keeps_its_order_and_its_limit() -> None:
    def stub(call: Call) -> Outcome:
        return Outcome(call.arguments, takes=call.arguments["s"])

    argument = {"s": "{% $states.input %}"}
    body = {"T": task(Arguments=argument, Output="{% $states.result.s %}")}
    definition = machine({"M": map_over([5, 1, 3, 1], body, MaxConcurrency=2)})
    played = play(definition, {}, stub)
    assert played.output == [5, 1, 3, 1]
    assert [(call.time, call.end) for call in played.calls] == [(0, 5), (0, 1), (1, 4), (4, 5)]


def test_an_inline_map_runs_forty_at_once_at_most() -> None:
    definition = machine({"M": map_over(list(range(41)), {"T": task()})})
    assert play(definition, {}, takes(T=1)).duration == 2


def test_a_failed_iteration_aborts_the_others_and_starts_no_more() -> None:
    def stub(call: Call) -> Outcome:
        return Outcome.fail("Bad", takes=2) if call.arguments == 2 else Outcome(takes=3)

    body = {"T": task(Arguments="{% $states.input %}")}
    played = play(machine({"M": map_over([1, 2, 3], body, MaxConcurrency=2)}), {}, stub)
    assert (played.error, played.duration) == ("Bad", 2)
    assert [call.status for call in played.calls] == ["aborted", "failed"]


def test_a_map_over_nothing_gives_nothing() -> None:
    assert play(machine({"M": map_over([], {"T": task()})}), {}, takes()).output == []


def test_the_start_moves_every_time() -> None:
    played = play(machine({"A": task()}), {}, takes(A=2), start_time=100)
    assert (played.start, played.calls[0].time, played.end, played.duration) == (100, 100, 102, 2)


def test_two_plays_of_one_definition_are_the_same() -> None:
    states = {"A": put({"u": "{% $uuid() %}", "r": "{% $random() %}", "t": "{% $now() %}"})}
    assert play(machine(states), {}, takes()) == play(machine(states), {}, takes())
