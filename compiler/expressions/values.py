"""What is done with a value whose type is known: members, tests, comparisons."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from compiler.expressions.code import (
    AND,
    ATOM,
    CHOICE,
    COMPARE,
    CONCAT,
    FALSE,
    LOWEST,
    NULL_VALUE,
    OR,
    TRUE,
    Truth,
    Value,
    boolean,
    both,
    choose,
    guarded,
    is_path,
    negate,
    total,
)
from compiler.expressions.quoting import INHERITED, name_step, text_literal
from compiler.expressions.types import (
    BOOLEAN,
    NULL,
    NUMBER,
    SCALARS,
    TEXT,
    UNKNOWN,
    ListOf,
    Record,
    Type,
    join,
    kinds,
    may_be_null,
    member,
    options,
    union,
    without_null,
)


def constant(value: None | bool | float | str) -> Value:
    """Return a literal as a value."""
    match value:
        case None:
            return NULL_VALUE
        case bool():
            return Value("true" if value else "false", BOOLEAN, pure=True)
        case str():
            return Value(text_literal(value), TEXT, pure=True)
        case _:
            return Value(json.dumps(value), NUMBER, pure=True)


def kind_checks(value: Value, kind: str) -> tuple[str, ...]:
    """Return the guards to test that a pure value is of a kind; none if it always is."""
    name = {"list": "array", "text": "string"}.get(kind, kind)
    if value.is_only(kind):
        return ()
    return (*value.guards, f"$type({value.text}) = '{name}'")


def dynamic_access(base: Value, key: Value) -> Value:
    """Return what a pure value holds under a computed pure key: a member or an item."""
    guards = (*base.guards, *key.guards)
    base, key = replace(base, guards=()), replace(key, guards=())
    found: list[tuple[tuple[str, ...], Value]] = []
    base_kinds, key_kinds = kinds(base.type), kinds(key.type)
    if "object" in base_kinds and "text" in key_kinds:
        checks = (*kind_checks(base, "object"), *kind_checks(key, "text"))
        here = f"{key.text} in $keys({base.text})"
        text = f"{here} ? $lookup({base.text}, {key.text})"
        found.append((checks, Value(text, any_member(base.type), CHOICE, missing=True)))
    if "list" in base_kinds and "number" in key_kinds:
        checks = (*kind_checks(base, "list"), *kind_checks(key, "number"))
        here = f"{key.text} >= 0 and $floor({key.text}) = {key.text}"
        text = f"{here} ? {base.text}[{key.text}]"
        found.append((checks, Value(text, any_item(base.type), CHOICE, missing=True)))
    result: Value | None = None
    for checks, value in reversed(found):
        test = both([Truth(check) for check in checks])
        result = value if test == TRUE else _when(test, value, result)
    if result is None:
        return NULL_VALUE
    return replace(result, guards=guards)


def _when(test: Truth, value: Value, otherwise: Value | None) -> Value:
    text, type_ = f"{test.at(OR)} ? {value.at(OR)}", value.type
    if otherwise is not None:
        text, type_ = f"{text} : {otherwise.text}", join(type_, otherwise.type)
    return Value(text, type_, CHOICE, missing=True)


def any_member(type_: Type) -> Type:
    """Return the type of a member whose name is not known; null if there is none."""
    found: Type | None = None
    for option in options(type_):
        if not isinstance(option, Record) or option.open:
            return UNKNOWN
        found = union([*([found] if found else []), *option.fields.values()])
    return found or NULL


def any_item(type_: Type) -> Type:
    """Return the type of the items of a list."""
    if type_ == UNKNOWN:
        return UNKNOWN
    return union(option.item for option in options(type_) if isinstance(option, ListOf))


def named_member(base: Value, name: str) -> Value:
    """Return a named member of a pure value."""
    records = [option for option in options(base.type) if isinstance(option, Record)]
    if base.type == UNKNOWN:
        found: Type = UNKNOWN
    elif records:
        found = union(member(record, name) for record in records)
    else:
        return NULL_VALUE
    guards = base.guards
    if "list" in kinds(base.type):
        guards = (*guards, f"$type({base.text}) = 'object'")
    missing = base.missing or may_be_null(found) or kinds(base.type) != {"object"}
    if name in INHERITED and missing:
        guards = (*guards, f"{text_literal(name)} in $keys({base.text})")
    step = name_step(name)
    text = f"{base.text}.{step}" if step else f"$lookup({base.text}, {text_literal(name)})"
    return Value(text, found, ATOM, missing, guards, pure=True)


def list_item(base: Value, index: int) -> Value:
    """Return an item of a pure value."""
    if index < 0 or "list" not in kinds(base.type):
        return NULL_VALUE
    guards = base.guards
    if kinds(base.type) - {"null"} != {"list"}:
        guards = (*guards, f"$type({base.text}) = 'array'")
    return Value(
        f"{base.text}[{index}]", any_item(base.type), missing=True, guards=guards, pure=True
    )


def one_of(op: str, value: Value, other: Value) -> Value:
    """Return `value && other` or `value || other` for a pure value."""
    test = truth_of(value)
    bare = replace(value, guards=(), missing=False)
    if op == "||":
        type_ = join(without_null(value.type), other.type)
        if value.type == NULL:
            type_ = other.type
        return choose(test, bare, other, type_)
    falsy = union(
        option for option in options(value.type) if not isinstance(option, ListOf | Record)
    )
    if value.may_be_absent:
        falsy = join(falsy, NULL)
    rest = total(value)
    return choose(test, other, rest, join(falsy, other.type))


def truth_of(value: Value) -> Truth:
    """Return whether a pure (or scalar) value counts as true: not null, false, 0 or ''."""
    found = kinds(value.type)
    if value.text in ("true", "false", "null", "''", "0"):
        return TRUE if value.text == "true" else FALSE
    sure = not value.missing and "null" not in found
    some = found - {"null"}
    if not some:
        return FALSE
    if some == {"boolean"}:
        test = Truth(value.text, value.binding, exact=sure)
    elif some <= SCALARS:
        test = Truth(value.text, value.binding, exact=False)
        if sure and some in ({"text"}, {"number"}):
            test = _not_empty(value, "''" if some == {"text"} else "0")
    elif not some & SCALARS:
        test = TRUE if sure else Truth(f"{value.at(COMPARE)} != null")
    else:
        text = f"{value.at(OR)} or $type({value.text}) in ['array', 'object']"
        test = Truth(text, OR)
    return guarded(value.guards, test)


def _not_empty(value: Value, empty: str) -> Truth:
    left = value.at(COMPARE)
    return Truth(f"{left} != {empty}", opposite=Truth(f"{left} = {empty}"))


def last_truth(value: Value) -> Truth:
    """Return whether a pure value, the last of a condition, makes it hold."""
    return both([truth_of(value), Truth(f"{value.text} != 'false'")])


def first_condition(value: Value, other: Truth) -> Value:
    """Return the condition `value || other` for a pure value that may be the text 'false'."""
    last = Value(f"{value.text} != 'false'", BOOLEAN, COMPARE)
    return choose(truth_of(value), last, boolean(other), BOOLEAN)


def is_null(value: Value) -> Truth:
    """Return whether a value is null or missing."""
    if value.type == NULL:
        return TRUE
    if not value.may_be_null:
        return FALSE
    operand = value.at(COMPARE)
    if not value.may_be_absent:
        return Truth(f"{operand} = null", opposite=Truth(f"{operand} != null"))
    return negate(guarded(value.guards, Truth(f"{operand} != null")))


def comparison(op: str, a: Value, b: Value, shared: frozenset[str]) -> Value:
    """Return the comparison of two pure values; false unless both are of one `shared` kind."""
    compared = Value(f"{a.at(COMPARE)} {op} {b.at(CONCAT)}", BOOLEAN, COMPARE)
    if len(shared) == 1:
        (kind,) = shared
        checks = (*kind_checks(a, kind), *kind_checks(b, kind))
    else:
        same = f"$type({a.text}) = $type({b.text})"
        checks = (*a.guards, *b.guards, same, f"$type({a.text}) in ['number', 'string']")
    test = both([Truth(check) for check in checks])
    return choose(test, compared, boolean(FALSE), BOOLEAN)


_LOOSE = re.compile(r"\bor\b|[?;]|:=")


def status_test(text: str) -> Truth:
    """Return a resolver's code for a status function as a test."""
    if text in ("true", "false"):
        return TRUE if text == "true" else FALSE
    if is_path(text):
        return Truth(text, ATOM)
    return Truth(text, LOWEST if _LOOSE.search(text) else AND)


def as_truth(value: Value) -> Truth:
    """Return a value that is true or false as a test."""
    if value.text in ("true", "false"):
        return TRUE if value.text == "true" else FALSE
    return Truth(value.text, value.binding)
