"""Expressions compiled to JSONata that cannot fail and never gives undefined.

What is not proved by type is guarded: a mismatch gives false or null, missing is null, lists
stay lists. Local variables are `$v1`, `$v2`, ...; no other variable may have such a name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from compiler.expressions.calls import CALLS
from compiler.expressions.code import (
    ATOM,
    COMPARE,
    CONCAT,
    FALSE,
    TRUE,
    Code,
    Resolver,
    Truth,
    Value,
    boolean,
    both,
    choose,
    either,
    from_code,
    guarded,
    negate,
    settled,
    total,
)
from compiler.expressions.quoting import literal, text_literal, wrap
from compiler.expressions.syntax import (
    STATUS_FUNCTIONS,
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
    constant_key,
)
from compiler.expressions.types import BOOLEAN, NULL, SCALARS, TEXT, join, kinds, may_be_null
from compiler.expressions.values import (
    as_truth,
    comparison,
    constant,
    dynamic_access,
    first_condition,
    is_null,
    last_truth,
    list_item,
    named_member,
    one_of,
    status_test,
    truth_of,
)

__all__ = [
    "Code",
    "Resolver",
    "emit",
    "emit_condition",
    "emit_template",
    "literal",
    "template_field",
    "text_literal",
    "wrap",
]


def emit(expr: Expr, resolve: Resolver) -> Code:
    """Return JSONata for an expression; never missing, null instead."""
    emitter = Emitter(resolve)
    return _code(emitter.whole(emitter.value(expr)))


def emit_condition(expr: Expr, resolve: Resolver) -> str:
    """Return JSONata giving true or false, for a Choice rule's Condition.

    A condition whose value is null, false, 0, '' or the text 'false' is false.
    """
    return boolean(Emitter(resolve).condition(expr)).text


def emit_template(template: Template, resolve: Resolver) -> Code:
    """Return JSONata for a YAML text: one expression keeps its type, else a text."""
    match template:
        case Constant(text=text):
            return Code(text_literal(text), may_be_missing=False, type=TEXT, binding=ATOM)
        case Single(expr=expr):
            return emit(expr, resolve)
        case Joined(parts=parts):
            return _code(Emitter(resolve).joined(parts))


def template_field(template: Template, resolve: Resolver) -> object:
    """Return the value of a state's field that yields what the YAML text means."""
    if isinstance(template, Constant):
        return literal(template.text)
    return wrap(emit_template(template, resolve).text)


def _code(value: Value) -> Code:
    return Code(value.text, value.missing, value.type, value.binding)


