"""Variables and scopes, expressions, limits, and what is noted of a run."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from jsonata import Jsonata

from tests.asl_player import Call, Outcome, play
from tests.asl_player.build import machine, map_over, parallel, put, task, token_task
from tests.asl_player.execution import EVENT_LIMIT
from tests.asl_player.query import Evaluator, parse
from tests.asl_player.values import NULL, PAYLOAD_LIMIT, size, to_value


def nothing(call: Call) -> Outcome:
    return Outcome(call.arguments)


def result_of(expression: str, data: Any = None) -> Any:
    played = play(machine({"A": put("{% " + expression + " %}")}), data, nothing)
    assert played.status == "SUCCEEDED", played.cause
    return played.output


def test_branches_read_outer_variables_and_keep_their_own() -> None:
    inner = {
        "I": {"Type": "Pass", "Assign": {"own": "{% $x + 1 %}"}, "Next": "J"},
        "J": put("{% $own %}"),
    }
    other = {"K": put("{% [$exists($own), $x] %}")}
    states = {
        "A": {"Type": "Pass", "Assign": {"x": 1}, "Next": "P"},
        "P": parallel(inner, other, Assign={"own": "{% $states.result %}"}, Next="Z"),
        "Z": put("{% [$own, $x] %}"),
    }
    assert play(machine(states), {}, nothing).output == [2, [False, 1], 1]


def test_iterations_keep_their_variables_apart() -> None:
    body = {
        "I": {"Type": "Pass", "Assign": {"v": "{% $states.input.v %}"}, "Next": "W"},
        "W": {"Type": "Wait", "Seconds": 1, "Next": "O"},
        "O": put("{% $v %}"),
    }
    selector = {"v": "{% $states.context.Map.Item.Index * 10 + $states.context.Map.Item.Value %}"}
    states = {"M": map_over([5, 6, 7], body, ItemSelector=selector)}
    assert play(machine(states), {}, nothing).output == [5, 16, 27]


def test_the_item_is_not_to_be_seen_inside_the_iteration() -> None:
    body = {"I": put("{% $exists($states.context.Map) %}")}
    states = {"M": map_over([1], body, ItemSelector="{% $states.context.Map.Item.Value %}")}
    assert play(machine(states), {}, nothing).output == [False]


def test_nothing_is_assigned_where_one_expression_fails() -> None:
    catch = [{"ErrorEquals": ["States.ALL"], "Next": "Z"}]
    states = {
        "A": task(Assign={"x": 1, "y": "{% $nope %}"}, Catch=catch),
        "Z": put("{% $exists($x) %}"),
    }
    played = play(machine(states), {}, nothing)
    assert played.output is False
    assert [(state, field) for state, field, _ in played.query_errors] == [("A", "Assign.y")]


def test_a_catchers_results_come_instead_of_the_states_own() -> None:
    catch = [
        {
            "ErrorEquals": ["E"],
            "Assign": {"seen": "{% [$states.input, $states.context.State.RetryCount] %}"},
            "Output": "{% $states.errorOutput.Cause %}",
            "Next": "Z",
        }
    ]
    retry = [{"ErrorEquals": ["E"], "MaxAttempts": 2}]
    states = {
        "A": task(Assign={"never": 1}, Catch=catch, Retry=retry),
        "Z": put(
            {"in": "{% $states.input %}", "seen": "{% $seen %}", "n": "{% $exists($never) %}"}
        ),
    }
    played = play(machine(states), 8, lambda _: Outcome.fail("E", "c"))
    assert played.output == {"in": "c", "seen": [8, 2], "n": False}


def test_an_error_in_a_catcher_is_not_caught_again_at_its_own_state() -> None:
    bad = {"ErrorEquals": ["E"], "Output": "{% $nope %}", "Next": "Z"}
    every = {"ErrorEquals": ["States.ALL"], "Next": "Z"}
    states = {"A": task(Catch=[bad, every]), "Z": put(1)}
    played = play(machine(states), {}, lambda _: Outcome.fail("E"))
    assert played.error == "States.QueryEvaluationError"
    assert played.query_errors[0][:2] == ("A", "Catch[0].Output")


def test_no_matching_rule_without_default_cannot_be_caught() -> None:
    choice = {"Type": "Choice", "Choices": [{"Condition": "{% false %}", "Next": "B"}]}
    catch = [{"ErrorEquals": ["States.ALL"], "Next": "Z"}]
    states = {"P": parallel({"C": choice, "B": put(1)}, Catch=catch), "Z": put(2)}
    played = play(machine(states), {}, nothing)
    assert (played.status, played.error) == ("FAILED", "States.Runtime")
    assert "NoChoiceMatched" in (played.cause or "")


def test_a_choice_that_fails_is_noted_with_its_rule() -> None:
    rules = [{"Condition": "{% false %}", "Next": "Z"}, {"Condition": "{% 1 %}", "Next": "Z"}]
    states = {"C": {"Type": "Choice", "Choices": rules, "Default": "Z"}, "Z": put(1)}
    played = play(machine(states), {}, nothing)
    assert played.query_errors == [("C", "Choices[1].Condition", "the result is not a boolean")]


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("$map($states.input, function($v) { $type($v) })", ["null", "number"]),
        ("$states.input[0]", None),
        ("$states.input[$ = null]", None),
        ("{'a': $states.input}", {"a": [None, 1]}),
        ("$append($states.input, 2)", [None, 1, 2]),
        ("$string({'a': $states.input})", '{"a":[null,1]}'),
        ("$states.input = [null, 1]", True),
        ("$count($states.input)", 2),
    ],
)
def test_nulls_stay_nulls(expression: str, result: Any) -> None:
    assert result_of(expression, [None, 1]) == result


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("$nope = 1", False),
        ("$nope != 1", False),
        ("[1..3]", [1, 2, 3]),
        ("[]", []),
        ("$map([7], function($v) { $v })", 7),
        ("$map([7], function($v) { $v })[]", [7]),
        ("$parse('{\"a\": [null]}')", {"a": [None]}),
        ("$range(5, 1, -2)", [5, 3, 1]),
        ("$range(1, 1, 1)", 1),
        ("$exists($range(3, 1, 1))", False),
        ("$partition([1, 2, 3], 2)", [[1, 2], [3]]),
        ("$map(['[1]', '{}'], $parse)", [[1], {}]),
        ("4 / 2", 2),
        ("$random(3) = $random(3)", True),
    ],
)
def test_expressions_give_plain_json(expression: str, result: Any) -> None:
    found = result_of(expression)
    assert found == result
    assert type(found) is type(result)


@pytest.mark.parametrize(
    "expression",
    ["$nope", "$sum", "function($x) { $x }", "/a/", "$eval('1')", "1 + 'a'", "$error('no')",
     "$parse('{')", "$hash('a', 'CRC')",
     "$range(1, 2)", "$partition([], 2)", "$partition('a', 2)", "$uuid(1)", "$random('a')",
     "($f := function($x) { $f($x) + 1 }; $f(1))"],
)  # fmt: skip
def test_an_expression_that_gives_nothing_usable_fails(expression: str) -> None:
    played = play(machine({"A": put("{% " + expression + " %}")}), {}, nothing)
    assert played.error == "States.QueryEvaluationError"
    assert [(state, field) for state, field, _ in played.query_errors] == [("A", "Output")]


def test_a_variable_is_never_read_as_text() -> None:
    ugly = "\"'\\ \n` {% $x %} & ${x} é 😀"
    states = {
        "A": {"Type": "Pass", "Assign": {"x": "{% $states.input %}"}, "Next": "Z"},
        "Z": put("{% $x & $x %}"),
    }
    assert play(machine(states), ugly, nothing).output == ugly * 2


SAMPLE: Any = {
    "xs": [3, None, 1],
    "os": [{"a": 1, "b": [1]}, {"a": 2, "b": []}],
    "s": "t",
    "n": None,
}


@pytest.mark.parametrize(
    "expression",
    ["$append($d.xs, 4)", "$sort($d.xs[$ != null])", "$reverse($d.xs)", "$merge($d.os)",
     "$distinct($d.os)", "$d.os.b", "$d.os^(>a)", "$d.os{a & '': b}", "$spread($d)", "$zip($d.xs)",
     "$d.os[a=1].b[0]", "$shuffle($d.xs)", "$each($d, function($v) { $v })", "$d.xs[]",
     "$sift($d, function($v) { true })", "$d ~> |os|{'c': 1}, 'a'|", "[$d.os, $d.xs]"],
)  # fmt: skip
def test_an_evaluation_changes_no_variable_and_can_be_repeated(expression: str) -> None:
    data = to_value(SAMPLE)
    before = copy.deepcopy(data, {id(NULL): NULL})
    evaluator, parsed = Evaluator(), parse(expression)
    first = evaluator.evaluate(parsed, {"d": data}, {}, 0)
    second = evaluator.evaluate(parsed, {"d": data}, {}, 0)
    assert data == before
    assert "shuffle" in expression or first == second
    assert type(first) in (list, dict, int)


def test_an_expression_can_be_evaluated_while_it_is_being_evaluated() -> None:
    evaluator, parsed = Evaluator(), parse("$n > 0 ? $n & $again($n - 1) & $n : 'end'")

    def again(n: int) -> Any:
        return evaluator.evaluate(parsed, {"n": n, "again": call}, {}, 0)

    call = Jsonata.JLambda(again)
    assert again(2) == "21end12"


def test_the_time_stands_still_within_an_evaluation_and_is_the_runs_own() -> None:
    assert result_of("$now() = $fromMillis($millis())") is True
    assert result_of("$now()") == "2026-01-01T00:00:00.000Z"


def test_sizes_are_bytes_of_compact_json() -> None:
    assert size(to_value({"a": [1, None, 'é"\n']})) == len('{"a":[1,null,"é\\"\\n"]}'.encode())


@pytest.mark.parametrize(("length", "status"), [(0, "SUCCEEDED"), (1, "FAILED")])
def test_a_state_gives_262144_bytes_and_no_more(length: int, status: str) -> None:
    text = "x" * (PAYLOAD_LIMIT - 2)
    states = {"A": put("{% $states.input & '" + "y" * length + "' %}")}
    played = play(machine(states), text, nothing)
    assert played.status == status
    assert played.error == (None if length == 0 else "States.DataLimitExceeded")


def test_arguments_and_results_have_the_same_limit() -> None:
    big = "{% $pad('', 262144, 'x') %}"
    catch = [{"ErrorEquals": ["States.DataLimitExceeded"], "Next": "Z"}]
    played = play(machine({"A": task(Arguments=big, Catch=catch), "Z": put(1)}), {}, nothing)
    assert (played.output, played.calls) == (1, [])
    answer = Outcome("x" * PAYLOAD_LIMIT)
    played = play(machine({"A": task(Catch=catch), "Z": put(2)}), {}, lambda _: answer)
    assert played.output == 2


def test_variables_have_a_limit_of_their_own() -> None:
    half = "{% $pad('', 140000, 'x') %}"
    first = {"Type": "Pass", "Assign": {"a": half}, "Next": "B"}
    together = {"Type": "Pass", "Assign": {"b": half, "c": half}, "End": True}
    played = play(machine({"A": first, "B": together}), {}, nothing)
    assert played.error == "States.DataLimitExceeded"
    assert played.variable_bytes == 140_002


def test_the_variables_of_a_branch_are_given_back() -> None:
    inner = {"I": {"Type": "Pass", "Assign": {"x": "abc"}, "End": True}}
    assert play(machine({"P": parallel(inner)}), {}, nothing).variable_bytes == 0


def test_an_endless_loop_ends_with_the_history() -> None:
    states = {"A": {"Type": "Pass", "Next": "B"}, "B": {"Type": "Pass", "Next": "A"}}
    played = play(machine(states), {}, nothing)
    assert (played.status, played.error) == ("FAILED", "States.Runtime")
    assert played.events == EVENT_LIMIT


def test_events_are_counted_as_aws_writes_them() -> None:
    started_and_succeeded, entered_and_exited = 2, 2
    assert play(machine({"A": put(1)}), {}, nothing).events == 2 + entered_and_exited
    scheduled_started_succeeded = 3
    assert (
        play(machine({"A": task()}), {}, nothing).events
        == started_and_succeeded + entered_and_exited + scheduled_started_succeeded
    )


def test_the_context_tells_who_runs() -> None:
    context = "{% $states.context %}"
    played = play(
        machine({"A": token_task(Arguments=context)}, TimeoutSeconds=9), {"i": 1}, nothing,
        name="n", machine="x", start_time=1.5,
    )  # fmt: skip
    told: Any = played.calls[0].arguments
    assert told["Execution"]["Id"].endswith(":execution:x:n")
    assert told["Execution"]["Input"] == {"i": 1}
    assert told["Execution"]["StartTime"] == "2026-01-01T00:00:01.500Z"
    assert told["State"] == {
        "EnteredTime": "2026-01-01T00:00:01.500Z",
        "Name": "A",
        "RetryCount": 0,
    }
    assert told["Task"]["Token"] == played.calls[0].token


def test_a_query_error_names_the_place_within_a_field() -> None:
    states = {"A": put({"a": [1, {"b": "{% $nope %}"}]})}
    played = play(machine(states), {}, nothing)
    assert [(state, field) for state, field, _ in played.query_errors] == [("A", "Output.a[1].b")]
