"""Names for people become ids: stable, ASCII, short enough, and never the same twice."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.spec.names import LONGEST, same, slug
from tests.compiler.spec.reading import good, mistakes


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Validate PR", "validate_pr"),
        ("  Deploy -- to Staging! ", "deploy_to_staging"),
        ("Vérifier", "verifier"),
        ("Straße", "strasse"),
        ("2nd deploy", "step_2nd_deploy"),
        ("👍", ""),
        ("部署", ""),
    ],
)
def test_the_slug_of_a_name(name, expected):
    assert slug(name) == expected


def test_a_composed_and_a_decomposed_letter_are_one():
    composed = "Vérifier " + "x" * 90
    decomposed = unicodedata.normalize("NFD", composed)
    assert composed != decomposed
    assert slug(composed) == slug(decomposed)


def test_a_long_name_is_shortened_with_a_hash_of_all_of_it():
    first, second = slug("deploy " * 20 + "a"), slug("deploy " * 20 + "b")
    assert first != second
    assert len(first) <= LONGEST
    assert slug("deploy " * 20 + "a") == first


@given(st.text(max_size=120))
def test_a_slug_is_an_id_or_nothing(name):
    assert re.fullmatch(r"([a-z][a-z0-9_]*)?", slug(name))
    assert len(slug(name)) <= LONGEST


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("name: Deploy", "name: deploy"),
        ("name: Vérifier", "name: Verifier"),
        ("id: build-app", "id: build_app"),
        ("id: build", "id: build"),
        ("id: build", "name: Build"),
        ("name: Build it", "id: build-it"),
        ("name: Deploy 👍", "name: Deploy 👎"),
    ],
)
def test_two_steps_with_one_id_are_a_mistake_at_the_second(first, second):
    found = mistakes(f"steps:\n  - {first}\n    run: a\n  - {second}\n    run: b\n")
    assert found == [("duplicate-step", second.split(": ")[1])]


def test_ids_are_unique_in_blocks_undos_and_handlers_too():
    found = mistakes("""
        steps:
          - id: a
            run: x
            compensate: {id: b, run: x}
          - id: block
            type: parallel
            steps: [{id: A, run: x}]
        on_failure: [{id: b, run: x}]
    """)
    assert found == [("duplicate-step", "A"), ("duplicate-step", "b")]


def test_a_name_without_a_letter_needs_an_id():
    assert mistakes("steps: [{name: 👍, run: x}]") == [("bad-id", "👍")]
    assert good("steps: [{name: 👍, id: yes, run: x}]").steps[0].name == "👍"


@pytest.mark.parametrize("text", ["say hello", "1st", "a.b", "é", "x" * 65])
def test_a_text_that_cannot_be_an_id(text):
    assert mistakes(f"steps: [{{id: {text}, run: x}}]") == [("bad-id", text)]


def test_the_workflow_is_called_after_its_file():
    workflow = good("steps: [{id: a, run: x}]", "some/where/deploy-app.yml")
    assert (workflow.name, workflow.id) == ("deploy-app", "deploy_app")
    assert same("deploy-app") == same(workflow.id)
