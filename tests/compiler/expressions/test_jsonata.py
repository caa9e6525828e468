"""Emitted JSONata is short where types are known, guarded where they are not."""

from __future__ import annotations

import pytest

from compiler.expressions import Ref, parse_template
from compiler.expressions.jsonata import (
    Code,
    emit,
    emit_condition,
    emit_template,
    literal,
    template_field,
    text_literal,
)
from compiler.expressions.types import (
    BOOLEAN,
    NUMBER,
    TEXT,
    UNKNOWN,
    ListOf,
    Record,
    Type,
    may_be_null,
    optional,
)
from tests.compiler.expressions.reading import expression, read

INPUTS: dict[str, Type] = {
    "text": TEXT,
    "label": optional(TEXT),
    "count": NUMBER,
    "limit": optional(NUMBER),
    "dry": BOOLEAN,
    "wet": optional(BOOLEAN),
    "tags": ListOf(TEXT),
    "any": UNKNOWN,
    "image": Record({"image-tag": TEXT}),
}


class Variables:
    """Inputs are members of `$inputs`, an output of a step is a variable."""

    def ref(self, ref: Ref) -> tuple[Code, int]:
        if ref.root == "inputs":
            name = str(ref.path[1].key)
            type_ = INPUTS[name]
            return Code(f"$inputs.{name}", may_be_null(type_), type_), 2
        return Code("$s_a", may_be_missing=False, type=TEXT), len(ref.path)

    def status(self, name: str) -> str:
        return {"always": "true", "success": "$ok", "failure": "$bad or $worse"}.get(name, "false")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("steps.a.outputs.x == 'v'", "$s_a = 'v'"),
        ("inputs.text != 'v'", "$inputs.text != 'v'"),
        ("inputs.label == 'v'", "$inputs.label = 'v'"),
        ("inputs.label != 'v'", "$not($inputs.label = 'v')"),
        ("inputs.label", "$exists($inputs.label) ? $inputs.label : null"),
        ("inputs.label || 'none'", "$inputs.label ? $inputs.label : 'none'"),
        ("coalesce(inputs.limit, 3)", "$inputs.limit != null ? $inputs.limit : 3"),
        ("inputs.label != null", "$inputs.label != null"),
        ("inputs.text == null", "false"),
        ("inputs.image.image-tag", "$inputs.image.`image-tag`"),
        ("inputs.count > 2", "$inputs.count > 2"),
        ("inputs.limit > 2", "$type($inputs.limit) = 'number' ? $inputs.limit > 2 : false"),
        ("contains(inputs.text, 'x')", "$contains($inputs.text, 'x')"),
        ("contains(inputs.tags, 'x')", "'x' in $inputs.tags"),
        ("startsWith(inputs.text, 'ab')", "$substring($inputs.text, 0, 2) = 'ab'"),
        ("format('{0}-{1}', inputs.text, inputs.count)", "$inputs.text & '-' & $inputs.count"),
        ("join(inputs.tags, ' ')", "$join($inputs.tags, ' ')"),
        ("length(inputs.tags)", "$count($inputs.tags)"),
        ("!(inputs.dry || inputs.text == 'x')", "$not($inputs.dry or $inputs.text = 'x')"),
        (
            "inputs.any.a.b",
            (
                "$type($inputs.any) = 'object' and $type($inputs.any.a) = 'object' and "
                "$exists($inputs.any.a.b) ? $inputs.any.a.b : null"
            ),
        ),
        ("inputs.any.a == 'v'", "$type($inputs.any) = 'object' and $inputs.any.a = 'v'"),
        (
            "(inputs.text || inputs.any).x",
            (
                "($v2 := ($v1 := $inputs.text != '' ? $inputs.text : $exists($inputs.any) ? "
                "$inputs.any : null; $type($v1) = 'object' ? $v1.x); $exists($v2) ? $v2 : null)"
            ),
        ),
    ],
)
def test_values(text, code):
    """Known types need no guards; nothing is evaluated twice but plain paths."""
    emitted = emit(expression(text), Variables())
    assert emitted.text == code
    assert not emitted.may_be_missing


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("always() && steps.a.status == 'failed'", "$s_a = 'failed'"),
        ("success() && inputs.dry", "$ok and $inputs.dry"),
        ("!failure()", "$not($bad or $worse)"),
        ("failure() && inputs.dry", "($bad or $worse) and $inputs.dry"),
        ("!(success())", "$not($ok)"),
        ("cancelled()", "false"),
        ("inputs.dry", "$inputs.dry"),
        ("inputs.wet", "$boolean($inputs.wet) = true"),
        ("inputs.wet && inputs.dry", "$inputs.wet and $inputs.dry"),
        ("inputs.text", "$inputs.text != '' and $inputs.text != 'false'"),
        ("inputs.count", "$inputs.count != 0"),
        ("'false'", "false"),
        ("inputs.tags", "true"),
    ],
)
def test_conditions(text, code):
    """A condition is true or false; the text 'false' is false as its last value."""
    assert emit_condition(expression(text), Variables()) == code


def test_text_with_expressions():
    """Joined text writes null as nothing."""
    template, _ = read(parse_template, "a '${{ inputs.text }}' ${{ inputs.label }}")
    assert template is not None
    assert emit_template(template, Variables()).text == (
        "\"a '\" & $inputs.text & \"' \" & ($inputs.label != null ? $inputs.label : '')"
    )


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("plain", "plain"),
        ("{% x %}", "{% '{% x %}' %}"),
        ("${Token}", "{% '\\u0024{Token}' %}"),
        ("${{ inputs.text }}", "{% $inputs.text %}"),
    ],
)
def test_fields(text, field):
    """A field holds plain text as it is, and anything active as an expression."""
    template, _ = read(parse_template, text)
    assert template is not None
    assert template_field(template, Variables()) == field


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("it", "'it'"),
        ("it's", '"it\'s"'),
        ('say "x"', "'say \"x\"'"),
        ("'\"", '"\'\\""'),
        ("a\\b\n", "'a\\\\b\\n'"),
        ("${x}", "'\\u0024{x}'"),
        ("😀", "'😀'"),
    ],
)
def test_text_literals(text, code):
    """Single quotes save escapes; JSONata has none for a single quote."""
    assert text_literal(text) == code


def test_plain_values_are_made_inert():
    """Also deep inside, and in keys, which are never evaluated."""
    assert literal({"a": ["{% x", 1, None], "b": "ok"}) == {
        "a": ["{% '{% x' %}", 1, "{% null %}"],
        "b": "ok",
    }
    assert literal({"${k}": [True]}) == "{% {'\\u0024{k}': [true]} %}"


def test_what_validators_take_for_wrong_is_an_expression():
    """Step Functions takes these values as they are; asl-validator or CloudFormation do not."""
    assert literal(["", "a\nb", "a\u2028b", [1, [2]], None]) == [
        "{% '' %}",
        "{% 'a\\nb' %}",
        "{% 'a\\u2028b' %}",
        "{% [1, [2]] %}",
        "{% null %}",
    ]
