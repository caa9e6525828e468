"""Emitted JSONata gives what the language's own evaluator gives, on both engines."""

from __future__ import annotations

import json

from hypothesis import assume, example, given, note
from hypothesis import strategies as st

from compiler.diagnostics import Diagnostics
from compiler.expressions import (
    Call,
    Joined,
    Part,
    Ref,
    infer,
    parse,
)
from compiler.expressions.jsonata import emit, emit_template, literal
from compiler.expressions.portable import template_to_portable, to_portable
from compiler.expressions.types import TEXT, accepts, show, type_of_value
from compiler.source import Source, Span
from protocol.evaluate import Json, evaluate, same
from tests.differential.agreement import check
from tests.differential.engines import (
    Failed,
    Local,
    Reference,
)
from tests.differential.strategies import EXPRESSIONS, JSON, TEXTS, Document, documents, written


@given(EXPRESSIONS, documents())
def test_reference_jsonata(node, expr, document):
    """What Step Functions runs: JSONata 2.0.6, undefined being a failure."""
    check(expr, document, node)


@given(EXPRESSIONS, documents())
def test_local_jsonata(expr, document):
    """What local runs evaluate with."""
    check(expr, document, Local())


@given(st.lists(TEXTS | EXPRESSIONS, min_size=1, max_size=4), documents())
def test_joined_text(node, parts, document):
    """Expressions inside text are joined as text, null as nothing."""
    template = Joined(tuple(parts))
    code = emit_template(template, document).text
    note(code)
    expected = evaluate(template_to_portable(template), document.values, document.statuses)
    assert node.evaluate(code, document.variables) == expected


@given(JSON)
def test_literals_are_inert(node, value):
    """A value made inert comes out of a field as itself, whatever it looks like."""
    assume("__proto__" not in json.dumps(value))  # JavaScript objects cannot be built with it
    field = literal(value)
    assert "${" not in json.dumps(field)
    assert same(_as_the_field_yields(field, node), value)


def _as_the_field_yields(field: Json, node: Reference) -> Json:
    """What Step Functions makes of a field: texts within `{% %}` are evaluated."""
    match field:
        case str() if field.startswith("{%"):
            assert field.endswith("%}")
            value = node.evaluate(field[2:-2], {})
            assert not isinstance(value, Failed), value
            return value
        case list():
            return [_as_the_field_yields(item, node) for item in field]
        case dict():
            return {key: _as_the_field_yields(item, node) for key, item in field.items()}
        case _:
            return field


@st.composite
def almost_json(draw: st.DrawFn) -> str:
    """JSON with some of its characters replaced, or none."""
    text = json.dumps(
        draw(JSON), ensure_ascii=draw(st.booleans()), indent=draw(st.none() | st.just(1))
    )
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(text)))
        piece = draw(
            st.sampled_from([*'[]{}",:01-.eE+tfn\\ \n\t', "", "null", '""', "u0041", "\x00"])
        )
        text = text[:at] + piece + text[at + draw(st.integers(0, 1)) :]
    return text


@given(almost_json())
@example("[" * 60 + "]" * 60)
@example("[" * 61 + "]" * 61)
@example("[" * 3000)
@example("1" * 101)
@example('"\\u00e9\\ud83d\\ude00"')
@example("1e99")
@example("1e100")
@example("[1 2]")
@example("-100000042159289587")
@example("1234567890123456789012345678")
@example('{"a":1,"a":2}')
@example("\u00a01")
def test_json_text(node, text):
    """Good JSON gives its value and all other text null, without ever failing."""
    document = Document({"item": TEXT}, {"item": text}, {})
    expr = Call("fromJSON", (Ref((Part("item"),)),))
    check(expr, document, node)
    check(expr, document, Local())


@given(EXPRESSIONS, documents())
def test_types_tell_the_truth(expr, document):
    """A value is of the type inferred for it, and of the type its code has."""
    value = evaluate(to_portable(expr), document.values, document.statuses)
    inferred = infer(expr, document.types, Diagnostics(Source("", "")))
    assert accepts(inferred, type_of_value(value)), show(inferred)
    emitted = emit(expr, document)
    assert not emitted.may_be_missing
    assert accepts(emitted.type, type_of_value(value)), show(emitted.type)


@given(EXPRESSIONS)
def test_written_expressions_are_read_back(expr):
    """The text of an expression is parsed to the same expression, without a complaint."""
    text = written(expr)
    diagnostics = Diagnostics(Source("", text))
    parsed = parse(text, Span, diagnostics)
    assert not list(diagnostics)
    assert parsed is not None
    assert written(parsed) == text
