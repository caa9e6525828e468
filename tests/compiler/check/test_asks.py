"""Which conditions ask for a step's failure: the row of that name in the truth table."""

from __future__ import annotations

import pytest

from compiler.check import asks
from compiler.diagnostics import Diagnostics
from compiler.expressions import parse_condition
from compiler.source import Source, Span

ASKING = [
    "steps.a.status == 'failed'",
    "'failed' == steps.a.status",
    "steps.a.status == 'skipped'",
    "steps.a.status != 'succeeded'",
    "!(steps.a.status == 'succeeded')",
    "!!(steps.a.status == 'failed')",
    "!(inputs.x && steps.a.status == 'succeeded')",
    "inputs.x || steps.a.status == 'timed_out'",
    "steps['a'].status == 'failed'",
    "steps.a.error",
    "!steps.a.error",
    "contains(steps.a.error.message, 'timeout')",
    "steps.a.outputs.timeout_reason != null",
    "steps.a.status == null",
]
NOT_ASKING = [
    "steps.a.status == 'succeeded'",
    "steps.a.status != 'failed'",
    "!(steps.a.status == 'failed')",
    "!(steps.a.status != 'succeeded')",
    "steps.a.status == inputs.x",
    "steps.a.outputs.status == 'rejected'",
    "steps.a.reason == 'condition'",
    "steps.a.items[0].status == 'failed'",
    "contains('failed', steps.a.status)",
    "inputs.x",
]


def asked(condition: str, manual: tuple[str, ...] = ()) -> frozenset[str]:
    """Return what a condition asks for."""
    diagnostics = Diagnostics(Source("test", condition))
    expr = parse_condition(condition, Span, diagnostics)
    assert expr is not None, list(diagnostics)
    return asks(expr, manual)


@pytest.mark.parametrize("condition", ASKING)
def test_a_comparison_that_is_false_where_the_step_succeeded_asks(condition: str):
    """Also under `!` the other way round, and reading the error always."""
    assert asked(condition) == {"a"}


@pytest.mark.parametrize("condition", NOT_ASKING)
def test_others_do_not_ask(condition: str):
    """A comparison that holds where the step succeeded leaves the usual check on."""
    assert asked(condition) == frozenset()


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("steps.a.outputs.status == 'rejected'", True),
        ("steps.a.outputs.status != 'approved'", True),
        ("!(steps.a.outputs.status == 'approved')", True),
        ("steps.a.outputs.status == 'approved'", False),
        ("steps.a.outputs.status != 'rejected'", False),
    ],
)
def test_the_decision_of_a_manual_step_counts_like_its_status(condition: str, expected: bool):
    """Only of manual steps: another step may have an output of that name."""
    assert asked(condition, manual=("a",)) == ({"a"} if expected else frozenset())


def test_each_step_is_asked_for_by_itself():
    """Two references in one condition, one of them asking."""
    assert asked("steps.a.status == 'failed' && steps.b.status == 'succeeded'") == {"a"}
    assert asked("steps.a.status == 'failed' || steps.b.error") == {"a", "b"}
