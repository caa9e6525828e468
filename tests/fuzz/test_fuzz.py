"""Whatever is compiled comes out as machines, or as at least one error that names a place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.output.text import render
from compiler.catalog import CATALOG
from compiler.diagnostics import Severity
from tests.fuzz.mutations import SIGNS, mutated, structured
from tests.fuzzing import fuzz
from tests.golden.project import ROOT, compiled_text, surroundings, workflows

AROUND = surroundings()
SHIPPED = workflows(ROOT / "workflows")

PYTHON = re.compile(r"NoneType|<class|pydantic|Traceback|\bobject at 0x")

random_text = st.one_of(
    st.text(max_size=200),
    st.lists(st.one_of(st.sampled_from(SIGNS), st.text(max_size=5)), max_size=30).map("".join),
)


def holds(text: str) -> None:
    """Compile a text and check what is promised of the answer."""
    result = compiled_text(text, AROUND)
    errors = [one for one in result.diagnostics if one.severity is Severity.ERROR]
    assert bool(errors) != result.ok
    for found in result.diagnostics:
        assert found.code in CATALOG
        assert 0 <= found.span.start <= found.span.end <= len(text)
        assert found.message
        assert not found.message.endswith(".")
        assert not PYTHON.search(f"{found.message} {found.help}".removesuffix(" None"))
    assert render(result.diagnostics).count("stepsmith explain") >= len(result.diagnostics)
    for machine in result.machines:
        assert machine.to_json().encode("utf-8")


@fuzz
@given(random_text)
def test_random_text_is_a_mistake_or_a_workflow(text: str):
    holds(text)


@fuzz
@given(structured())
def test_yaml_of_any_shape_is_a_mistake_or_a_workflow(text: str):
    holds(text)


@fuzz
@given(mutated())
def test_a_changed_workflow_is_a_mistake_or_a_workflow(text: str):
    holds(text)


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_a_workflow_cut_off_anywhere_is_a_mistake_or_a_workflow(file: Path):
    """As an editor sees it while it is being written."""
    text = file.read_text("utf-8")
    for end in range(0, len(text), 29):
        holds(text[:end])
