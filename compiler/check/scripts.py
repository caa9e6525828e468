"""Scripts: their expressions made safe, and where they run."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from compiler.check.checker import Checker
from compiler.check.groups import Entry
from compiler.check.program import Script, Value
from compiler.check.readers import Reader
from compiler.check.shell import interpolate, programs
from compiler.check.suggest import listed
from compiler.check.timing import LAMBDA_SECONDS, is_deadline
from compiler.check.typed import at as place
from compiler.diagnostics import Diagnostics
from compiler.expressions import Expr, Single, parse
from compiler.expressions.syntax import At
from compiler.expressions.types import Record, Type
from compiler.spec import RunStep

GIVES = Record({}, open=False)


def script(checker: Checker, entry: Entry, reader: Reader) -> tuple[Script, Type]:
    """Return a script with its expressions moved into variables, and the type of its outputs."""
    step = entry.step
    assert isinstance(step, RunStep)
    own = replace(reader, secrets=True)
    diagnostics = checker.context.diagnostics
    values: dict[str, Value | None] = {}  # not by expressions: for Python 1 and true are alike

    def parsed(text: str, at: At, found: Diagnostics) -> Expr | None:
        expr = parse(text, at, found)
        if expr is not None and repr(expr) not in values:
            values[repr(expr)] = checker.typed.template(Single(expr), expr.span, own)
        return expr

    node = checker.context.document.nearest((*step.path, "run"))
    read = checker.context.script(step.run)
    safe = interpolate((read, place(node)), diagnostics, parsed, taken=tuple(reader.env))
    runner, why = _runner(checker, step)
    if safe is None:
        return Script(step.run, (), runner, step.image, why), GIVES
    variables = ((variable.name, values.get(repr(variable.expr))) for variable in safe.variables)
    known = tuple((name, value) for name, value in variables if value is not None)
    return Script(safe.text, known, runner, step.image, why), GIVES


def _runner(checker: Checker, step: RunStep) -> tuple[Literal["lambda", "codebuild"], str]:
    if step.runner is not None:
        return step.runner, f"`runner: {step.runner}`"
    if step.image is not None:
        return "codebuild", f"`image: {step.image}`"
    has = checker.context.surroundings.runner_programs
    missing = dict.fromkeys(
        name for name, _ in programs(checker.context.script(step.run)) if name not in has
    )
    if missing:
        return "codebuild", f"it calls {listed(missing)}"
    is_long = step.timeout is not None and step.timeout > LAMBDA_SECONDS
    if is_long and not is_deadline(checker, step):
        return "codebuild", "its timeout is longer than the 15 minutes of Lambda"
    return "lambda", "the runner has every program that it calls"
