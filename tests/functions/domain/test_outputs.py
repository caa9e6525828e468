"""What a script writes to $GITHUB_OUTPUT, and what comes of it with the author's own outputs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.domain.errors import OutputMissing, ValidationError
from functions.domain.outputs import final_outputs, parse_output_file


def call(**fields):
    return {"step": "s", "inputs": {}, "attempt": 1, "run": {}, **fields}


def test_a_line_gives_an_output_and_a_later_one_replaces_it():
    assert parse_output_file("a=1\nb=x=y\n\na=2\n") == {"a": "2", "b": "x=y"}


def test_the_heredoc_form_gives_several_lines():
    assert parse_output_file("a<<EOF\none\n\ntwo=2\nEOF\nb=1") == {"a": "one\n\ntwo=2", "b": "1"}


def test_an_equals_sign_before_the_arrows_makes_it_a_plain_line():
    assert parse_output_file("a=b<<c") == {"a": "b<<c"}


@pytest.mark.parametrize("text", ["a", "a<<E\nnever closed", "1a=x", "a b=x"])
def test_a_line_that_is_neither_is_refused(text):
    with pytest.raises(ValidationError):
        parse_output_file(text)


@given(st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"])))
def test_every_text_comes_through_the_heredoc_form(text):
    assert parse_output_file(f"a<<\x00end\n{text}\n\x00end\n") == {"a": text}


def test_what_the_step_gives_wins_over_a_literal_and_an_expression_over_both():
    outputs = final_outputs(
        call(defaults={"a": 1, "b": 1, "c": 1}, computed={"c": 3}, outputs=["a", "b", "c", "d"]),
        {"b": 2, "c": 2, "undeclared": 9},
        {"d": 4},
    )
    assert outputs == {"a": 1, "b": 2, "c": 3, "d": 4, "undeclared": 9}


def test_a_step_that_declares_nothing_gives_what_it_wrote():
    assert final_outputs(call(), {"a": 1}, {}) == {"a": 1}


def test_all_missing_outputs_are_named_at_once():
    with pytest.raises(OutputMissing, match="'a', 'b'"):
        final_outputs(call(outputs=["a", "b"]), {}, {})


def test_an_output_declared_as_what_the_step_wrote_must_have_been_written():
    own = {"a": ["ref", "steps", "s", "outputs", "a"]}
    with pytest.raises(OutputMissing, match="'a'"):
        final_outputs(call(derived=own), {}, {"a": None})
