"""Expressions with some of their parts replaced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from compiler.expressions import Binary, Call, Expr, Index, Literal, Not, Ref
from compiler.expressions.syntax import children


def rewrite(  # noqa: C901 (kind by kind)
    expr: Expr,
    of_ref: Callable[[Ref], Expr] | None,
    of_call: Callable[[Call], Expr] | None = None,
) -> Expr:
    """Return `expr` with every path and every call replaced, inner ones first.

    What a path is replaced by is not looked into again. Depth is bounded by the parser.
    """

    def visit(here: Expr) -> Expr:
        match here:
            case Literal():
                return here
            case Ref():
                return _path(here)
            case Not(operand=operand):
                inner = visit(operand)
                return here if inner is operand else replace(here, operand=inner)
            case Binary(left=left, right=right):
                new = (visit(left), visit(right))
                same = new[0] is left and new[1] is right
                return here if same else replace(here, left=new[0], right=new[1])
            case Index(base=base, key=key):
                new = (visit(base), visit(key))
                same = new[0] is base and new[1] is key
                return here if same else replace(here, base=new[0], key=new[1])
            case Call(args=args):
                inside = tuple(visit(arg) for arg in args)
                changed = any(a is not b for a, b in zip(inside, args, strict=True))
                call = replace(here, args=inside) if changed else here
                return call if of_call is None else of_call(call)

    def _path(ref: Ref) -> Expr:
        if children(ref):
            parts = tuple(
                part if isinstance(part.key, str | int) else replace(part, key=visit(part.key))
                for part in ref.path
            )
            if any(a.key is not b.key for a, b in zip(parts, ref.path, strict=True)):
                ref = replace(ref, path=parts)
        return ref if of_ref is None else of_ref(ref)

    return visit(expr)
