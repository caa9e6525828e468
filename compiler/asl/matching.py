"""The `match` of a wait: evaluated where the event arrives, which is not in the machine.

What it says of anything but the event is evaluated before, by the machine, and goes with it.
"""

from __future__ import annotations

from compiler.asl.resolver import ScopeResolver
from compiler.document.nodes import Json
from compiler.expressions import Binary, Call, Expr, Index, Literal, Not, Ref, Single, walk
from compiler.expressions.jsonata import template_field

EVENT, GIVEN = "event", "given"


def matching(match: Expr, resolve: ScopeResolver) -> tuple[Json, dict[str, Json]]:
    """Return the portable form of a match over `event` and `given`, and the fields of `given`."""
    given: dict[str, Json] = {}
    return _bound(match, resolve, given), given


def _bound(expr: Expr, resolve: ScopeResolver, given: dict[str, Json]) -> Json:
    if isinstance(expr, Literal):
        return expr.value
    if not any(isinstance(one, Ref) and one.root == EVENT for one in walk(expr)):
        name = f"v{len(given)}"
        given[name] = template_field(Single(expr), resolve)  # type: ignore[assignment]
        return ["ref", GIVEN, name]
    match expr:
        case Index(base=base, key=key):
            return ["index", _bound(base, resolve, given), _bound(key, resolve, given)]
        case Not(operand=operand):
            return ["not", _bound(operand, resolve, given)]
        case Binary(op=op, left=left, right=right):
            return [op, _bound(left, resolve, given), _bound(right, resolve, given)]
        case Call(name=name, args=args):
            return ["call", name, *(_bound(arg, resolve, given) for arg in args)]
        case Ref(path=path):
            keys = (
                part.key if isinstance(part.key, str | int) else _bound(part.key, resolve, given)
                for part in path
            )
            return ["ref", *keys]
