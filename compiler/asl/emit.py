"""The pass: from a Plan to its state machines."""

from __future__ import annotations

from compiler.asl.machine import machines
from compiler.asl.model import StateMachine
from compiler.plan.model import Plan


def emit(plan: Plan) -> tuple[StateMachine, ...]:
    """Return the machines of a planned workflow: its own first, its close machine last."""
    found = machines(plan)
    return found if plan.close is None else (*found, *machines(plan.close))
