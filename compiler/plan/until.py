"""A workflow cut down to one step and what it depends on."""

from __future__ import annotations

from dataclasses import replace

from compiler.check.program import Block, Program, Step, every_step
from compiler.plan.reading import reads_of_value


def up_to(program: Program, target: str) -> Program:
    """Return a program that ends with the step of an id.

    Of a parallel step around it only what it depends on stays. There are no handlers, and of
    the outputs only those that read nothing that was cut away. Raises KeyError where there is no
    such step.
    """
    if target not in program.by_id:
        raise KeyError(target)
    steps = _cut(program.steps, target)
    kept = {step.id for step in every_step(steps)}
    outputs = tuple(
        (name, value)
        for name, value in program.outputs
        if all(
            read.step in kept for read in reads_of_value(value, program.by_id, None, travels=False)
        )
    )
    return replace(program, steps=steps, outputs=outputs, handlers=())


def _cut(steps: tuple[Step, ...], target: str) -> tuple[Step, ...]:
    by_id = {step.id: step for step in steps}
    last = next(one for one in steps if any(s.id == target for s in every_step((one,))))
    kept: dict[str, None] = {}
    pending = [last.id]
    for step in pending:  # grows while it is read
        if step not in kept:
            kept[step] = None
            pending += by_id[step].depends_on
    if isinstance(last.kind, Block) and last.id != target:
        kind = replace(last.kind, steps=_cut(last.kind.steps, target))
        by_id[last.id] = replace(last, kind=kind)
    return tuple(by_id[step.id] for step in steps if step.id in kept)
