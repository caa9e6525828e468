"""Dependencies that look redundant, and let a step run that was meant to be skipped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from compiler.check.checker import Checker
from compiler.check.groups import Entry, Group
from compiler.check.program import Step
from compiler.expressions import Call, Expr, Not


def check_dependencies(checker: Checker, steps: Mapping[str, Step]) -> None:
    """Warn of a dependency that is before another one which may be skipped though it ran.

    A step with a condition says itself when it runs.
    """
    for entry in checker.groups.entries():
        step = steps.get(entry.id)
        if step is None or step.condition is not None or not step.rule.written:
            continue
        found = next(_pairs(entry, steps), None)
        if found is None:
            continue
        place, first, then = found
        checker.warn(
            "redundant-dependency",
            checker.context.span((*entry.step.path, "depends_on", place)),
            f"with '{first}' here '{entry.id}' also runs where '{then}' is skipped: one "
            "dependency that was not skipped is enough",
            f"leave '{first}' out, as '{then}' comes after it; add `condition: success()` if "
            f"'{entry.id}' is to run without '{then}'",
        )


def _pairs(entry: Entry, steps: Mapping[str, Step]) -> Iterator[tuple[int, str, str]]:
    """Yield the places of dependencies that are before another, with both ids."""
    group = entry.group
    needs = group.dependencies[entry.position]
    for place, first in enumerate(needs):
        rule = steps[group.entries[first].id].rule
        if rule.manual and rule.continues:
            continue  # it counts by its answer only: the later step is what is done for another
        for then in needs:
            is_before = group.above[then] & 1 << first
            if is_before and _may_be_skipped(group, first, then, steps):
                yield place, group.entries[first].id, group.entries[then].id


def _may_be_skipped(group: Group, first: int, then: int, steps: Mapping[str, Step]) -> bool:
    """Whether a step may be skipped where one before it has run and nothing is bad."""
    between = group.above[then] | 1 << then
    skipped: dict[int, bool] = {}
    for position in group.sequence:
        if not between & 1 << position:
            continue
        step = steps[group.entries[position].id]
        may = position != first and is_conditional(step.condition)
        if position != first and not may and not step.rule.has_status_function:
            may = _is_starved(group, position, skipped, steps)
        skipped[position] = may
    return skipped[then]


def _is_starved(
    group: Group, position: int, skipped: Mapping[int, bool], steps: Mapping[str, Step]
) -> bool:
    """Whether no dependency of a step may count (`protocol.status.has_counting_dependency`)."""
    while True:
        needs = group.dependencies[position]
        if not needs:
            return False
        if steps[group.entries[position].id].rule.written:
            return all(skipped[need] for need in needs)
        position = needs[0]
        if not skipped[position]:
            return False


def is_conditional(condition: Expr | None) -> bool:
    """Whether a condition may be false where nothing is bad."""
    match condition:
        case None | Call(name="always" | "success"):
            return False
        case Not(operand=Call(name="failure" | "cancelled")):
            return False
        case _:
            return True
