"""The outputs that a step declares, and what is known of them."""

from __future__ import annotations

from dataclasses import replace

from compiler.check.checker import Checker
from compiler.check.failed import FAILED
from compiler.check.groups import Entry
from compiler.check.program import Computed, Constant, Output, Secret, Value
from compiler.check.program import expressions as expressions_of
from compiler.check.readers import Reader
from compiler.check.steptypes import with_declared
from compiler.check.valuetypes import type_of
from compiler.document.nodes import Node, Scalar
from compiler.expressions import Expr, Ref, Single, references
from compiler.expressions.types import TEXT, Record, Type
from compiler.source import Span
from compiler.spec import RunStep
from compiler.spec.written.scalars import OPEN


def written(entry: Entry, given: Type) -> Type:
    """Return what a step writes itself: a script's declared outputs are text."""
    if not isinstance(entry.step, RunStep):
        return given
    return Record(dict.fromkeys(entry.step.outputs.entries, TEXT), open=True)


def outputs(
    checker: Checker, entry: Entry, given: Type, reader: Reader
) -> tuple[tuple[Output, ...], Type]:
    """Return the declared outputs of a step and the type of all it has."""
    found: list[Output] = []
    step = entry.step
    own = replace(reader, part="outputs") if step.outputs.entries else reader
    is_script = isinstance(step, RunStep)
    for name, raw in step.outputs.entries.items():
        path = (*step.outputs.path, name)
        value = checker.value(raw, path, own)
        span = checker.context.key_span(path)
        is_written = OPEN not in str(raw)
        if is_script and is_written:
            value = _as_text(value, checker.context.node(path))
        found.append(_output(name, value, entry, span, is_written=is_written))
    if not isinstance(given, Record):
        return tuple(found), given

    def type_(output: Output) -> Type:
        if output.value is None:
            return TEXT
        return type_of(output.value)

    if is_script:
        names = [output.name for output in found if output.form == "declared"]
        given = Record(dict.fromkeys(names, TEXT))
    return tuple(found), with_declared(given, tuple(found), type_)


def _as_text(value: Value, node: Node | None) -> Value:
    """Return a literal output of a script as what scripts give: the text as it was written."""
    if isinstance(value, Constant) and value.value is not None and isinstance(node, Scalar):
        return Constant(node.text)
    return value


def _output(name: str, value: Value, entry: Entry, span: Span, *, is_written: bool) -> Output:
    match value:
        case Constant() if value is FAILED or not is_written:
            return Output(name, "computed", value, span)
        case Constant(value=None):
            return Output(name, "declared", None, span)
        case Constant():
            return Output(name, "literal", value, span)
        case Computed(template=Single(expr=expr)) if _is_own(expr, entry, name):
            return Output(name, "declared", None, span)
        case Secret():
            return Output(name, "literal", value, span)
        case _:
            pass
    reads_own = any(
        ref.root == "steps" and ref.keys[:1] == (entry.id,)
        for expr in expressions_of(value)
        for ref in references(expr)
    )
    return Output(name, "derived" if reads_own else "computed", value, span)


def _is_own(expr: Expr, entry: Entry, name: str) -> bool:
    return (
        isinstance(expr, Ref)
        and expr.root == "steps"
        and len(expr.path) == 4
        and expr.keys == (entry.id, "outputs", name)
    )
