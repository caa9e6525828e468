"""The close machine: what is done after a failed run, undos first, then the handlers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile

from compiler.check.program import (
    Action,
    Block,
    Program,
    Script,
    Step,
    every_step,
    expressions,
)
from compiler.expressions import Expr, references
from compiler.plan.closing import Closing
from compiler.plan.facts import step_named
from compiler.plan.reading import Read, exprs_of_step, read_of_ref


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
    places = {step.id: outer for step, outer in repeated(program.steps)}
    around = {step.id: places[step.id] for step in undone}
    roots: set[str] = set()
    read: set[str] = set()
    beside: dict[str, dict[str, int]] = {}
    for step, expr in _exprs(program, undone, around):
        for ref in references(expr):
            roots.add(ref.root)
            named = step_named(ref.keys, steps) if ref.root == "steps" else None
            if named is None:
                continue
            if step is not None and step is not named:
                depth = _shared(around[step.id], places[named.id])
                if depth:
                    beside.setdefault(step.id, {})[named.id] = depth
                    continue
            read.add(named.id)
    return Closing(
        undone,
        around,
        tuple(step for step in steps.values() if step.id in read),
        beside,
        tuple(dict.fromkeys(found.step for found in reads_at_close(program))),
        tuple((step.id, step.name) for step in steps.values()),
        not roots.isdisjoint({"failure", "github"}),
    )


def reads_at_close(program: Program) -> Iterator[Read]:
    """Yield what undos and handlers read of steps, as far as the machine itself has to keep it.

    Outputs that a wrapper stored are read from there; how a step ended only the machine knows for
    certain. Steps inside a for_each are left out: what came of their items is in no variable.
    """
    steps = {step.id: step for step in every_step(program.steps)}
    places = {step.id: outer for step, outer in repeated(program.steps)}
    around = {name: places[name] for name, step in steps.items() if step.is_undone}
    undone = tuple(steps[name] for name in around)
    for undoing, expr in _exprs(program, undone, around):
        for ref in references(expr):
            read = read_of_ref(ref, steps, inline=True)
            if read is None or steps[read.step] is undoing:
                continue
            step = steps[read.step]
            is_inside = any(outer is not step for outer in places[step.id])
            is_kept = read.field in ("status", "error") or not is_wrapped(step)
            if is_kept and not is_inside:
                yield read


def is_wrapped(step: Step) -> bool:
    """Whether what a step gives is stored by the wrapper that carries it out."""
    return isinstance(step.kind, Action | Script)


def repeated(
    steps: tuple[Step, ...], outer: tuple[Step, ...] = ()
) -> Iterator[tuple[Step, tuple[Step, ...]]]:
    """Yield every step with the for_each steps it stands in, its own last."""
    for step in steps:
        inside = outer if step.for_each is None else (*outer, step)
        yield step, inside
        if isinstance(step.kind, Block):
            yield from repeated(step.kind.steps, inside)


def _shared(one: tuple[Step, ...], other: tuple[Step, ...]) -> int:
    """Return how many for_each steps two steps stand in together."""
    same = takewhile(lambda pair: pair[0] is pair[1], zip(one, other, strict=False))
    return sum(1 for _ in same)


def _exprs(
    program: Program, undone: tuple[Step, ...], around: dict[str, tuple[Step, ...]]
) -> Iterator[tuple[Step | None, Expr]]:
    """Yield what handlers and undos read, the latter with the step that is undone.

    An undo that reads its item reads what the lists are made of, too.
    """
    for handler in every_step(program.handlers):
        for expr in exprs_of_step(handler):
            yield None, expr
    for step in undone:
        own = () if step.compensate is None else tuple(exprs_of_step(step.compensate))
        lists: list[Expr] = []
        if any(ref.root == "item" for expr in own for ref in references(expr)):
            for outer in around[step.id]:
                assert outer.for_each is not None
                lists += expressions(outer.for_each.items)
        for expr in (*own, *lists):
            yield step, expr
