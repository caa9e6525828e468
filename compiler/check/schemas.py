"""Small questions about JSON Schemas and literals, and the words for both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

from compiler.document.nodes import Json
from compiler.expressions.json_schema import type_of_value
from compiler.expressions.types import Text, Type, Union, show

Schema: TypeAlias = Mapping[str, Json]

_LONGEST = 60
_REFERENCES = 40
_KINDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "null",
}
_BOOLEANS = {
    "yes": "true",
    "on": "true",
    "true": "true",
    "no": "false",
    "off": "false",
    "false": "false",
}


def resolved(schema: Json | Schema, root: Schema) -> Schema | None:
    """Return a schema with its references followed inside of `root`; None where it says nothing."""
    for _ in range(_REFERENCES):
        if not isinstance(schema, Mapping):
            return None
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return schema
        here: Json | Schema = root
        for part in reference.lstrip("#").split("/")[1:]:
            here = here.get(part) if isinstance(here, Mapping) else None
        schema = here
    return None


def names(schema: Schema) -> tuple[str, ...]:
    """Return the names of the types that a schema lets pass; none: it does not say."""
    found = schema.get("type")
    if isinstance(found, str):
        return (found,)
    if isinstance(found, list):
        return tuple(str(name) for name in found)
    return ("object",) if "properties" in schema else ()


def wants(schema: Schema, name: str) -> bool:
    """Whether values of a type may pass."""
    found = names(schema)
    return name in found or not found


def only_text(schema: Schema) -> bool:
    """Whether a number stands here for its text."""
    found = names(schema)
    return "string" in found and not {"number", "integer"} & set(found)


def fits(plain: Json, schema: Schema) -> bool:
    """Whether a literal is of a type that may pass."""
    found = names(schema)
    if not found:
        return True
    match plain:
        case None:
            return "null" in found or schema.get("nullable") is True
        case bool():
            return "boolean" in found
        case int():
            return "integer" in found or "number" in found
        case float():
            return "number" in found or ("integer" in found and plain.is_integer())
        case str():
            return "string" in found
        case list():
            return "array" in found
        case _:
            return "object" in found


def matches(pattern: str, text: str) -> bool:
    """Whether a text is of a schema's form; a pattern of another dialect is not our business."""
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return True


def wanted(schema: Schema) -> str:
    """Return what a schema lets pass, in words."""
    return " or ".join(_KINDS.get(name, name) for name in names(schema)) or "another value"


def shown(plain: Json) -> str:
    """Return a literal as messages quote it."""
    match plain:
        case None:
            return "empty"
        case bool():
            return "true" if plain else "false"
        case str():
            return f"'{plain}'" if len(plain) <= _LONGEST else f"'{plain[:_LONGEST]}...'"
        case int() | float():
            return str(plain)
        case list():
            return "a list"
        case _:
            return show(type_of_value(plain))


def instead(quoted: str, schema: Schema) -> str:
    """Return how a literal of another type is written so that it fits."""
    found = names(schema)
    text = quoted.strip("'")
    if "boolean" in found and text.lower() in _BOOLEANS:
        return f"write `{_BOOLEANS[text.lower()]}`"
    if {"number", "integer"} & set(found) and text.removeprefix("-").isdecimal():
        return f"write `{text}` without quotes"
    if "array" in found and quoted != "empty":
        return "write it as a list: `[...]`"
    if "string" in found and quoted in ("true", "false"):
        return f"write '{quoted}' in quotes"
    return f"give {wanted(schema)}"


def converted(given: Type, target: Type) -> str:
    """Return how a computed value is made one of the type that is wanted."""
    if isinstance(target, Text):
        return "make it text: `format('{0}', ...)`, or `toJSON(...)`"
    if isinstance(given, Text) and not isinstance(target, Union):
        return "read it as JSON: `fromJSON(...)`"
    return f"give {show(target)}"
