"""What compiling gave, as the local engine takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.check.program import Block, every_step
from compiler.manifest.secrets import secrets_read
from local.program import Program

if TYPE_CHECKING:
    from compiler.pipeline import Compilation


def local_program(compilation: Compilation) -> Program:
    """Return a compiled workflow for a local run; the compilation must be without errors."""
    program = compilation.program
    assert program is not None
    contract = program.contract
    inputs = contract.get("inputs") if isinstance(contract, dict) else None
    source = compilation.source
    steps = list(every_step(program.steps))
    return Program(
        workflow=program.id,
        version=program.version or "",
        machines={machine.id: machine.definition for machine in compilation.machines},
        rules={step.id: step.rule for step in steps},
        inputs=inputs if isinstance(inputs, dict) else None,
        lines={step.id: source.line_column(step.span.start)[0] for step in steps},
        handlers={step.id: step.rule for step in every_step(program.handlers)},
        blocks={
            inner.id: step.id
            for step in steps
            if isinstance(step.kind, Block)
            for inner in step.kind.steps
        },
        secrets=secrets_read(program),
    )
