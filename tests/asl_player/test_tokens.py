"""Tasks that wait for their token, and executions that start executions."""

from __future__ import annotations

import json

from tests.asl_player import Call, Machine, Outcome, Player, lambda_result, play, play_nested
from tests.asl_player.build import machine, parallel, put, task, token_task

SYNC = "arn:aws:states:::states:startExecution.sync:2"


def test_a_token_ends_its_task_from_another_tasks_call() -> None:
    tokens: dict[str, str | None] = {}

    def stub(call: Call) -> Outcome:
        if call.state == "Wait":
            tokens["Wait"] = call.token
            return Outcome("not the result")
        if call.state == "Signal":
            assert call.player.succeed(tokens["Wait"], {"from": call.state})
        return Outcome(takes=4)

    definition = machine(
        {"P": parallel({"Wait": token_task()}, {"First": task(Next="Signal"), "Signal": task()})}
    )
    played = play(definition, {}, stub)
    assert played.output == [{"from": "Signal"}, None]
    assert {call.state: call.end for call in played.calls} == {"Wait": 4, "First": 4, "Signal": 8}


def test_a_token_can_be_answered_within_its_own_call_and_only_once() -> None:
    answers: list[bool] = []

    def stub(call: Call) -> Outcome:
        answers.append(call.player.succeed(call.token, 1))
        answers.append(call.player.succeed(call.token, 2))
        call.player.at(5, lambda: answers.append(call.player.fail(call.token, "Late")))
        return Outcome(takes=3)

    definition = machine(
        {"A": token_task(Next="W"), "W": {"Type": "Wait", "Seconds": 9, "End": True}}
    )
    played = play(definition, {}, stub)
    assert answers == [True, False, False]
    assert (played.output, played.calls[0].end) == (1, 0)


def test_a_call_that_fails_fails_its_task_although_it_waits_for_a_token() -> None:
    played = play(machine({"A": token_task()}), {}, lambda _: Outcome.fail("E", takes=2))
    assert (played.error, played.duration) == ("E", 2)


def test_a_failure_without_a_name_is_caught_by_states_all_as_nulls() -> None:
    def stub(call: Call) -> Outcome:
        call.player.at(3, lambda: call.player.fail(call.token))
        return Outcome()

    catch = [{"ErrorEquals": ["States.ALL"], "Output": "{% $states.errorOutput %}", "Next": "Z"}]
    definition = machine({"A": token_task(Catch=catch), "Z": {"Type": "Succeed"}})
    played = play(definition, {}, stub)
    assert played.output == {"Error": None, "Cause": None}
    assert played.duration == 3


def test_each_attempt_has_a_token_of_its_own_and_the_old_one_is_void() -> None:
    tokens: list[str | None] = []

    def stub(call: Call) -> Outcome:
        tokens.append(call.token)
        assert call.arguments == {"token": call.token}
        if call.attempt == 1:
            assert not call.player.succeed(tokens[0], "old")
            assert call.player.succeed(tokens[1], "new")
        return Outcome()

    retry = [{"ErrorEquals": ["States.Timeout"], "IntervalSeconds": 1}]
    played = play(machine({"A": token_task(TimeoutSeconds=10, Retry=retry)}), {}, stub)
    assert (played.output, played.duration) == ("new", 11)
    assert len(set(tokens)) == 2


def test_heartbeats_keep_a_task_alive_until_they_stop() -> None:
    def stub(call: Call) -> Outcome:
        for moment in (4, 8, 12):
            call.player.at(moment, lambda: call.player.heartbeat(call.token))
        return Outcome()

    definition = machine({"A": token_task(HeartbeatSeconds=5, TimeoutSeconds=60)})
    played = play(definition, {}, stub)
    assert (played.error, played.duration) == ("States.Timeout", 17)


def test_a_missed_heartbeat_is_taken_by_its_own_name_too() -> None:
    catch = [{"ErrorEquals": ["States.HeartbeatTimeout"], "Next": "Z"}]
    definition = machine({"A": token_task(HeartbeatSeconds=5, Catch=catch), "Z": put("late")})
    assert play(definition, {}, lambda _: Outcome()).output == "late"


def child_of(call: Call, child: Machine) -> Outcome:
    def stub(inner: Call) -> Outcome:
        return Outcome.fail("Bad", "c", takes=3) if inner.arguments else Outcome(7, takes=5)

    return play_nested(call, child, {"a": 1}, stub, name="child-1", machine="c")


def test_a_child_shares_the_time_and_its_end_ends_the_task() -> None:
    child = Machine(machine({"C": task(Next="D"), "D": put("{% $states.input + 1 %}")}))
    definition = machine(
        {
            "A": task(Next="B"),
            "B": task(Resource=SYNC, Output="{% $states.result.(Status & Output) %}"),
        }
    )

    def stub(call: Call) -> Outcome:
        return child_of(call, child) if call.state == "B" else Outcome(takes=2)

    played = play(definition, {}, stub)
    assert (played.output, played.duration) == ("SUCCEEDED8", 7)
    (nested,) = played.children
    assert (nested.start, nested.end, nested.calls[0].time) == (2, 7, 2)


def test_a_failed_child_is_a_failed_task_with_its_description_as_cause() -> None:
    child = Machine(machine({"C": task(Arguments={"fail": True})}))
    definition = machine({"B": task(Resource=SYNC)})
    played = play(definition, {}, lambda call: child_of(call, child))
    assert played.error == "States.TaskFailed"
    described = json.loads(played.cause or "")
    assert (described["Status"], described["Error"]) == ("FAILED", "Bad")
    assert played.duration == 3


def test_a_task_that_times_out_stops_its_child() -> None:
    child = Machine(machine({"C": task()}))
    played = play(
        machine({"B": task(Resource=SYNC, TimeoutSeconds=2)}),
        {},
        lambda call: child_of(call, child),
    )
    assert played.error == "States.Timeout"
    (nested,) = played.children
    assert (nested.status, nested.end, nested.calls[0].status) == ("ABORTED", 2, "aborted")


def test_two_executions_of_one_player_meet_by_a_token() -> None:
    tokens: list[str | None] = []

    def waits(call: Call) -> Outcome:
        tokens.append(call.token)
        return Outcome()

    def answers(call: Call) -> Outcome:
        call.player.succeed(tokens[0], lambda_result(1))
        return Outcome()

    player = Player()
    one = player.start(machine({"A": token_task()}), {}, waits, name="one")
    wait = {"Type": "Wait", "Seconds": 30, "Next": "B"}
    player.start(machine({"W": wait, "B": task()}), {}, answers, name="two")
    player.run()
    assert (one.played.status, one.played.end) == ("SUCCEEDED", 30)


def test_a_task_may_stop_its_own_execution() -> None:
    def stub(call: Call) -> Outcome:
        if call.state == "Stop":
            call.player.stop(call.execution)
        return Outcome(takes=1)

    definition = machine({"P": parallel({"A": task()}, {"B": task(Next="Stop"), "Stop": task()})})
    played = play(definition, {}, stub)
    assert (played.status, played.duration) == ("ABORTED", 1)
    assert {call.state: call.status for call in played.calls} == {
        "A": "succeeded",
        "B": "succeeded",
        "Stop": "aborted",
    }
