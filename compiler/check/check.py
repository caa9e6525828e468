"""The check pass: a typed workflow becomes a Program, or all its mistakes are reported."""

from __future__ import annotations

from compiler.check import root, warnings
from compiler.check.certain import Certain
from compiler.check.checker import Checker
from compiler.check.context import Context
from compiler.check.contexts import base
from compiler.check.dependencies import resolve
from compiler.check.files import check_artifacts, check_files
from compiler.check.groups import groups
from compiler.check.program import Program, Step, SubWorkflow, every_step
from compiler.check.reads import Reads
from compiler.check.redundant import check_dependencies
from compiler.check.steps import build
from compiler.check.surroundings import Surroundings
from compiler.check.triggers import triggers
from compiler.check.typed import Typed
from compiler.check.unmarked import report_unmarked
from compiler.diagnostics import Diagnostics
from compiler.document.nodes import Document
from compiler.spec import Workflow


def check(
    workflow: Workflow, document: Document, surroundings: Surroundings, diagnostics: Diagnostics
) -> Program | None:
    """Return the Program of a workflow; None where anything in the file is wrong.

    Goes on after a mistake as far as it makes sense, also after those of the passes before;
    what only follows from one already reported is not reported again.
    """
    context = Context(workflow, document, surroundings, diagnostics)
    found = groups(workflow)
    resolve(context, found)
    reads = Reads(context, found, Certain(found))
    checker = Checker(context, found, reads, Typed(context, found, reads), base(context))
    program = _program(checker)
    check_artifacts(checker)
    check_files(checker)
    warnings.check_workflow(checker)
    report_unmarked(checker.typed)
    if diagnostics.has_errors:
        return None
    warnings.check_inputs(checker)
    steps = {step.id: step for step in every_step((*program.steps, *program.handlers))}
    check_dependencies(checker, steps)
    return program


def _program(checker: Checker) -> Program:
    workflow = checker.context.workflow
    env = root.environment(checker)
    readers = root.readers(checker, env)
    contract = root.inputs(checker)
    steps = build(checker, checker.groups.top, env)
    handlers = build(checker, checker.groups.handlers, env)
    return Program(
        source=checker.context.document.source,
        id=workflow.id,
        name=workflow.name,
        version=workflow.version,
        description=workflow.description,
        steps=steps,
        inputs=contract,
        outputs=root.outputs(checker, readers.after),
        handlers=handlers,
        timeout=workflow.timeout,
        concurrency=root.concurrency(checker, readers.before),
        notify=root.notify(checker, readers.before),
        triggers=triggers(checker),
        contract=root.contract(checker),
        vars=dict(checker.context.surroundings.stage.vars),
        children=_children((*steps, *handlers)),
        checkout=root.checkout(checker, readers.before),
    )


def _children(steps: tuple[Step, ...]) -> tuple[str, ...]:
    """Return the workflows that are called, each once, in file order."""
    names: dict[str, None] = {}
    for step in every_step(steps):
        for one in (step, step.compensate):
            if one is not None and isinstance(one.kind, SubWorkflow):
                names[one.kind.workflow] = None
    return tuple(names)
