"""Guards as JSONata that gives true or false and cannot fail."""

from __future__ import annotations

from compiler.asl import failures
from compiler.asl.context import Context
from compiler.asl.resolver import ScopeResolver
from compiler.asl.skips import counts, ran
from compiler.expressions.jsonata import emit_condition
from compiler.expressions.quoting import text_literal
from compiler.plan.model import AllOf, AnyOf, Counts, Holds, NothingBad, Ran, Test


def test_code(test: Test | bool, context: Context, resolve: ScopeResolver) -> str:
    """Return a test as JSONata."""
    match test:
        case bool():
            return "true" if test else "false"
        case Counts(step=step):
            return counts(step, context.plan, context.scope.key)
        case NothingBad(asks=()):
            return f"$not({failures.is_bad(context.scope, context.assigned)})"
        case NothingBad(asks=asks):
            ids = failures.bad_ids(context.scope, context.assigned)
            asked = ", ".join(text_literal(name) for name in asks)
            return f"$count($filter({ids}, function($b) {{ $not($b in [{asked}]) }})) = 0"
        case Holds(expr=expr):
            return emit_condition(expr, resolve)
        case AllOf(tests=tests):
            return " and ".join(_operand(inner, context, resolve) for inner in tests)
        case AnyOf(tests=tests):
            return " or ".join(_operand(inner, context, resolve) for inner in tests)
        case Ran(step=step, then=then, otherwise=otherwise):
            yes = _operand(then, context, resolve)
            no = _operand(otherwise, context, resolve)
            return f"{ran(step, context.plan, context.scope.key)} ? {yes} : {no}"


def _operand(test: Test | bool, context: Context, resolve: ScopeResolver) -> str:
    text = test_code(test, context, resolve)
    return text if isinstance(test, bool) else f"({text})"
