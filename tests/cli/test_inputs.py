"""Inputs from the command line, held against the contract."""

from __future__ import annotations

import pytest

from cli.running.inputs import InputProblem, read_inputs
from protocol.payloads import Json

CONTRACT: dict[str, Json] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "count": {"type": "integer", "default": 1},
        "fast": {"type": "boolean"},
        "tags": {"type": "array"},
        "size": {"type": "string", "enum": ["s", "m"]},
    },
    "required": ["name"],
}


def test_values_take_the_type_of_the_contract_and_text_stays_text():
    pairs = ["name=60", "count=3", "fast=true", 'tags=["a"]', "size=m"]
    assert read_inputs(pairs, None, CONTRACT) == {
        "name": "60", "count": 3, "fast": True, "tags": ["a"], "size": "m",
    }  # fmt: skip


def test_defaults_are_filled_in_and_pairs_win_over_the_file(tmp_path):
    file = tmp_path / "inputs.yaml"
    file.write_text("name: from the file\nfast: false\n")
    assert read_inputs(["name=a=b"], file, CONTRACT) == {"name": "a=b", "fast": False, "count": 1}


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "1e999", "9" * 5_000, "[" * 100_000])
def test_what_no_run_can_be_given_is_refused(text: str):
    """Python reads some of it as numbers, at which the engine fails; the rest is a traceback."""
    contract: dict[str, Json] = {"properties": {"size": {"type": "number"}}}
    with pytest.raises(InputProblem, match=r"input 'size': .* is no number") as raised:
        read_inputs([f"size={text}"], None, contract)
    assert len(str(raised.value).splitlines()[0]) < 120


def test_everything_that_is_wrong_is_said_at_once():
    with pytest.raises(InputProblem) as raised:
        read_inputs(["count=many", "fast=1", "size=xl", "nam=x"], None, CONTRACT)
    assert str(raised.value).splitlines() == [
        "input 'count': 'many' is no integer; write digits, such as 3",
        "input 'name' is missing: --input name=...",
        "input 'fast' must be of type boolean, not 1",
        "input 'size' must be one of s, m, not \"xl\"",
        "the workflow has no input 'nam'; did you mean 'name'?",
    ]


def test_what_a_stage_would_refuse_is_said_beside_what_is_wrong_at_first_sight():
    contract: dict[str, Json] = {
        "type": "object",
        "properties": {
            "number": {"type": "string", "pattern": "^INV-"},
            "amount": {"type": "number", "minimum": 0},
            "lines": {"type": "array", "items": {"type": "object", "required": ["sku"]}},
            "currency": {"type": "string", "enum": ["EUR"]},
            "to": {"type": "array"},
        },
        "required": ["number", "supplier"],
        "additionalProperties": False,
    }
    pairs = ["number=1", "amount=-5", "lines=[{}]", "currency=GBP", "to=a, b", "x=y"]
    with pytest.raises(InputProblem) as raised:
        read_inputs(pairs, None, contract)
    assert str(raised.value).splitlines() == [
        """input 'to': 'a, b' is no array; write JSON, such as '["first", "second"]'""",
        "input 'supplier' is missing: --input supplier=...",
        "input 'currency' must be one of EUR, not \"GBP\"",
        "the workflow has no input 'x'",
        "input 'amount' is not right: -5 is less than the minimum of 0",
        "input 'lines/0/sku' is required",
        "input 'number' is not right: '1' does not match '^INV-'",
    ]


def test_the_last_value_of_an_input_counts():
    assert read_inputs(["name=x", "count=1", "count=2"], None, CONTRACT)["count"] == 2


def test_of_each_input_all_is_said_at_once_and_once():
    """Whoever finds it: the reading of a pair, the first look, the contract in full."""
    text = {"type": "string", "maxLength": 3}
    properties = {"n": {"type": "integer"}, "m": {"type": "integer"}, "s": text, "o": text}
    contract = {"type": "object", "properties": properties, "required": ["o"]}
    with pytest.raises(InputProblem) as caught:
        read_inputs(["n=x", "m=1.5", "s=long", "p=1"], None, contract)
    assert str(caught.value).splitlines() == [
        "input 'n': 'x' is no integer; write digits, such as 3",
        "input 'o' is missing: --input o=...",
        "input 'm' must be of type integer, not 1.5",
        "the workflow has no input 'p'",
        "input 's' is not right: 'long' is too long",
    ]


@pytest.mark.parametrize("number", ["2", "2.0", "2e0"])
def test_a_whole_number_is_one_however_it_is_written(number):
    contract = {"type": "object", "properties": {"n": {"type": "integer"}}}
    assert read_inputs([f"n={number}"], None, contract) == {"n": 2}


def test_without_a_contract_all_inputs_are_taken_as_text():
    assert read_inputs(["a=1"], None, None) == {"a": "1"}


@pytest.mark.parametrize(
    ("schema", "text", "said"),
    [
        (
            {"type": "string", "format": "date-time"},
            "tomorrow",
            "must be of the format date-time such as 2026-12-01T10:00:00Z, and is 'tomorrow'",
        ),
        ({"type": "string", "format": "date-time"}, "2026-12-01T10:00:00", "date-time"),
        ({"type": "string", "pattern": "^v"}, "1.0", "does not match"),
        ({"type": "integer", "minimum": 1}, "0", "less than the minimum"),
        ({"type": "array", "items": {"type": "string"}}, "[1]", "input 'it/0' must be text"),
        ({"type": "object", "required": ["a"]}, "{}", "input 'it/a' is required"),
    ],
)
def test_what_a_stage_would_refuse_is_refused_here(schema, text, said):
    contract: dict[str, Json] = {"type": "object", "properties": {"it": schema}}
    with pytest.raises(InputProblem) as raised:
        read_inputs([f"it={text}"], None, contract)
    assert said in str(raised.value)


def test_a_name_is_told_as_it_is_written():
    contract: dict[str, Json] = {"type": "object", "properties": {"a/b~c": {"minimum": 1}}}
    with pytest.raises(InputProblem, match=r"input 'a/b~c' is not right"):
        read_inputs([], None, contract, {"a/b~c": 0})


def test_what_is_nested_too_deep_is_told_without_a_name():
    deep: Json = []
    for _ in range(200):
        deep = [deep]
    contract: dict[str, Json] = {"type": "object", "properties": {"it": {"type": "array"}}}
    with pytest.raises(InputProblem, match="what is given is nested more than 100 deep"):
        read_inputs([], None, contract, {"it": deep})


def test_a_moment_with_its_zone_is_one():
    contract: dict[str, Json] = {
        "type": "object",
        "properties": {"it": {"type": "string", "format": "date-time"}},
    }
    moment = "2026-12-01T10:00:00.5+01:00"
    assert read_inputs([f"it={moment}"], None, contract) == {"it": moment}
