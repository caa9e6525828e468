"""Expressions as plain JSON, for `protocol.evaluate` where no compiler is at hand."""

from __future__ import annotations

from compiler.expressions.quoting import Json
from compiler.expressions.syntax import (
    Binary,
    Call,
    Constant,
    Expr,
    Index,
    Joined,
    Literal,
    Not,
    Ref,
    Single,
    Template,
)


def to_portable(expr: Expr) -> Json:
    """Return the form of an expression that `protocol.evaluate.evaluate` takes."""
    match expr:
        case Literal(value=value):
            return value
        case Ref(path=path):
            keys: list[Json] = [
                part.key if isinstance(part.key, str | int) else to_portable(part.key)
                for part in path
            ]
            return ["ref", *keys]
        case Index(base=base, key=key):
            return ["index", to_portable(base), to_portable(key)]
        case Not(operand=operand):
            return ["not", to_portable(operand)]
        case Binary(op=op, left=left, right=right):
            return [op, to_portable(left), to_portable(right)]
        case Call(name=name, args=args):
            return ["call", name, *(to_portable(arg) for arg in args)]


def template_to_portable(template: Template) -> Json:
    """Return the portable form of a YAML text that may hold expressions."""
    match template:
        case Constant(text=text):
            return text
        case Single(expr=expr):
            return to_portable(expr)
        case Joined(parts=parts):
            pieces: list[Json] = [
                part if isinstance(part, str) else to_portable(part) for part in parts
            ]
            return ["text", *pieces]
