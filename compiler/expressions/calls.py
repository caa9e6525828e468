"""The functions of the language, but for the status functions, as JSONata."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol, TypeAlias

from compiler.expressions.code import (
    ATOM,
    COMPARE,
    CONCAT,
    FALSE,
    NULL_VALUE,
    TRUE,
    Truth,
    Value,
    boolean,
    both,
    choose,
    guarded,
    total,
)
from compiler.expressions.functions import format_parts
from compiler.expressions.syntax import Expr, Literal
from compiler.expressions.types import (
    NULL,
    NUMBER,
    SCALARS,
    TEXT,
    UNKNOWN,
    ListOf,
    join,
    kinds,
    without_null,
)
from compiler.expressions.values import any_item, kind_checks


class Emitter(Protocol):
    """What a function needs of the emission that calls it."""

    def fresh(self) -> str:
        """Return the name of a new local variable."""
        ...

    def value(self, expr: Expr) -> Value:
        """Return an expression's value; it may be missing."""
        ...

    def let(self, value: Value, body: Callable[[Value], Value]) -> Value:
        """Return `body` of the value as pure code."""
        ...

    def let_both(self, a: Value, b: Value, body: Callable[[Value, Value], Value]) -> Value:
        """Return `body` of two values as pure code."""
        ...

    def whole(self, value: Value) -> Value:
        """Return a value that is never missing but null."""
        ...

    def joined(self, parts: tuple[str | Expr, ...]) -> Value:
        """Return texts and expressions joined to one text."""
        ...

    def as_text(self, value: Value) -> str:
        """Return an operand of `&` that adds the value as text."""
        ...


Args: TypeAlias = tuple[Expr, ...]

_BLANK = r"[ \t\n\r]*"
_VALUE = rf'(?:0|""){_BLANK}'
_ENTRY = rf'""{_BLANK}:{_BLANK}{_VALUE}'
# A backslash is \u005c: JSONata's own reader of regular expressions miscounts the bracket after \\.
_TEXTS = r'/"(?:[^"\u005c\u0000-\u001f]|\u005c(?:["\u005c\/bfnrt]|u[0-9a-fA-F]{4}))*"/'
_ATOMS = r"/-?(?:0|[1-9][0-9]{0,99})(?:\.[0-9]+)?(?:[eE][+-]?[0-9][0-9]?)?|true|false|null/"
_NESTS = (
    rf"/\[{_BLANK}(?:{_VALUE}(?:,{_BLANK}{_VALUE})*)?\]"
    rf"|\{{{_BLANK}(?:{_ENTRY}(?:,{_BLANK}{_ENTRY})*)?\}}/"
)
_DEEPEST_JSON = 60 - 1


def _cases(value: Value, cases: Sequence[tuple[str, Value]], otherwise: Value) -> Value:
    """Return the first case whose kind the pure value has; kinds it cannot have are left out."""
    result = otherwise
    for kind, case in reversed(cases):
        if kind in kinds(value.type):
            test = both([Truth(check) for check in kind_checks(value, kind)])
            type_ = case.type if test == TRUE else join(case.type, result.type)
            result = choose(test, case, result, type_)
    return result


def _both_texts(emitter: Emitter, args: Args, test: Callable[[Value, Value], Truth]) -> Value:
    """Return a test of two texts; false unless both are texts."""

    def body(a: Value, b: Value) -> Value:
        inner = boolean(test(a, b))
        return _cases(a, [("text", _cases(b, [("text", inner)], boolean(FALSE)))], boolean(FALSE))

    return emitter.let_both(emitter.value(args[0]), emitter.value(args[1]), body)


def _contains(emitter: Emitter, args: Args) -> Value:
    def body(a: Value, b: Value) -> Value:
        inside = boolean(Truth(f"$contains({a.text}, {b.text})", ATOM))
        no = boolean(FALSE)
        cases = [
            ("list", boolean(_is_item(emitter, a, total(b)))),
            ("text", _cases(b, [("text", inside)], no)),
        ]
        return _cases(a, cases, no)

    return emitter.let_both(emitter.value(args[0]), emitter.value(args[1]), body)


def _is_item(emitter: Emitter, items: Value, wanted: Value) -> Truth:
    if kinds(wanted.type) <= SCALARS:
        return Truth(f"{wanted.at(COMPARE)} in {items.text}")
    item = emitter.fresh()
    same = f"function({item}){{{item} = {wanted.at(CONCAT)}}}"
    return Truth(f"true in $map({items.text}, {same})")


def _starts_with(emitter: Emitter, args: Args) -> Value:
    length = _known_length(args[1])

    def test(a: Value, b: Value) -> Truth:
        count = f"$length({b.text})" if length is None else str(length)
        return Truth(f"$substring({a.text}, 0, {count}) = {b.text}")

    return _both_texts(emitter, args, test)


def _ends_with(emitter: Emitter, args: Args) -> Value:
    length = _known_length(args[1])

    def test(a: Value, b: Value) -> Truth:
        start = f"-{length}" if length else f"$length({a.text}) - $length({b.text})"
        return Truth(f"$substring({a.text}, {start}) = {b.text}")

    return _both_texts(emitter, args, test)


