"""Every diagnostic code is shown by a file that gives it, and by the same file mended."""

from __future__ import annotations

import re

import pytest

from compiler.catalog import CATALOG
from compiler.codes import Code, check, document, expressions, plan, spec

compiler = pytest.importorskip("compiler")
if not hasattr(compiler, "compile_text"):
    pytest.skip("the pipeline is not there yet", allow_module_level=True)

TABLES = (document.CODES, spec.CODES, expressions.CODES, check.CODES, plan.CODES)
CODES = [pytest.param(code, id=code.slug) for code in CATALOG.values()]


def slugs(text: str) -> set[str]:
    """Return the slugs of what the compiler says about a file."""
    return {found.code for found in compiler.compile_text(text, name="example.yaml").diagnostics}


def test_a_slug_names_one_code():
    """The catalogue joins the tables without losing any."""
    assert sum(len(table) for table in TABLES) == len(CATALOG)


@pytest.mark.parametrize("code", CODES)
def test_a_slug_is_words_with_hyphens(code: Code):
    """What people search for and type after `stepsmith explain`."""
    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", code.slug)


@pytest.mark.parametrize("code", CODES)
def test_the_wrong_example_gives_the_code(code: Code):
    """What `stepsmith explain` shows as wrong is wrong for this reason."""
    assert code.slug in slugs(code.wrong)


@pytest.mark.parametrize("code", CODES)
def test_the_right_example_gives_nothing(code: Code):
    """What `stepsmith explain` shows as right compiles without a word."""
    assert slugs(code.right) == set()
