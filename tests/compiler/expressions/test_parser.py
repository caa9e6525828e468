"""Expressions are read as written, and every mistake is reported at its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.diagnostics import Diagnostics
from compiler.expressions import Binary, Call, Index, Literal, Not, Part, Ref, parse
from compiler.expressions.syntax import references, status_functions
from compiler.source import Source, Span
from tests.compiler.expressions.reading import expression, read

A, B, C = (Ref((Part(name),)) for name in "abc")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null", None),
        ("true", True),
        ("-1.5e2", -150.0),
        ("503", 503),
        ("'it''s'", "it's"),
        ("'C:\\dir'", "C:\\dir"),
        ('"a\\n\\u00e9 \\ud83d\\ude00"', "a\né 😀"),
        ("'}}'", "}}"),
    ],
)
def test_literals(text, value):
    """Single quotes double a quote and keep backslashes; double quotes have JSON's escapes."""
    assert expression(text) == Literal(value)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("steps.build-image.outputs.image-tag", ("build-image", "outputs", "image-tag")),
        ("inputs['a b'].list[0]", ("a b", "list", 0)),
        ('inputs [ "x" ] . y', ("x", "y")),
        ("event.größe", ("größe",)),
    ],
)
def test_paths(text, keys):
    """A name may hold hyphens; brackets take any text, and whole numbers."""
    ref = expression(text)
    assert isinstance(ref, Ref)
    assert ref.keys == keys


def test_a_computed_key_is_part_of_the_path():
    """What stands in brackets is read too."""
    expr = expression("vars[inputs.stage].url")
    assert [ref.root for ref in references(expr)] == ["vars", "inputs"]


def test_operators_bind_as_in_other_languages():
    """`!` before comparisons before `&&` before `||`; equal ones from the left."""
    assert expression("!a == b && c || a") == Binary(
        "||", Binary("&&", Binary("==", Not(A), B), C), A
    )
    assert expression("a || (b || c)") == Binary("||", A, Binary("||", B, C))
    assert expression("a < b == c") == Binary("==", Binary("<", A, B), C)


def test_members_of_what_is_no_path():
    """Calls and brackets can be followed by members."""
    assert expression("fromJSON(a).b[c]") == Index(Index(Call("fromJSON", (A,)), Literal("b")), C)


def test_status_functions_are_found_anywhere():
    """Their mere presence changes what a condition means."""
    assert status_functions(expression("a == 'x' || contains(b, failure())")) == {"failure"}


