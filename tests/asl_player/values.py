"""JSON values as the player holds them: null is told apart from JSONata's "undefined".

The JSONata library uses Python's `None` for undefined, so inside the player a JSON null is the
library's own marker. Values are shared, never copied and never changed in place.
"""

from __future__ import annotations

import json
import math
from typing import Any, TypeAlias

from jsonata.utils import Utils

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"
Value: TypeAlias = Any  # a Json, but with NULL in the place of None

NULL: Value = Utils.NULL_VALUE
PAYLOAD_LIMIT = 262_144  # bytes, of a state's input or output, a task's payload or result
VARIABLE_LIMIT = 262_144  # bytes, of one variable and of all variables of one Assign
STORED_LIMIT = 10 * 1024 * 1024  # bytes, of all variables of an execution


class NotJson(Exception):
    """An expression gave something that JSON cannot hold."""


def to_value(data: Json) -> Value:
    """Turn JSON from outside into the player's form; parts without a null are shared."""
    if data is None:
        return NULL
    if isinstance(data, dict):
        changed = {key: new for key, old in data.items() if (new := to_value(old)) is not old}
        return {**data, **changed} if changed else data
    if isinstance(data, list):
        items = [to_value(item) for item in data]
        return items if any(new is not old for new, old in zip(items, data, strict=True)) else data
    return data


def to_json(value: Value) -> Json:
    """Turn a value of the player into plain JSON; parts without a null are shared."""
    if value is NULL:
        return None
    if isinstance(value, dict):
        changed = {key: new for key, old in value.items() if (new := to_json(old)) is not old}
        return {**value, **changed} if changed else value
    if isinstance(value, list):
        items = [to_json(item) for item in value]
        same = all(new is old for new, old in zip(items, value, strict=True))
        return value if same else items
    return value


def from_query(result: Value) -> Value:
    """Turn what the library answers into the player's form: plain lists, no functions.

    Raises `NotJson` for functions and patterns. The library marks an undefined result with None;
    the caller has handled that, so a None further in is a null.
    """
    kind = type(result)
    if kind is str or kind is int or kind is bool or result is NULL:
        return result
    if result is None:
        return NULL
    if kind is float:
        return _number(result)
    if isinstance(result, dict):
        changed = {key: new for key, old in result.items() if (new := from_query(old)) is not old}
        return {**result, **changed} if changed else result
    if isinstance(result, list):  # the library has subclasses, one of them computed
        items = [from_query(item) for item in result]
        plain = kind is list and all(new is old for new, old in zip(items, result, strict=True))
        return result if plain else items
    raise NotJson("the result is a function")


def _number(value: float) -> Value:
    if math.isfinite(value):
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    return str(value).replace("inf", "Infinity").replace("nan", "NaN")


def size(value: Value) -> int:
    """Return the bytes of a value as compact JSON in UTF-8, the measure of AWS's limits."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_null)
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def text(value: Value) -> str:
    """Return a value as compact JSON text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_null)


def _null(value: object) -> None:
    if value is not NULL:
        raise TypeError(f"not JSON: {value!r}")
