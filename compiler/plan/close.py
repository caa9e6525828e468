"""The close machine: what is done after a failed run, undos first, then the handlers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compiler.check.program import Program, Step, every_step
from compiler.expressions import Expr, references
from compiler.plan.facts import step_named
from compiler.plan.model import Closing
from compiler.plan.reading import exprs_of_step


def close_program(program: Program) -> Program:
    """Return the handlers of a workflow as a program of their own."""
    return replace(
        program,
        id=f"{program.id}--close",
        name=program.name,
        description=f"After a failed run of {program.name}: undoes steps, then handles the failure",
        steps=program.handlers,
        handlers=(),
        outputs=(),
        timeout=None,
        concurrency=None,
        notify=(),
        triggers=None,
        children=(),
    )


def closing(program: Program) -> Closing:
    """Return what the close machine of a workflow does and reads."""
    steps = {step.id: step for step in every_step(program.steps)}
    undone = tuple(step for step in steps.values() if step.compensate is not None)
    roots: set[str] = set()
    read: set[str] = set()
    for expr in _exprs(program, undone):
        for ref in references(expr):
            roots.add(ref.root)
            named = step_named(ref.keys, steps) if ref.root == "steps" else None
            if named is not None:
                read.add(named.id)
    return Closing(
        undone,
        tuple(step for step in steps.values() if step.id in read),
        tuple((step.id, step.name) for step in steps.values()),
        not roots.isdisjoint({"failure", "github"}),
    )


def _exprs(program: Program, undone: tuple[Step, ...]) -> Iterator[Expr]:
    for handler in every_step(program.handlers):
        yield from exprs_of_step(handler)
    for step in undone:
        assert step.compensate is not None
        yield from exprs_of_step(step.compensate)
