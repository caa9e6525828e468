"""Every diagnostic code is shown by a file that gives it, and by the same file mended."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from compiler.catalog import CATALOG
from compiler.check import Surroundings, WorkflowContract
from compiler.codes import Code, check, document, expressions, plan, shell, spec
from tests.golden.project import compiled_text, surroundings

TABLES = (
    document.CODES,
    spec.CODES,
    expressions.CODES,
    check.CODES,
    shell.CODES,
    plan.CODES,
)
CODES = [pytest.param(code, id=code.slug) for code in CATALOG.values()]


CALLER = WorkflowContract("calls-caller", None, "workflows/calls.yaml", children=("caller",))
_LACKING: dict[str, dict[str, Any]] = {"pause-asks-nobody": {"approvers": ()}}
ITSELF = WorkflowContract("caller", None, "workflows/new.yaml", children=("calls-caller",))


@cache
def around(slug: str = "") -> Surroundings:
    """Return what a workflow of this repository is checked against, with what examples name.

    The example of some codes is wrong in a stage that lacks something: see `_LACKING`.
    """
    here = surroundings()
    groups = {"release": ("ann@example.com", "bob@example.com")}
    stage = replace(here.stage, groups=groups, declared_vars={"region": ("prod",)})
    called = {**here.workflows, "calls-caller": (CALLER,), "caller": (ITSELF,)}
    return replace(here, workflows=called, stage=replace(stage, **_LACKING.get(slug, {})))


def slugs(text: str, of: str) -> set[str]:
    """Return the slugs of what the compiler says about a file, an example of a code."""
    return {found.code for found in compiled_text(text, around(of)).diagnostics}


def test_a_slug_names_one_code():
    """The catalogue joins the tables without losing any."""
    assert sum(len(table) for table in TABLES) == len(CATALOG)


@pytest.mark.parametrize("code", CODES)
def test_a_slug_is_words_with_hyphens(code: Code):
    """What people search for and type after `stepsmith explain`."""
    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", code.slug)


@pytest.mark.parametrize("code", CODES)
def test_the_wrong_example_gives_this_code_alone(code: Code):
    """What `stepsmith explain` shows as wrong is wrong for this reason."""
    assert slugs(code.wrong, code.slug) == {code.slug}


@pytest.mark.parametrize("code", CODES)
def test_the_right_example_gives_nothing(code: Code):
    """What `stepsmith explain` shows as right compiles without a word."""
    assert slugs(code.right, code.slug) == set()
