"""Which steps are skipped whenever a condition keeps another one from running."""

from __future__ import annotations

from collections.abc import Sequence

from compiler.check.program import Program, Step, every_step
from compiler.check.redundant import is_conditional


def skipped_together(program: Program) -> tuple[tuple[str, ...], ...]:
    """Return for each conditional step its id and those of the steps that are skipped with it.

    Conditional is one that may be skipped where nothing is bad. A step is skipped with it if all
    that its `depends_on` names are, and its own condition has no say in that; the children of a
    block are skipped with the block. A step that nothing follows is left out.
    """
    found = []
    for steps in _groups(program.steps):
        for at, step in enumerate(steps):
            if is_conditional(step.condition):
                group = _with(step, steps[at + 1 :])
                if len(group) > 1:
                    found.append(tuple(group))
    return tuple(found)


def _groups(steps: Sequence[Step]) -> list[Sequence[Step]]:
    inner = [step.kind.steps for step in every_step(tuple(steps)) if hasattr(step.kind, "steps")]
    return [steps, *inner]


def _with(first: Step, rest: Sequence[Step]) -> list[str]:
    """Return the ids of the steps skipped with `first`; a step may stand above what it needs."""
    group = _ids(first)
    pending = list(rest)
    while True:
        more = [step for step in pending if _follows(step, group)]
        if not more:
            return list(group)
        for step in more:
            group |= _ids(step)
        pending = [step for step in pending if step not in more]


def _follows(step: Step, group: dict[str, None]) -> bool:
    rule = step.rule
    if not rule.written or not rule.depends_on or rule.has_status_function or rule.asks:
        return False
    return all(above in group for above in rule.depends_on)


def _ids(step: Step) -> dict[str, None]:
    return {one.id: None for one in every_step((step,))}
