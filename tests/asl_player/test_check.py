"""What `check` rejects, and what it lets pass."""

from __future__ import annotations

from typing import Any

import pytest

from tests.asl_player import Machine, Rejected, check
from tests.asl_player.build import machine, map_over, parallel, put, task, token_task


def codes(definition: dict[str, Any]) -> list[tuple[str, str]]:
    return [(problem.code, problem.where) for problem in check(definition)]


def expression(text: str, key: str = "Output") -> list[str]:
    state = {"Type": "Pass", "End": True, key: "{% " + text + " %}"}
    return [problem.code for problem in check(machine({"A": state}))]


@pytest.mark.parametrize(
    "text",
    ["$states.input.xs[$ > 1]", "$states.input.xs[a = 1]", "$states.input.(a & b)",
     "$states.input.xs^(<a)", "$states.input.xs{a: $sum(b)}", "$states.input ~> |xs|{'a': 1}|",
     "$states.input.xs.$string($)", "$states.input.xs.{'k': a}", "$x.a.b", "'a ?? b ?: c'",
     "$replace('a', /(?:b)/, '')", "{'a': {'b': 1}}", "$states.context.State.Name",
     "$map($x, function($v) { $v.a })", "$states.input.*", "$states.input.a.%.b"],
)  # fmt: skip
def test_what_aws_takes_is_taken(text: str) -> None:
    assert expression(text) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("$x ?? 1", "INVALID_JSONATA_EXPRESSION"),
        ("$x ?: 1", "INVALID_JSONATA_EXPRESSION"),
        ("1 +", "INVALID_JSONATA_EXPRESSION"),
        ("$$", "UNSUPPORTED_JSONATA_EXPRESSION"),
        ("$", "UNSUPPORTED_JSONATA_EXPRESSION"),
        ("$.a", "UNSUPPORTED_JSONATA_EXPRESSION"),
        ("a.b", "UNSUPPORTED_JSONATA_EXPRESSION"),
        ("{'k': a}", "UNSUPPORTED_JSONATA_EXPRESSION"),
        ("$map($x, function($v) { a })", "UNSUPPORTED_JSONATA_EXPRESSION"),
        ("*", "UNSUPPORTED_JSONATA_EXPRESSION"),
        ("$states.result", "UNSUPPORTED_JSONATA_EXPRESSION"),
        ("$states.errorOutput.Error", "UNSUPPORTED_JSONATA_EXPRESSION"),
    ],
)
def test_what_aws_rejects_is_rejected(text: str, code: str) -> None:
    assert code in expression(text)


def test_result_and_error_output_exist_where_they_exist() -> None:
    catch = [{"ErrorEquals": ["E"], "Output": "{% $states.errorOutput %}", "Next": "Z"}]
    good = task(Output="{% $states.result %}", Assign={"x": "{% $states.result %}"}, Catch=catch)
    assert check(machine({"A": good, "Z": put(1)})) == []
    catch = [{"ErrorEquals": ["E"], "Output": "{% $states.result %}", "Next": "Z"}]
    assert codes(machine({"A": task(Catch=catch), "Z": put(1)})) == [
        ("UNSUPPORTED_JSONATA_EXPRESSION", "A")
    ]


def assign(name: str, **also: Any) -> dict[str, Any]:
    end = {} if "Next" in also else {"End": True}
    return {"Type": "Pass", "Assign": {name: 1}, **end, **also}


def test_a_branch_must_not_assign_a_name_from_the_way_in() -> None:
    inner = {"P": parallel({"Q": parallel({"B": assign("x")})})}
    assert codes(machine({"A": assign("x", Next="P"), **inner})) == [
        ("DUPLICATE_VARIABLE_NAME", "B")
    ]


def test_a_name_first_assigned_after_a_parallel_is_free_in_it() -> None:
    after = {"P": parallel({"B": assign("x")}, Next="Z", Assign={"x": 1}), "Z": assign("x")}
    assert check(machine(after)) == []


