"""The row of the truth table that belongs to each step."""

from __future__ import annotations

from collections.abc import Collection

from compiler.check.asks import asks
from compiler.check.groups import Entry, Groups
from compiler.expressions import Expr, status_functions
from compiler.spec import ManualStep
from protocol.status import FAULTS, REJECTED, TIMED_OUT, Rule


def rule(entry: Entry, condition: Expr | None, groups: Groups, manual: Collection[str]) -> Rule:
    """Return what decides whether a step starts and whether its end is bad."""
    step, group = entry.step, entry.group
    has_functions = condition is not None and bool(status_functions(condition))
    asked = frozenset[str]() if condition is None else asks(condition, manual)
    return Rule(
        id=step.id,
        depends_on=tuple(group.entries[need].id for need in group.dependencies[entry.position]),
        written=step.depends_on is not None or entry.position == 0,
        manual=step.kind == "manual",
        continues=_continues(entry),
        has_condition=step.condition is not None,
        has_status_function=has_functions,
        asks=frozenset(_lifted(entry, asked, groups)),
    )


def _continues(entry: Entry) -> frozenset[str]:
    step = entry.step
    if isinstance(step, ManualStep):
        answers = ((REJECTED, step.on_reject), (TIMED_OUT, step.on_timeout))
        return frozenset(status for status, what in answers if what == "continue")
    return FAULTS if step.on_error == "continue" else frozenset()


def _lifted(entry: Entry, asked: Collection[str], groups: Groups) -> set[str]:
    """Return the ancestors in the step's own graph that are meant by the steps asked for.

    Outside of a block only the block counts, so whoever asks for a child's failure asks for the
    block's. What is before an enclosing block is the business of the block's own guard.
    """
    found: set[str] = set()
    for step in asked:
        other = groups.find(step)
        if other is None:
            continue
        for outer in other.enclosing():
            if outer.group is entry.group and entry.group.above[entry.position] & outer.bit:
                found.add(outer.id)
    return found
