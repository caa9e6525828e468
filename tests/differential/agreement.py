"""Emitted JSONata gives what the language's own evaluator gives."""

from __future__ import annotations

from compiler.expressions import Expr
from compiler.expressions.jsonata import emit, emit_condition
from compiler.expressions.portable import to_portable
from protocol.evaluate import evaluate, holds, same
from tests.differential.engines import Failed, Local, Reference, refused_by_step_functions
from tests.differential.strategies import Document, written


def check(expr: Expr, document: Document, engine: Reference | Local) -> None:
    """The value and the condition of an expression are the evaluator's."""
    portable = to_portable(expr)
    code = emit(expr, document).text
    shown = f"{written(expr)} of {document.values}: {code}"
    assert refused_by_step_functions(code) is None, shown
    value = engine.evaluate(code, document.variables)
    assert not isinstance(value, Failed), f"{shown} fails: {value}"
    expected = evaluate(portable, document.values, document.statuses)
    assert same(value, expected), f"{shown} gives {value}, not {expected}"
    condition = emit_condition(expr, document)
    expected = holds(portable, document.values, document.statuses)
    assert engine.evaluate(condition, document.variables) is expected, condition