def _known_length(arg: Expr) -> int | None:
    return len(arg.value) if isinstance(arg, Literal) and isinstance(arg.value, str) else None


def _format(emitter: Emitter, args: Args) -> Value:
    pattern = args[0]
    assert isinstance(pattern, Literal)
    assert isinstance(pattern.value, str)
    parts = tuple(
        part if isinstance(part, str) else args[part + 1] for part in format_parts(pattern.value)
    )
    return emitter.joined(parts or ("",))


def _join(emitter: Emitter, args: Args) -> Value:
    separator = emitter.value(args[1]) if len(args) > 1 else Value("','", TEXT, pure=True)

    def body(items: Value, between: Value) -> Value:
        joined = f"$join({_texts_of(emitter, items)}, {between.text})"
        inner = _cases(between, [("text", Value(joined, TEXT))], NULL_VALUE)
        return _cases(items, [("list", inner)], NULL_VALUE)

    return emitter.let_both(emitter.value(args[0]), separator, body)


def _texts_of(emitter: Emitter, items: Value) -> str:
    item_type = any_item(items.type)
    if item_type == TEXT:
        return items.text
    item = Value(emitter.fresh(), item_type, pure=True)
    as_text = emitter.as_text(item)
    if item_type != TEXT and " != null ? " not in as_text:
        as_text = f"$string({as_text})"
    else:
        as_text = f"'' & {as_text}"
    return f"$append([], $map({items.text}, function({item.text}){{{as_text}}}))"


def _to_json(emitter: Emitter, args: Args) -> Value:
    def body(value: Value) -> Value:
        listed = emitter.fresh()
        quoted = (
            f"({listed} := $string([{value.text}]); $substring({listed}, 1, $length({listed}) - 2))"
        )
        if kinds(value.type) == {"text"} and not value.may_be_null:
            return Value(quoted, TEXT)
        plain = Value(f"$string({total(value).text})", TEXT)
        return _cases(value, [("text", Value(quoted, TEXT))], plain)

    return emitter.let(emitter.value(args[0]), body)


def _from_json(emitter: Emitter, args: Args) -> Value:
    """JSON text is parsed only once its brackets reduce to one value.

    `$parse` fails on bad text, and nothing in JSONata can catch that. So texts, then numbers and
    words, are replaced by the simplest of their kind, then innermost lists and objects by a
    number, until nothing changes: good JSON, and only that, ends as a single value.
    """

    def body(value: Value) -> Value:
        step, here, left, shorter = (emitter.fresh() for _ in range(4))
        flat = f"$replace($replace({value.text}, {_TEXTS}, '\"\"'), {_ATOMS}, '0')"
        reduce = (
            f"{step} := function({here}, {left}){{({shorter} := $replace({here}, {_NESTS}, '0'); "
            f"{left} = 0 or {shorter} = {here} ? {shorter} : {step}({shorter}, {left} - 1))}}"
        )
        reduced = f"{step}({flat}, {_DEEPEST_JSON})"
        good = f"$contains({reduced}, /^{_BLANK}{_VALUE}$/)"
        text = f"({reduce}; {good} ? $parse({value.text}) : null)"
        return _cases(value, [("text", Value(text, UNKNOWN))], NULL_VALUE)

    return emitter.let(emitter.value(args[0]), body)


def _length(emitter: Emitter, args: Args) -> Value:
    def body(value: Value) -> Value:
        cases = [
            ("text", Value(f"$length({value.text})", NUMBER)),
            ("list", Value(f"$count({value.text})", NUMBER)),
            ("object", Value(f"$count($keys({value.text}))", NUMBER)),
        ]
        return _cases(value, cases, NULL_VALUE)

    return emitter.let(emitter.value(args[0]), body)


def _keys(emitter: Emitter, args: Args) -> Value:
    def body(value: Value) -> Value:
        names = Value(f"$sort($append([], $keys({value.text})))", ListOf(TEXT))
        return _cases(value, [("object", names)], NULL_VALUE)

    return emitter.let(emitter.value(args[0]), body)


def _coalesce(emitter: Emitter, args: Args) -> Value:
    value = emitter.value(args[0])
    if len(args) == 1 or not value.may_be_null:
        return value
    rest = emitter.whole(_coalesce(emitter, args[1:]))
    if value.type == NULL:
        return rest

    def body(bound: Value) -> Value:
        test = guarded(bound.guards, Truth(f"{bound.text} != null"))
        found = replace(bound, guards=(), missing=False)
        return choose(test, found, rest, join(without_null(bound.type), rest.type))

    return emitter.let(value, body)


CALLS: dict[str, Callable[[Emitter, Args], Value]] = {
    "contains": _contains,
    "startsWith": _starts_with,
    "endsWith": _ends_with,
    "format": _format,
    "join": _join,
    "toJSON": _to_json,
    "fromJSON": _from_json,
    "length": _length,
    "keys": _keys,
    "coalesce": _coalesce,
}
