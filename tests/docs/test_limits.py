"""The limits that the page names are those of the code, and so are its codes."""

from __future__ import annotations

import re

import pytest

from compiler.asl import chunks, retrying
from compiler.catalog import CATALOG
from compiler.check import steps
from compiler.document import limits as document
from compiler.expressions import parser
from compiler.plan import bounds, budget, layout
from compiler.plan import limits as plan
from compiler.spec import model
from functions.domain import arrivals, outputs
from functions.usecases import lasting
from local import source
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
SAID = {
    "an event that a wait is for | {:,} bytes": arrivals.LARGEST,
    "have not begun | kept for {:,} days": arrivals.KEPT.days,
    "request that creates a machine | {:,} bytes": plan.DEFINITION_LIMIT,
    "events of a run | {:,} by the bound": plan.EVENT_LIMIT,
    "forks inside one another | {:,}": layout.MAX_DEPTH,
    "`max_items` of a `for_each` | {:,};": steps.MOST_ITEMS,
    "; {:,} where it is left out": model.MAX_ITEMS,
    "an expression | {:,} operators": parser._MOST_OPERATORS,
    " operators, {:,} deep": parser._DEEPEST,
    "a file | {:,} characters": document.MAX_SIZE,
    "{:,} keys and values, ": document.MAX_NODES,
    "{:,} levels": document.MAX_DEPTH,
    "{:,} uses of anchors": document.MAX_ALIASES,
    "that stand for {:,} keys": document.MAX_ALIASED_NODES,
    "{:,} are shared": budget.SHARED,
    "shared, {:,} a step": budget.MOST,
    "at once | {:,} in an inline Map": chunks.INLINE_CONCURRENCY,
    "more than {:,} events": chunks.INLINE_EVENTS,
    "chunks of {:,} or fewer": bounds.CHUNK,
    "at most {:,} seconds": retrying.LAMBDA_LIMIT,
    "; {:,} where none is said": lasting.DEFAULT_SECONDS,
    "`$GITHUB_OUTPUT` | {:,} bytes": outputs.MOST_BYTES,
    "no git tree may have {:,} files": source.MOST_FILES,
}


@pytest.mark.parametrize(("said", "value"), SAID.items(), ids=SAID)
def test_the_limit_is_that_of_the_code(said, value):
    assert said.format(value) in PAGE


def test_every_code_is_one():
    """A slug with a hyphen in the last column is a code of a diagnostic, or an action's name."""
    cells = [line.split("|")[-2] for line in PAGE.splitlines() if line.startswith("| ")]
    named = {slug for cell in cells for slug in re.findall(r"`([a-z]+(?:-[a-z]+)+)`", cell)}

    assert named - {"build-artifact", "run-tests"} - set(CATALOG) == set()
    assert {"definition-too-large", "too-many-events", "too-many-items"} <= named
