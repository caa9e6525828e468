"""The compiler from end to end: each pass takes what the one before it gave."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from compiler.asl import StateMachine, emit
from compiler.check import Surroundings, check
from compiler.check.program import Program
from compiler.diagnostics import Diagnostic, Diagnostics, Severity
from compiler.document import Document, only, read
from compiler.plan import plan
from compiler.plan.limits import check_limits
from compiler.plan.model import Plan
from compiler.plan.until import up_to
from compiler.source import Source
from compiler.spec import Workflow, decode


@dataclass(frozen=True, slots=True)
class Compilation:
    """What came of one file. `machines` holds the workflow's own first, then its close machine."""

    source: Source
    diagnostics: tuple[Diagnostic, ...]
    document: Document | None = None
    workflow: Workflow | None = None
    program: Program | None = None
    plan: Plan | None = None
    machines: tuple[StateMachine, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the file can be deployed: it has machines and no error."""
        return bool(self.machines)


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep Python's collector of cycles from running meanwhile, in the whole process.

    What a pass makes lives until the end, and hardly any of it in cycles. The collector would
    look at all of it again and again, the more often the larger the file is, and find nothing:
    with 5,000 steps that takes a third of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@uncollected()
def compile_source(
    source: Source, surroundings: Surroundings, found: Diagnostics | None = None
) -> Compilation:
    """Compile one file. Every mistake is reported; passes stop where going on makes no sense.

    `found` may already hold diagnostics of how the file was read (its encoding).
    """
    diagnostics = Diagnostics(source) if found is None else found
    documents = read(source, diagnostics)
    if not documents:
        return Compilation(source, tuple(diagnostics))
    document = only(documents, diagnostics)
    workflow = decode(document, diagnostics)
    if workflow is None:
        return Compilation(source, tuple(diagnostics), document)
    program = check(workflow, document, surroundings, diagnostics)
    if program is None or diagnostics.has_errors:
        return Compilation(source, tuple(diagnostics), document, workflow, program)
    planned = plan(program)
    machines = emit(planned)
    check_limits(planned, machines, diagnostics)
    said = tuple(diagnostics)
    return Compilation(
        source,
        said,
        document,
        workflow,
        program,
        planned,
        () if any(one.severity is Severity.ERROR for one in said) else machines,
    )


@uncollected()
def cut_after(compilation: Compilation, step: str) -> Compilation:
    """Return what comes of a file whose workflow is only a step, by its id, and those before it.

    The compilation must be without errors. Raises KeyError where there is no such step.
    """
    assert compilation.program is not None
    program = up_to(compilation.program, step)
    planned = plan(program)
    return replace(compilation, program=program, plan=planned, machines=emit(planned))