def test_a_name_assigned_on_one_of_two_ways_counts() -> None:
    rule = {"Condition": "{% true %}", "Next": "A"}
    states = {
        "C": {"Type": "Choice", "Choices": [rule], "Default": "P"},
        "A": assign("x", Next="P"),
        "P": map_over([1], {"B": assign("x")}),
    }
    assert codes(machine(states)) == [("DUPLICATE_VARIABLE_NAME", "B")]


def test_a_name_assigned_after_counts_where_a_loop_leads_back() -> None:
    rule = {"Condition": "{% true %}", "Next": "P"}
    states = {
        "P": parallel({"B": assign("x")}, Next="A"),
        "A": assign("x", Next="C"),
        "C": {"Type": "Choice", "Choices": [rule], "Default": "Z"},
        "Z": put(1),
    }
    assert codes(machine(states)) == [("DUPLICATE_VARIABLE_NAME", "B")]


def test_siblings_may_use_the_same_names() -> None:
    assert check(machine({"P": parallel({"B": assign("x")}, {"C": assign("x")})})) == []


@pytest.mark.parametrize("name", ["_x", "states", "a-b", "1a", "x" * 81, "a.b"])
def test_names_of_variables_are_checked(name: str) -> None:
    assert codes(machine({"A": assign(name)})) == [("SCHEMA_VALIDATION_FAILED", "A")]


ANY = {"ErrorEquals": ["States.ALL"]}


@pytest.mark.parametrize(
    "state",
    [
        task(Next="A", End=True),
        task(Parameters={}),
        task(InputPath="$.x"),
        task(Retry=[ANY, {"ErrorEquals": ["E"]}]),
        task(Retry=[{"ErrorEquals": ["E", "States.ALL"]}]),
        task(Retry=[{"ErrorEquals": ["E"], "IntervalSeconds": 0}]),
        task(Retry=[{"ErrorEquals": ["E"], "MaxDelaySeconds": 1}]),
        task(Retry=[{"ErrorEquals": []}]),
        task(Catch=[ANY]),
        task(TimeoutSeconds=5, HeartbeatSeconds=5),
        task(TimeoutSeconds=0),
        task(QueryLanguage="JSONPath"),
        token_task(Arguments={}),
        {"Type": "Task", "End": True},
        {"Type": "Pass"},
        {"Type": "Pass", "Result": 1, "End": True},
        {"Type": "Succeed", "Assign": {"x": 1}},
        {"Type": "Fail", "Error": 5},
        {"Type": "Fail", "End": True},
        {"Type": "Wait", "End": True},
        {"Type": "Wait", "Seconds": 1.5, "End": True},
        {"Type": "Choice", "Choices": []},
        {"Type": "Choice", "Choices": [{"Condition": "yes", "Next": "A"}]},
        {"Type": "Parallel", "Branches": [], "End": True},
        {"Type": "Loop"},
    ],
)
def test_misshapen_states_are_rejected(state: dict[str, Any]) -> None:
    assert ("SCHEMA_VALIDATION_FAILED", "A") in codes(machine({"A": state}))


def test_targets_are_of_the_same_flow() -> None:
    states = {"P": parallel({"B": put(1, Next="Z")}, Next="Z"), "Z": put(1)}
    assert codes(machine(states)) == [("MISSING_TRANSITION_TARGET", "B")]


def test_every_fault_is_told() -> None:
    states = {"A": put("{% $ %}"), "P": parallel({"A": put("{% a %}")})}
    assert codes(machine(states)) == [
        ("DUPLICATE_STATE_NAME", "A"),
        ("UNREACHABLE_STATE", "P"),
        ("UNSUPPORTED_JSONATA_EXPRESSION", "A"),
        ("UNSUPPORTED_JSONATA_EXPRESSION", "A"),
    ]


def test_a_resource_is_never_an_expression() -> None:
    assert codes(machine({"A": task(Resource="{% 'x' %}")})) == [
        ("UNSUPPORTED_JSONATA_EXPRESSION", "A")
    ]


def test_a_machine_that_is_rejected_cannot_be_compiled() -> None:
    with pytest.raises(Rejected) as rejected:
        Machine(machine({"A": put(1, Next="B")}))
    assert [each.code for each in rejected.value.problems] == ["MISSING_TRANSITION_TARGET"]