class Emitter:
    """One expression's way to JSONata; numbers its local variables."""

    def __init__(self, resolve: Resolver) -> None:
        self._resolve = resolve
        self._locals = 0

    # -- local variables

    def fresh(self) -> str:
        """Return the name of a new local variable."""
        self._locals += 1
        return f"$v{self._locals}"

    def let(self, value: Value, body: Callable[[Value], Value]) -> Value:
        """Return `body` of the value, bound to a local variable first if it is no mere path."""
        if value.pure:
            return body(value)
        value = settled(value)
        name = self.fresh()
        inner = settled(body(replace(value, text=name, binding=ATOM, pure=True)))
        bound = f"{name} := {value.text}; "
        text = inner.text
        if inner.binding == ATOM and text.startswith("($v") and text.endswith(")"):
            text = text[1:-1]
        return Value(f"({bound}{text})", inner.type, ATOM, inner.missing)

    def let_both(self, a: Value, b: Value, body: Callable[[Value, Value], Value]) -> Value:
        """Return `body` of two values, each bound as with `let`."""
        return self.let(a, lambda left: self.let(b, lambda right: body(left, right)))

    def whole(self, value: Value) -> Value:
        """Return a value that is never missing but null."""
        if not value.may_be_absent:
            return value
        return self.let(value, total)

    # -- values

    def value(self, expr: Expr) -> Value:
        """Return an expression's value; it may be missing."""
        match expr:
            case Literal(value=written):
                return constant(written)
            case Ref():
                return self._ref(expr)
            case Index(base=base, key=key):
                return self._access(self.value(base), constant_key(key))
            case Binary(op="&&" | "||" as op, left=left, right=right):
                return self._either_value(op, left, right)
            case Call(name=name, args=args) if name not in STATUS_FUNCTIONS:
                return CALLS[name](self, args)
            case _:
                return boolean(self.truth(expr))

    def _ref(self, ref: Ref) -> Value:
        code, consumed = self._resolve.ref(ref)
        value = from_code(code)
        for part in ref.path[consumed:]:
            value = self._access(value, part.key)
        return value

    def _access(self, base: Value, key: str | int | Expr) -> Value:
        if isinstance(key, str):
            return self.let(base, lambda value: named_member(value, key))
        if isinstance(key, int):
            return self.let(base, lambda value: list_item(value, key))
        return self.let_both(base, self.value(key), dynamic_access)

    def _either_value(self, op: str, left: Expr, right: Expr) -> Value:
        """Return `&&` or `||` as a value: one of the two sides."""
        value, other = self.value(left), self.whole(self.value(right))
        if value.is_only("boolean") and other.is_only("boolean"):
            tests = [self.truth(left), self.truth(right)]
            return boolean(both(tests) if op == "&&" else either(tests))
        if value.is_only("boolean"):
            test = truth_of(value)
            if op == "&&":
                return choose(test, other, boolean(FALSE), join(BOOLEAN, other.type))
            return choose(test, boolean(TRUE), other, join(BOOLEAN, other.type))
        return self.let(value, lambda bound: one_of(op, bound, other))

    # -- tests

    def truth(self, expr: Expr) -> Truth:
        """Return whether an expression's value counts as true."""
        match expr:
            case Literal(value=written):
                return TRUE if written else FALSE
            case Not(operand=operand):
                return negate(self.truth(operand))
            case Binary(op="&&", left=left, right=right):
                return both([self.truth(left), self.truth(right)])
            case Binary(op="||", left=left, right=right):
                return either([self.truth(left), self.truth(right)])
            case Binary(op="==" | "!=" as op, left=left, right=right):
                test = self._equal(self.value(left), self.value(right))
                return negate(test) if op == "!=" else test
            case Binary(op=op, left=left, right=right):
                return self._ordered(op, self.value(left), self.value(right))
            case Call(name=name) if name in STATUS_FUNCTIONS:
                return status_test(self._resolve.status(name))
            case _:
                return self._truth_of(self.value(expr))

    def condition(self, expr: Expr) -> Truth:
        """Return whether a condition holds: as `truth`, but a last value 'false' is false."""
        match expr:
            case Binary(op="&&", left=left, right=right):
                return both([self.truth(left), self.condition(right)])
            case Binary(op="||", left=left, right=right):
                value = self.value(left)
                if "text" not in kinds(value.type):
                    return either([self.truth(left), self.condition(right)])
                other = self.condition(right)
                return as_truth(self.let(value, lambda bound: first_condition(bound, other)))
            case Literal(value="false"):
                return FALSE
            case Literal() | Not() | Binary():
                return self.truth(expr)
            case _:
                value = self.value(expr)
                if "text" not in kinds(value.type):
                    return self._truth_of(value)
                return as_truth(self.let(value, lambda bound: boolean(last_truth(bound))))

    def _truth_of(self, value: Value) -> Truth:
        if value.pure or kinds(value.type) <= SCALARS:
            return truth_of(value if value.pure else settled(value))
        return as_truth(self.let(value, lambda bound: boolean(truth_of(bound))))

    def _equal(self, a: Value, b: Value) -> Truth:
        if a.text == "null" and b.text != "null":
            a, b = b, a
        if b.text == "null":
            return is_null(a)
        if not kinds(a.type) & kinds(b.type) and not (a.may_be_null and b.may_be_null):
            return FALSE
        if a.may_be_absent and b.may_be_null:
            a = self.whole(a)
        if b.may_be_absent and a.may_be_null:
            b = self.whole(b)
        left, right = a.at(COMPARE), b.at(CONCAT)
        guards = (*a.guards, *b.guards)
        is_safe = not a.may_be_absent and not b.may_be_absent
        unequal = Truth(f"{left} != {right}") if is_safe else None
        equal = Truth(f"{left} = {right}", opposite=unequal)
        return guarded(guards, equal)

    def _ordered(self, op: str, a: Value, b: Value) -> Truth:
        if all(value.is_only("number") for value in (a, b)) or all(
            value.is_only("text") for value in (a, b)
        ):
            return Truth(f"{a.at(COMPARE)} {op} {b.at(CONCAT)}")
        shared = kinds(a.type) & kinds(b.type) & {"number", "text"}
        if not shared:
            return FALSE
        return as_truth(self.let_both(a, b, lambda x, y: comparison(op, x, y, shared)))

    # -- texts

    def joined(self, parts: tuple[str | Expr, ...]) -> Value:
        """Return texts and expressions joined to one text, null as the empty text."""
        texts = [
            text_literal(part) if isinstance(part, str) else self.as_text(self.value(part))
            for part in parts
        ]
        if len(texts) == 1:
            texts = texts if isinstance(parts[0], str) else ["''", *texts]
        return Value(" & ".join(texts), TEXT, CONCAT if len(texts) > 1 else ATOM)

    def as_text(self, value: Value) -> str:
        """Return an operand of `&` that adds the value as text."""
        if not value.guards and not may_be_null(value.type):
            return value.at(CONCAT)
        if value.type == NULL:
            return "''"
        shown = self.let(
            value,
            lambda bound: choose(
                guarded(bound.guards, Truth(f"{bound.text} != null")),
                replace(bound, guards=(), missing=False),
                constant(""),
                TEXT,
            ),
        )
        return shown.at(CONCAT)
