"""Texts of the YAML file, with or without `${{ }}`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.diagnostics import Diagnostics
from compiler.expressions import (
    Constant,
    Joined,
    Literal,
    Part,
    Ref,
    Single,
    parse_condition,
    parse_template,
)
from compiler.source import Source, Span
from tests.compiler.expressions.reading import read

A, B = (Ref((Part(name),)) for name in "ab")


@pytest.mark.parametrize(
    ("text", "template"),
    [
        ("", Constant("")),
        ("no {{ expression }}", Constant("no {{ expression }}")),
        ("${{ a }}", Single(A)),
        (" \n${{ a }}\n", Single(A)),
        ("x ${{ a }}", Joined(("x ", A))),
        ("${{a}}${{ b }}!", Joined((A, B, "!"))),
        ("${{ a }} ${{ b }}", Joined((A, " ", B))),
        ("${{ '}}' }}", Single(Literal("}}"))),
        ("${{ '${{' }}", Single(Literal("${{"))),
        ("${{ a }}}", Joined((A, "}"))),
    ],
)
def test_templates(text, template):
    """One expression and nothing else keeps its type; anything more is joined as text."""
    assert read(parse_template, text) == (template, [])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x ${{ a", [("expression-unclosed", "${{ a")]),
        ("${{ a } }", [("expression-unclosed", "${{ a } }")]),
        ("${{ }}", [("expression-syntax", " ")]),
        ("${{ a = b }} and ${{ 'c }}", [("expression-operator", "="), ("expression-text", "'c ")]),
    ],
)
def test_mistakes_in_templates(text, found):
    """All expressions of a text are looked at."""
    assert read(parse_template, text) == (None, found)


@pytest.mark.parametrize("text", ["a", "${{ a }}", "  ${{ a }}\n", "${{a}}", "\na "])
def test_a_condition_is_bare_or_wrapped(text):
    """Blanks around it, as a block scalar has, change nothing."""
    assert read(parse_condition, text) == (A, [])


@pytest.mark.parametrize(
    ("text", "corrected"),
    [
        ("${{ a }} == 'v1'", "a == 'v1'"),
        ("true && ${{ false }}", "true && false"),
        ("${{ a || b }} && ${{ b }}", "(a || b) && b"),
        ("${{ a }}'", None),
        ("not ${{ a }}", None),
        ("${{ a }} ${{ b }}", None),
        ("'${{ a }}' != ''", "a != ''"),
        ("\"${{ a }}\" == 'x'", "a == 'x'"),
        ("'v${{ a }}-${{ b }}' == 'v1-2'", "format('v{0}-{1}', a, b) == 'v1-2'"),
        ("${{ '${{ a }}' == 'x' }}", "a == 'x'"),
        ("'${{ a }}' == ${{ b }}", "a == b"),
    ],
)
def test_text_around_a_condition(text, corrected):
    """It would make the condition always true; the error shows the corrected form."""
    diagnostics = Diagnostics(Source("test", text))
    assert parse_condition(text, Span, diagnostics) is None
    (found,) = diagnostics
    assert found.code == "condition-text"
    assert found.span == Span(0, len(text))
    if corrected is not None:
        assert found.help == f"write {corrected}"


def test_quoted_brackets_are_text():
    """`${{` inside quotes of a bare condition is no second expression."""
    expr, found = read(parse_condition, "a == '${{'")
    assert expr is not None
    assert not found


@given(st.text("ab.'\"()!=&|${} \n", max_size=30))
def test_wrapping_a_condition_changes_nothing(text):
    """Whatever is accepted bare means the same inside `${{ }}`."""
    bare, _ = read(parse_condition, text)
    if bare is not None and "${{" not in text:
        assert read(parse_condition, f"${{{{ {text} }}}}") == (bare, [])


@given(st.text("ab'\"${} =", max_size=30))
def test_any_text_is_a_template_or_reported(text):
    """Bad input ends in diagnostics, never in a traceback."""
    template, found = read(parse_template, text)
    assert (template is None) == bool(found)
