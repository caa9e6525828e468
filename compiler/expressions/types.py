"""What is known about a value before anything runs.

A type tells the truth or less than it: a value of type text *is* text. A member of a record
whose type has `null` among its options may also be missing; the language has one word for both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Null:
    """`null`, or missing."""


@dataclass(frozen=True, slots=True)
class Boolean:
    """`true` or `false`."""


@dataclass(frozen=True, slots=True)
class Number:
    """A JSON number."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Anything, missing included; silences every check."""


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list whose items are all of one type."""

    item: Type


@dataclass(frozen=True, slots=True)
class Record:
    """An object with these members; an open one may have others, of which nothing is known."""

    fields: Mapping[str, Type] = field(default_factory=dict)
    open: bool = False


@dataclass(frozen=True, slots=True)
class Union:
    """One of several types; made by `join`, which keeps the options apart by kind."""

    options: tuple[Type, ...]


Type: TypeAlias = "Null | Boolean | Number | Text | Unknown | ListOf | Record | Union"

NULL, BOOLEAN, NUMBER, TEXT, UNKNOWN = Null(), Boolean(), Number(), Text(), Unknown()
SCALARS = frozenset({"null", "boolean", "number", "text"})
KINDS = SCALARS | {"list", "object"}

_KIND: dict[type, str] = {Null: "null", Boolean: "boolean", Number: "number", Text: "text"}
_KIND |= {ListOf: "list", Record: "object"}
_KINDS = {type_: frozenset({kind}) for type_, kind in _KIND.items()} | {Unknown: KINDS}


def options(type_: Type) -> tuple[Type, ...]:
    """Return the types a value may have: the options of a union, else the type itself."""
    return type_.options if isinstance(type_, Union) else (type_,)


def kinds(type_: Type) -> frozenset[str]:
    """Return the kinds of value possible: null, boolean, number, text, list, object."""
    if isinstance(type_, Union):
        return frozenset(_KIND[type(option)] for option in type_.options)
    return _KINDS[type(type_)]


def may_be_null(type_: Type) -> bool:
    """Whether a value of this type can be null or missing."""
    return isinstance(type_, Unknown | Null) or (
        isinstance(type_, Union) and any(isinstance(option, Null) for option in type_.options)
    )


def without_null(type_: Type) -> Type:
    """Return the type of a value that turned out not to be null; null itself stays."""
    if not isinstance(type_, Union):
        return type_
    return union(option for option in type_.options if not isinstance(option, Null))


def optional(type_: Type) -> Type:
    """Return the type of a value that may also be null or missing."""
    return join(type_, NULL)


def union(types: Iterable[Type]) -> Type:
    """Return the type of a value that has one of these types; null if there is none."""
    result: Type | None = None
    for type_ in types:
        result = type_ if result is None else join(result, type_)
    return NULL if result is None else result


def join(a: Type, b: Type) -> Type:
    """Return the type of a value that is an `a` or a `b`."""
    if a is b or a == b:
        return a
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return UNKNOWN
    found = list(options(a))
    for option in options(b):
        for at, other in enumerate(found):
            if type(other) is type(option):
                found[at] = _merge(other, option)
                break
        else:
            found.append(option)
    return found[0] if len(found) == 1 else Union(tuple(found))


def _merge(a: Type, b: Type) -> Type:
    """Return the type of an `a` or a `b`, both of one kind."""
    if isinstance(a, ListOf) and isinstance(b, ListOf):
        return ListOf(join(a.item, b.item))
    if isinstance(a, Record) and isinstance(b, Record):
        names = dict.fromkeys((*a.fields, *b.fields))
        fields = {name: join(member(a, name), member(b, name)) for name in names}
        return Record(fields, a.open or b.open)
    return a


def member(record: Record, name: str) -> Type:
    """Return the type of a record's member: null if it has none, unknown if it might."""
    return record.fields.get(name, UNKNOWN if record.open else NULL)


def type_of_value(value: object) -> Type:
    """Return the type of one JSON value."""
    match value:
        case None:
            return NULL
        case bool():
            return BOOLEAN
        case int() | float():
            return NUMBER
        case str():
            return TEXT
        case list():
            return ListOf(union(type_of_value(item) for item in value) if value else UNKNOWN)
        case Mapping():
            return Record({str(name): type_of_value(inner) for name, inner in value.items()})
        case _:
            return UNKNOWN


def accepts(target: Type, given: Type) -> bool:
    """Whether every value of type `given` may stand where `target` is wanted.

    Nothing known about either side counts as yes. Members that a closed target does not know
    are refused; members it needs must be there.
    """
    if isinstance(target, Unknown) or isinstance(given, Unknown):
        return True
    return all(
        any(_option_accepts(wanted, option) for wanted in options(target))
        for option in options(given)
    )


def _option_accepts(target: Type, given: Type) -> bool:
    if type(target) is not type(given):
        return False
    if isinstance(target, ListOf) and isinstance(given, ListOf):
        return accepts(target.item, given.item)
    if isinstance(target, Record) and isinstance(given, Record):
        if not target.open and any(name not in target.fields for name in given.fields):
            return False
        return all(accepts(wanted, member(given, name)) for name, wanted in target.fields.items())
    return True


def show(type_: Type) -> str:
    """Return a type in the author's words: `text`, `list of number`, `text or null`."""
    match type_:
        case Unknown():
            return "anything"
        case ListOf(item=Unknown()):
            return "list"
        case ListOf(item=item):
            inner = show(item)
            return f"list of ({inner})" if isinstance(item, Union) else f"list of {inner}"
        case Record(fields=fields):
            names = list(fields)
            if not names:
                return "object"
            shown = ", ".join(names[:4]) + (", ..." if len(names) > 4 or type_.open else "")
            return f"object with {shown}"
        case Union(options=found):
            last = [option for option in found if isinstance(option, Null)]
            first = [option for option in found if not isinstance(option, Null)]
            return " or ".join(show(option) for option in (*first, *last))
        case _:
            return _KIND[type(type_)]