def test_spans_cover_what_was_written():
    """An error can point at a part of a path."""
    ref = expression("steps.build.outputs['x']")
    assert isinstance(ref, Ref)
    assert [(part.span.start, part.span.end) for part in ref.path] == [
        (0, 5),
        (6, 11),
        (12, 19),
        (20, 23),
    ]
    assert ref.span == Span(0, 24)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a = 1", [("expression-operator", "=")]),
        ("a === b", [("expression-operator", "===")]),
        ("a and not b or c", [("expression-operator", word) for word in ("and", "not", "or")]),
        ("a in b", [("expression-operator", "in")]),
        ("x | y", [("expression-operator", "|")]),
        ("a ? b : c", [("expression-syntax", "?")]),
        ("$x.y", [("expression-syntax", "$")]),
        ("a + b", [("expression-syntax", "+")]),
        ("a -1", [("expression-syntax", "-1")]),
        ("a =~ 'v.*'", [("expression-operator", "=~")]),
        ("a !~ 'v.*' and b", [("expression-operator", "!~"), ("expression-operator", "and")]),
        (
            "not a or b + c == 2 and d * 3 > (e - 1)",
            [
                ("expression-operator", "not"),
                ("expression-operator", "or"),
                ("expression-syntax", "+"),
                ("expression-operator", "and"),
                ("expression-syntax", "*"),
            ],
        ),
        ("a + b + c", [("expression-syntax", "+")]),
        ("+", [("expression-syntax", "+")]),
        ("(a + ) == b", [("expression-syntax", "+")]),
        ("a ? b : c or d", [("expression-syntax", "?"), ("expression-operator", "or")]),
        ("True", [("expression-syntax", "True")]),
        ("a b", [("expression-syntax", "b")]),
        ("a.", [("expression-syntax", ".")]),
        ("a &&", [("expression-syntax", "&&")]),
        ("(a", [("expression-syntax", "(")]),
        ("a)", [("expression-syntax", ")")]),
        ("items.*.id", [("expression-syntax", "*")]),
        ("items.0", [("expression-syntax", "0")]),
        ("  ", [("expression-syntax", "  ")]),
        ("'abc", [("expression-text", "'abc")]),
        ('"\\d"', [("expression-text", "\\d")]),
        ('"\\ud83d"', [("expression-text", '"\\ud83d"')]),
        ("010", [("expression-number", "010")]),
        ("0x1F", [("expression-number", "0x1F")]),
        ("99999999999999999999", [("expression-number", "99999999999999999999")]),
        ("1e999", [("expression-number", "1e999")]),
        ("Contains(a, b)", [("unknown-function", "Contains")]),
        ("contains(a)", [("function-arguments", "contains(a)")]),
        ("success(a)", [("function-arguments", "success(a)")]),
        ("format(a)", [("format-pattern", "a")]),
        ("format('{0}')", [("format-pattern", "'{0}'")]),
        ("format('{x}', a)", [("format-pattern", "'{x}'")]),
        ("(" * 40 + "a" + ")" * 40, [("expression-too-large", "(")]),
        (
            "contains(a = b, 'x'.y) || Foo(c d)",
            [
                ("expression-operator", "="),
                ("unknown-function", "Foo"),
                ("expression-syntax", "d"),
            ],
        ),
    ],
)
def test_mistakes(text, found):
    """Each mistake is reported once, with its code and place; all of one expression at once."""
    expr, reported = read(parse, text)
    assert expr is None
    assert reported == found


def test_help_says_what_to_write():
    """The author learns what this language calls it."""
    diagnostics = Diagnostics(Source("test", "a and startswith(b, 'x')"))
    parse("a and startswith(b, 'x')", Span, diagnostics)
    assert [found.help for found in diagnostics] == ["write &&", "did you mean 'startsWith'?"]


@given(st.text("ab.'\"()[]!=&|<>,$ 01-+*/%?:~\\{}\n", max_size=40) | st.text(max_size=20))
def test_any_text_is_read_or_reported(text):
    """Bad input ends in diagnostics, never in a traceback."""
    expr, found = read(parse, text)
    assert (expr is None) == bool(found)


@pytest.mark.parametrize("text", ["(" * 5000, "!" * 5000, "a||" * 5000 + "a", "[" * 5000])
def test_endless_expressions_are_refused(text):
    """Depth is limited, so that no later pass runs out of stack."""
    _, found = read(parse, text)
    assert len(found) == 1


@pytest.mark.parametrize(
    ("text", "code", "help_"),
    [
        ("contains(needs.*.result, 'failure')", "expression-syntax",
         ("there is no `.*` here; write failure(), or compare each: "
         "steps.build.status == 'failed'")),
        ("steps.*.status", "expression-syntax",
         ("there is no `.*` here; write failure(), or compare each: "
         "steps.build.status == 'failed'")),
        ("inputs.a * 2", "expression-syntax",
         "there is no arithmetic here; compute it in a step and read its output"),
        ("hashFiles('**/x.lock')", "unknown-function",
         "there are no caches: nothing is kept from one run to the next; leave it out"),
    ],
)  # fmt: skip
def test_words_of_github_actions(text: str, code: str, help_: str):
    diagnostics = Diagnostics(Source("test", text))
    parse(text, Span, diagnostics)
    assert [(found.code, found.help) for found in diagnostics] == [(code, help_)]
