"""JSONata as Step Functions evaluates it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local.evaluator import EvaluationError, evaluate

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def value(expression, variables=None, states=None):
    return evaluate(expression, variables or {}, states or {}, NOON)


@given(json_values)
def test_a_variable_comes_out_as_it_went_in(anything):
    assert value("$x", {"x": anything}) == anything
    assert value("{'a': $states.input}", states={"input": anything}) == {"a": anything}


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("$partition([1,2,3,4,5], 2)", [[1, 2], [3, 4], [5]]),
        ("$range(1, 9, 3)", [1, 4, 7]),
        ("$range(3, 1, 1)", []),
        ("$hash('abc', 'MD5')", "900150983cd24fb0d6963f7d28e17f72"),
        ("$parse('[1, null]')", [1, None]),
        ("$random(7) = $random(7)", True),
        ("$now() & ' ' & $millis()", "2026-01-01T12:00:00.000Z 1767268800000"),
        ("[1..4]", [1, 2, 3, 4]),
        ("4 / 2", 2),
        ("$exists($nothing)", False),
        ("$x[$ > 1]", [2, 3]),
        ("null", None),
    ],
)
def test_an_expression_gives(expression, result):
    assert value(expression, {"x": [1, 2, 3]}) == result


@pytest.mark.parametrize(
    "expression",
    ["$x", "$states.result", "function($a){$a}", "$eval('1')", "1 +", "$uppercase(1)",
     "$partition([1], 0)", "$hash('a', 'CRC')", "$parse('{')", "$sum(1, 2)"],
)  # fmt: skip
def test_an_expression_fails_and_says_which(expression, capsys):
    with pytest.raises(EvaluationError):
        value(expression)
    assert capsys.readouterr().out == ""


def test_a_variable_hides_a_function_of_its_name(capsys):
    with pytest.raises(EvaluationError):
        value("$sum([1])", {"sum": 3})
    assert capsys.readouterr().out == ""
