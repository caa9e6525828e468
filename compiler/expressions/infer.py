"""The types of expressions, and what can be said to be wrong before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from compiler.diagnostics import Diagnostics
from compiler.expressions.foreign import instead, where_written
from compiler.expressions.functions import FUNCTIONS, result_type
from compiler.expressions.nearest import did_you_mean
from compiler.expressions.syntax import (
    Binary,
    Call,
    Expr,
    Index,
    Literal,
    Not,
    Part,
    Ref,
    constant_key,
)
from compiler.expressions.types import (
    BOOLEAN,
    NULL,
    UNKNOWN,
    ListOf,
    Record,
    Type,
    join,
    kinds,
    member,
    options,
    show,
    type_of_value,
    union,
    without_null,
)

Scope: TypeAlias = Mapping[str, Type]
UnknownMember: TypeAlias = Callable[[Ref, int], bool]
"""Told of the first part of a path (its place in `ref.path`) that does not exist; returns
whether it reported that in its own words."""


def infer(
    expr: Expr,
    scope: Scope,
    diagnostics: Diagnostics,
    unknown_member: UnknownMember | None = None,
) -> Type:
    """Return the type of an expression over the contexts of `scope`.

    Reports unknown contexts and members, comparisons that can never hold, and arguments of the
    wrong type. What follows from an error is unknown, and silent.
    """
    return _Inference(scope, diagnostics, unknown_member).type_of(expr)


class _Inference:
    def __init__(
        self, scope: Scope, diagnostics: Diagnostics, unknown_member: UnknownMember | None
    ) -> None:
        self._scope = scope
        self._diagnostics = diagnostics
        self._unknown_member = unknown_member
        self._beside: dict[Ref, tuple[str, object]] = {}  # what paths are compared with

    def type_of(self, expr: Expr) -> Type:
        match expr:
            case Literal(value=value):
                return type_of_value(value)
            case Ref():
                return self._ref(expr)
            case Index(base=base, key=key):
                part = Part(constant_key(key), key.place)
                return self._access(self.type_of(base), part, None, 0)
            case Not(operand=operand):
                self.type_of(operand)
                return BOOLEAN
            case Binary(op="&&" | "||" as op, left=left, right=right):
                return _either(op, self.type_of(left), self.type_of(right))
            case Binary():
                return self._comparison(expr)
            case Call():
                return self._call(expr)

    # -- paths

    def _ref(self, ref: Ref) -> Type:
        here = self._scope.get(ref.root)
        if here is None:
            self._unknown_context(ref)
            for part in ref.path[1:]:
                self._key_type(part)
            return UNKNOWN
        for at, part in enumerate(ref.path[1:], start=1):
            here = self._access(here, part, ref, at)
        return here

    def _unknown_context(self, ref: Ref) -> None:
        if self._unknown_member is not None and self._unknown_member(ref, 0):
            return
        root = ref.root
        help_ = instead(ref, self._scope, self._beside.get(ref))
        help_ = help_ or did_you_mean(root, self._scope)
        if help_ is None and len(ref.path) == 1 and root in FUNCTIONS:
            help_ = f"it is a function: write {FUNCTIONS[root].usage}"
        if help_ is None and len(ref.path) == 1:
            help_ = f"for a text write '{root}' in quotes"
        if help_ is None:
            help_ = f"here can stand {', '.join(self._scope)}"
        message = f'there is nothing called "{root}" here'
        self._diagnostics.error("unknown-context", ref.path[0].span, message, help=help_)

    def _access(self, base: Type, part: Part, ref: Ref | None, at: int) -> Type:
        """Return what a value of type `base` holds under a key; `ref` is the path, if one."""
        key_type = self._key_type(part)
        choices = [option for option in options(base) if option != NULL]
        if base == UNKNOWN or not choices:
            return base
        found = [
            type_ for type_ in (_entry(option, part.key, key_type) for option in choices) if type_
        ]
        if found:
            result = union(found)
            return join(result, NULL) if len(found) < len(options(base)) else result
        self._no_entry(base, part, ref, at)
        return UNKNOWN

    def _key_type(self, part: Part) -> Type:
        key = part.key
        return type_of_value(key) if isinstance(key, str | int) else self.type_of(key)

    def _no_entry(self, base: Type, part: Part, ref: Ref | None, at: int) -> None:
        if ref is not None and self._unknown_member is not None and self._unknown_member(ref, at):
            return
        owner = "this" if ref is None else f"'{shown(ref, at)}'"
        names = [
            name for option in options(base) if isinstance(option, Record) for name in option.fields
        ]
        if isinstance(part.key, str) and "object" in kinds(base):
            message = f"{owner} has no member '{part.key}'"
            known = f"its members are {', '.join(names)}" if names else "it has no members"
            of_context = ref if at == 1 else None
            help_ = instead(of_context, self._scope) if of_context is not None else None
            help_ = help_ or did_you_mean(part.key, names)
            if help_ is None and of_context is not None:
                help_ = where_written(of_context)
            help_ = help_ or known
            self._diagnostics.error("unknown-member", part.span, message, help=help_)
            return
        kind = show(without_null(base))
        message = f"{owner} is {kind}, and nothing can be read from it with this key"
        help_ = "write its name only"
        if "list" in kinds(base):
            help_ = "write a number in brackets for one item, as in list[0]"
        elif names:
            help_ = f"write the name of a member: {', '.join(names)}"
        self._diagnostics.error("no-such-access", part.span, message, help=help_)

    # -- comparisons

    def _comparison(self, expr: Binary) -> Type:
        for side, other in ((expr.left, expr.right), (expr.right, expr.left)):
            if isinstance(side, Ref) and isinstance(other, Literal):
                self._beside[side] = (expr.op, other.value)
        left, right = self.type_of(expr.left), self.type_of(expr.right)
        if UNKNOWN in (left, right):
            return BOOLEAN
        here, there = kinds(left) - {"null"}, kinds(right) - {"null"}
        if expr.op in ("==", "!="):
            if here and there and not here & there:
                self._never_equal(expr, left, right)
        elif not here & there & {"number", "text"} and here and there:
            message = f"{show(left)} and {show(right)} have no order"
            help_ = "compare two numbers or two texts"
            self._diagnostics.error("order-types", expr.span, message, help=help_)
        return BOOLEAN

    def _never_equal(self, expr: Binary, left: Type, right: Type) -> None:
        message = (
            f"{show(without_null(left))} is compared with {show(without_null(right))}: "
            "they are never equal"
        )
        help_ = (
            _with_variable(expr.left, expr.right)
            or _with_variable(expr.right, expr.left)
            or _as_other(expr.left, right)
            or _as_other(expr.right, left)
            or _converted(expr.left, left, expr.right, right)
        )
        self._diagnostics.error("compare-types", expr.span, message, help=help_)

    # -- calls

    def _call(self, call: Call) -> Type:
        signature = FUNCTIONS[call.name]
        given = [self.type_of(arg) for arg in call.args]
        fits = True
        for at, (arg, type_) in enumerate(zip(call.args, given, strict=True)):
            wanted = signature.parameter(at)
            found = kinds(type_) - {"null"}
            if found and not found & kinds(wanted):
                fits = False
                message = f"{call.name} takes {show(wanted)} here, and this is {show(type_)}"
                help_ = f"the function is written {signature.usage}"
                self._diagnostics.error("argument-type", arg.span, message, help=help_)
        if call.name == "contains" and fits:
            self._contains(call, *given)
        return result_type(call.name, given)

    def _contains(self, call: Call, inside: Type, wanted: Type) -> None:
        found = kinds(wanted) - {"null"}
        if UNKNOWN in (inside, wanted) or not found:
            return
        possible: set[str] = set()
        for option in options(inside):
            if isinstance(option, ListOf):
                possible |= kinds(option.item)
            elif option != NULL:
                possible |= {"text"}
        if possible and not found & possible:
            message = f"{show(wanted)} is never in {show(without_null(inside))}"
            help_ = _as_text(call.args[1]) if "text" in possible else None
            self._diagnostics.error("argument-type", call.args[1].span, message, help=help_)


def shown(ref: Ref, upto: int | None = None) -> str:
    """Return a path, or its first parts, as it is written: `steps.build.outputs['a b'][0]`."""
    text = ref.root
    for part in ref.path[1:upto]:
        match part.key:
            case str() as name if name.replace("-", "_").isidentifier():
                text += f".{name}"
            case str() as name:
                quoted = name.replace("'", "''")
                text += f"['{quoted}']"
            case int() as place:
                text += f"[{place}]"
            case _:
                text += "[...]"
    return text


def _entry(base: Type, key: str | int | Expr, key_type: Type) -> Type | None:
    """Return what one kind of value holds under a key; None if it cannot hold it."""
    if isinstance(base, Record):
        if isinstance(key, str):
            return None if key not in base.fields and not base.open else member(base, key)
        if "text" not in kinds(key_type):
            return None
        return UNKNOWN if base.open else join(union(base.fields.values()), NULL)
    if isinstance(base, ListOf) and not isinstance(key, str):
        return join(base.item, NULL) if "number" in kinds(key_type) else None
    return None


def _either(op: str, left: Type, right: Type) -> Type:
    """Return the type of `left && right` or `left || right`."""
    if UNKNOWN in (left, right):
        return UNKNOWN
    if op == "||":
        return right if left == NULL else join(without_null(left), right)
    falsy = [option for option in options(left) if not isinstance(option, ListOf | Record)]
    return union([*falsy, right])


def _with_variable(expr: Expr, other: Expr) -> str | None:
    """Return how a literal is compared with a variable, which is text however it was written."""
    variable = other.known_from if isinstance(other, Literal) else other
    if not isinstance(variable, Ref) or variable.root != "env" or not _is_written(expr):
        return None
    quoted = _quoted(expr)
    return None if quoted is None else f"variables in `env` are text: write '{quoted}'"


def _is_written(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.known_from is None


def _as_other(expr: Expr, other: Type) -> str | None:
    """Return how a literal is written so that it can be compared with the other side."""
    if not isinstance(expr, Literal) or not _is_written(expr):
        return None
    wanted = kinds(other)
    value = expr.value
    if "text" in wanted and not isinstance(value, str):
        return _as_text(expr)
    if not isinstance(value, str):
        return None
    if "boolean" in wanted and value in ("true", "false"):
        return f"write {value} without quotes"
    if "number" in wanted and _is_number(value):
        return f"write {value} without quotes"
    return None


def _converted(left: Expr, left_type: Type, right: Expr, right_type: Type) -> str | None:
    """Return how values of different types can be compared all the same."""
    sides = ((left, left_type, right_type), (right, right_type, left_type))
    for (expr, type_, other), there in zip(sides, (right, left), strict=True):
        if "list" in kinds(type_) and isinstance(expr, Ref):
            wanted = shown(there) if isinstance(there, Ref) else _quoted(there)
            if wanted is not None:
                return f"write contains({shown(expr)}, {wanted})"
        if isinstance(expr, Ref) and "text" in kinds(other):
            return f"make it text: format('{{0}}', {shown(expr)})"
    return None


def _quoted(expr: Expr) -> str | None:
    if not isinstance(expr, Literal) or expr.value is None:
        return None
    if isinstance(expr.value, str):
        return "'" + expr.value.replace("'", "''") + "'"
    return str(expr.value).lower()


def _as_text(expr: Expr) -> str | None:
    if not isinstance(expr, Literal) or expr.value is None or isinstance(expr.value, str):
        return None
    shown_value = str(expr.value).lower() if isinstance(expr.value, bool) else expr.value
    return f"write '{shown_value}' in quotes"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
