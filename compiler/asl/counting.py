"""Counters of the loops around a step."""

from __future__ import annotations

from compiler.check.program import Step


def counter(step: Step, letter: str) -> str:
    """Return JSONata of a loop's counter, 1 before the loop has counted."""
    name = f"${letter}_{step.variable}"
    return f"$exists({name}) ? {name} : 1"
