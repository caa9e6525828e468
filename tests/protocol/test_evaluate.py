"""The language's own evaluator, the oracle of what state machines compute."""

from __future__ import annotations

import pytest

from compiler.expressions import parse_template
from compiler.expressions.portable import template_to_portable, to_portable
from protocol.evaluate import Json, evaluate, holds
from tests.compiler.expressions.reading import expression, read

VALUES: dict[str, Json] = {
    "inputs": {"name": "app", "no": "false", "zero": 0, "list": ["a", None, {"b": [1]}], "n": 1.0},
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("inputs.name", "app"),
        ("inputs.missing.x", None),
        ("nothing", None),
        ("inputs.list[2].b[0]", 1),
        ("inputs.list[-1]", None),
        ("inputs['na' || 'x']", None),
        ("inputs.n == 1", True),
        ("inputs.n == true", False),
        ('inputs.list == fromJSON(\'["a", null, {"b": [1]}]\')', True),
        ("inputs.missing == null", True),
        ("inputs.name < 3", False),
        ("inputs.name >= 'app'", True),
        ("inputs.zero || 'none'", "none"),
        ("inputs.list && 1", 1),
        ("!inputs.no", False),
        ("contains(inputs.list, null)", True),
        ("contains('abc', 'b')", True),
        ("contains(inputs, 'name')", False),
        ("endsWith('abc', '')", True),
        ("format('{0} {{{1}}}', inputs.n, inputs.list)", '1 {["a",null,{"b":[1]}]}'),
        ("join(inputs.list, '-')", 'a--{"b":[1]}'),
        ("join('a')", None),
        ("toJSON(inputs.name)", '"app"'),
        ("fromJSON('{\"a\": NaN}')", None),
        ("fromJSON(inputs.zero)", None),
        ("length('😀')", 1),
        ("length(null)", None),
        ('keys(fromJSON(\'{"b": 1, "a": 2}\'))', ["a", "b"]),
        ("coalesce(null, inputs.missing, false)", False),
        ("failure()", False),
    ],
)
def test_values(text, value):
    """Nothing fails: a mismatch gives false or null, and missing is null."""
    assert evaluate(to_portable(expression(text)), VALUES) == value


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (30, "30"),
        (1.5, "1.5"),
        (0.1 + 0.2, "0.3"),
        (-0.5, "-0.5"),
        (1e21, "1e+21"),
        (1e-7, "1e-7"),
        (2**53, "9007199254740990"),
        (100.0, "100"),
    ],
)
def test_numbers_inside_text(number, text):
    """At most 15 digits, an exponent only where JavaScript writes one."""
    template, _ = read(parse_template, "${{ inputs }}!")
    assert template is not None
    assert evaluate(template_to_portable(template), {"inputs": number}) == f"{text}!"


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("inputs.no", False),
        ("inputs.no && true", True),
        ("inputs.no || true", False),
        ("inputs.list", True),
        ("success() && !failure()", True),
    ],
)
def test_conditions(text, result):
    """The text 'false' is false as a condition's last value only."""
    assert holds(to_portable(expression(text)), VALUES) is result


@pytest.mark.parametrize("operation", [["nope"], ["call", "nope"], [], ["=="]])
def test_unknown_operations_are_refused(operation):
    """They can only come from a fault of ours or a newer version."""
    with pytest.raises(ValueError, match="no such"):
        evaluate(operation, {})
