"""The pass: from a Plan to its state machines."""

from __future__ import annotations

from compiler.asl.machine import machine
from compiler.asl.model import StateMachine
from compiler.plan.model import Plan


def emit(plan: Plan) -> tuple[StateMachine, ...]:
    """Return the machines of a planned workflow, its own first."""
    if plan.close is None:
        return (machine(plan),)
    return (machine(plan), machine(plan.close))
