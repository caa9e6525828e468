"""Which steps' failure a condition asks for (the truth table's row of that name)."""

from __future__ import annotations

from collections.abc import Collection
from operator import eq, ge, gt, le, lt, ne

from compiler.expressions import Binary, Expr, Literal, Not, Ref
from compiler.expressions.syntax import children

_COMPARE = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


def asks(expr: Expr, manual: Collection[str] = ()) -> frozenset[str]:
    """Return the ids, as written, of the steps whose failure `expr` asks for.

    A comparison of a step's status (or of `outputs.status` of one of the `manual` steps) asks
    where it is false for a step that succeeded; under `!` where it is true for one. Reading a
    step's `error` or `outputs.timeout_reason` asks always.
    """
    found: set[str] = set()
    stack = [(expr, False)]
    while stack:
        here, negated = stack.pop()
        match here:
            case Not(operand=operand):
                stack.append((operand, not negated))
                continue
            case Binary(op=op) if op in _COMPARE:
                found.update(_compared(here, manual, when_good=negated))
                negated = False  # what is compared is a value: a `!` outside says nothing of it
            case Ref():
                step = reads_failure(here)
                if step:
                    found.add(step)
            case _:
                pass
        stack.extend((child, negated) for child in children(here))
    return frozenset(found)


def reads_failure(ref: Ref) -> str | None:
    """Return the step whose `error` or `outputs.timeout_reason` is read, or None."""
    if ref.root != "steps":
        return None
    match ref.keys:
        case (str(step), "error", *_) | (str(step), "outputs", "timeout_reason", *_):
            return step
        case _:
            return None


def status_of(expr: Expr, manual: Collection[str] = ()) -> tuple[str, str] | None:
    """Return the step whose status `expr` is, and what that is when it succeeded; else None."""
    if not isinstance(expr, Ref) or expr.root != "steps" or len(expr.keys) != len(expr.path) - 1:
        return None
    match expr.keys:
        case (str(step), "status"):
            return step, "succeeded"
        case (str(step), "outputs", "status") if step in manual:
            return step, "approved"
    return None


def _compared(expr: Binary, manual: Collection[str], *, when_good: bool) -> tuple[str, ...]:
    """Return the step whose status is compared, if that gives `when_good` where it succeeded."""
    op, left, right = expr.op, expr.left, expr.right
    for one, other, mirrored in ((left, right, False), (right, left, True)):
        status = status_of(one, manual)
        if status is None or not isinstance(other, Literal):
            continue
        step, good = status
        if not isinstance(other.value, str):
            holds = op == "!="
        elif mirrored:
            holds = _COMPARE[op](other.value, good)
        else:
            holds = _COMPARE[op](good, other.value)
        return (step,) if holds == when_good else ()
    return ()
