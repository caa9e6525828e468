"""The types of values."""

from __future__ import annotations

from compiler.check.failed import FAILED
from compiler.check.program import Computed, Constant, Fields, Items, Secret, Value
from compiler.expressions.json_schema import type_of_value
from compiler.expressions.types import TEXT, UNKNOWN, ListOf, Null, Record, Type, Union, union


def type_of(value: Value) -> Type:
    """Return what is known about a value before anything runs."""
    match value:
        case Constant(value=plain):
            return UNKNOWN if value is FAILED else type_of_value(plain)
        case Computed(type=type_):
            return type_
        case Secret():
            return TEXT
        case Fields(items=fields):
            return Record({name: type_of(item) for name, item in fields})
        case Items(items=items):
            return ListOf(union(type_of(item) for item in items) if items else UNKNOWN)


def without_nulls(type_: Type) -> Type:
    """Return a type with the null of every part left out, unless it is nothing but null.

    A value that turns out null where one is needed fails the step when it runs; it is no mistake
    of the file.
    """
    match type_:
        case Union(options=options):
            rest = [without_nulls(option) for option in options if not isinstance(option, Null)]
            return union(rest)
        case ListOf(item=item):
            return ListOf(UNKNOWN if isinstance(item, Null) else without_nulls(item))
        case Record(fields=fields, open=is_open):
            inner = {
                name: UNKNOWN if isinstance(field, Null) else without_nulls(field)
                for name, field in fields.items()
            }
            return Record(inner, is_open)
        case _:
            return type_
