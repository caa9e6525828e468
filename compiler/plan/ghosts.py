"""What is left of a fork that is passed over: its latches still signal and wait.

A step that is skipped counts as finished when its own dependencies are. So where a way passes
over a fork from which latches lead elsewhere, their signals are sent on that way too, each after
the waits that stand before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from compiler.plan.drafts import AwaitUnit, ForkUnit, SendUnit, Unit


@dataclass(frozen=True, slots=True)
class GhostFork:
    """Ghosts that go on beside each other."""

    branches: tuple[tuple[Ghost, ...], ...]


Ghost: TypeAlias = "AwaitUnit | SendUnit | GhostFork"


def ghosts_of(units: list[Unit]) -> tuple[Ghost, ...]:
    """Return the latches of units whose steps are all skipped, in their order."""
    found: list[Ghost] = []
    for unit in units:
        match unit:
            case AwaitUnit() | SendUnit():
                found.append(unit)
            case ForkUnit(branches=branches):
                found.extend(_fork(unit, [ghosts_of(branch.units) for branch in branches]))
            case _:
                pass
    return tuple(found)


def _fork(unit: ForkUnit, branches: list[tuple[Ghost, ...]]) -> tuple[Ghost, ...]:
    kept = [branch for branch in branches if branch]
    if not any(waits(branch) for branch in kept):
        outside = [ghost for branch in kept for ghost in branch]
        return tuple(g for g in outside if not _is_inside(g, unit))
    if len(kept) == 1:
        return kept[0]
    return (GhostFork(tuple(kept)),)


def _is_inside(ghost: Ghost, unit: ForkUnit) -> bool:
    return isinstance(ghost, SendUnit) and unit.steps.issuperset(ghost.consumers)


def waits(ghosts: tuple[Ghost, ...]) -> bool:
    """Return whether something is waited for among the ghosts."""
    return any(
        isinstance(ghost, AwaitUnit)
        or (isinstance(ghost, GhostFork) and any(waits(branch) for branch in ghost.branches))
        for ghost in ghosts
    )


def flattened(ghosts: tuple[Ghost, ...]) -> list[AwaitUnit | SendUnit]:
    """Return all latches among ghosts, those beside each other one after the other."""
    found: list[AwaitUnit | SendUnit] = []
    for ghost in ghosts:
        if isinstance(ghost, GhostFork):
            for branch in ghost.branches:
                found.extend(flattened(branch))
        else:
            found.append(ghost)
    return found
