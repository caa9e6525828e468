"""Scripts: their expressions made safe."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TypeAlias

from compiler.check.checker import Checker
from compiler.check.groups import Entry
from compiler.check.program import Script, Value
from compiler.check.readers import Reader
from compiler.check.runners import runner_of_script
from compiler.check.shell import ScriptText, interpolate, of_github, said_to_github
from compiler.check.typed import at as place
from compiler.check.unmarked import check_unmarked
from compiler.diagnostics import Diagnostics
from compiler.document.nodes import Node
from compiler.expressions import Expr, Single, parse
from compiler.expressions.syntax import At
from compiler.expressions.types import Record, Type
from compiler.spec import RunStep

Variables: TypeAlias = tuple[tuple[str, Value], ...]

GIVES = Record({}, open=False)


def script(checker: Checker, entry: Entry, reader: Reader) -> tuple[Script, Type]:
    """Return a script with its expressions moved into variables, and the type of its outputs."""
    step = entry.step
    assert isinstance(step, RunStep)
    node = checker.context.document.nearest((*step.path, "run"))
    safe = without_expressions(checker, step.run, node, replace(reader, secrets=True))
    runner, why = runner_of_script(checker, step)
    if safe is None:
        return Script(step.run, (), runner, step.image, why), GIVES
    text, variables = safe
    return Script(text, variables, runner, step.image, why), GIVES


def without_expressions(
    checker: Checker, script: str, node: Node, reader: Reader, given: Collection[str] = ()
) -> tuple[str, Variables] | None:
    """Return a script with its expressions moved into variables, and these with their values.

    `given` are variables that it finds beside those of its `env`. None where an expression stands
    where no value can: that is reported.
    """
    diagnostics = checker.context.diagnostics
    values: dict[str, Value | None] = {}  # not by expressions: for Python 1 and true are alike

    def parsed(text: str, at: At, found: Diagnostics) -> Expr | None:
        expr = parse(text, at, found)
        if expr is not None and repr(expr) not in values:
            values[repr(expr)] = checker.typed.template(Single(expr), expr.span, reader)
        return expr

    check_unmarked(script, node, checker.typed, is_script=True)
    read = checker.context.script(script)
    _for_github(checker, read, place(node), {*reader.env, *given})
    safe = interpolate((read, place(node)), diagnostics, parsed, taken=tuple(reader.env))
    if safe is None:
        return None
    variables = ((variable.name, values.get(repr(variable.expr))) for variable in safe.variables)
    return safe.text, tuple((name, value) for name, value in variables if value is not None)


def _for_github(checker: Checker, script: ScriptText, at: At, given: Collection[str]) -> None:
    """Report what only the runner of GitHub Actions would set, or read."""
    for read in of_github(script, given):
        checker.error(
            "github-only",
            at(read.start, read.end),
            f"`${read.name}` is set by the runner of GitHub Actions, and by nothing here",
            read.instead,
        )
    for said in said_to_github(script):
        checker.warn(
            "github-command",
            at(said.start, said.end),
            f"`{said.name}` is read by the runner of GitHub Actions, and by nothing here",
            said.instead,
        )
