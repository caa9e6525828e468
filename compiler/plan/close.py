"""The close machine: what is done after a failed run, undos first, then the handlers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compiler.check.program import Block, Program, Step, every_step, expressions
from compiler.expressions import Expr, references
from compiler.plan.closing import Closing
from compiler.plan.facts import step_named
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
        triggers=(),
        children=(),
    )


def closing(program: Program) -> Closing:
    """Return what the close machine of a workflow does and reads."""
    steps = {step.id: step for step in every_step(program.steps)}
    undone = tuple(step for step in steps.values() if step.is_undone)
    around = {step.id: outer for step, outer in repeated(program.steps) if step.is_undone}
    roots: set[str] = set()
    read: set[str] = set()
    for expr in (*_exprs(program, undone), *_lists(undone, around)):
        for ref in references(expr):
            roots.add(ref.root)
            named = step_named(ref.keys, steps) if ref.root == "steps" else None
            if named is not None:
                read.add(named.id)
    return Closing(
        undone,
        around,
        tuple(step for step in steps.values() if step.id in read),
        tuple((step.id, step.name) for step in steps.values()),
        not roots.isdisjoint({"failure", "github"}),
    )


def repeated(
    steps: tuple[Step, ...], outer: tuple[Step, ...] = ()
) -> Iterator[tuple[Step, tuple[Step, ...]]]:
    """Yield every step with the for_each steps it stands in, its own last."""
    for step in steps:
        inside = outer if step.for_each is None else (*outer, step)
        yield step, inside
        if isinstance(step.kind, Block):
            yield from repeated(step.kind.steps, inside)


def _lists(undone: tuple[Step, ...], around: dict[str, tuple[Step, ...]]) -> Iterator[Expr]:
    """Yield what the lists are made of whose items an undo reads."""
    for step in undone:
        own = () if step.compensate is None else exprs_of_step(step.compensate)
        if any(ref.root == "item" for expr in own for ref in references(expr)):
            for outer in around[step.id]:
                assert outer.for_each is not None
                yield from expressions(outer.for_each.items)


def _exprs(program: Program, undone: tuple[Step, ...]) -> Iterator[Expr]:
    for handler in every_step(program.handlers):
        yield from exprs_of_step(handler)
    for step in undone:
        if step.compensate is not None:
            yield from exprs_of_step(step.compensate)
