"""What was sent of a form's fields, as JSON again.

A step's form is a JSON Schema; each of its properties is a field of one kind. Whether a form is
right says the domain, not the page.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from functions.domain.json_text import storable
from protocol.payloads import Json

PREFIX = "form."
DATE_TIME = "date-time"
LOCAL = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d(?:\.\d+)?)?")
"""What a browser sends of a date with its time: it names no zone, so the page asks for UTC."""
_LONG = 200

Kind: TypeAlias = Literal["text", "number", "switch", "choice", "choices", "lines", "json"]


@dataclass(frozen=True, slots=True)
class Filled:
    """What somebody has filled in: the form, and what is wrong with it by property."""

    form: dict[str, Json] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)


def properties_of(schema: Mapping[str, Json] | None) -> dict[str, dict[str, Json]]:
    """Return the properties that a form asks for."""
    found = (schema or {}).get("properties")
    if not isinstance(found, dict):
        return {}
    return {name: one if isinstance(one, dict) else {} for name, one in found.items()}


def filled(schema: Mapping[str, Json] | None, sent: Mapping[str, Sequence[str]]) -> Filled:
    """Return the form that was sent. What is empty is left out."""
    found = Filled()
    required = required_of(schema)
    for name, one in properties_of(schema).items():
        texts = [text.replace("\r\n", "\n") for text in sent.get(PREFIX + name, ())]
        try:
            value = _value(one, texts)
        except ValueError:
            found.problems[name] = _WRONG[kind_of(one)]
            continue
        if value == [] and name not in required:
            continue
        if value is not None:
            found.form[name] = value
        elif name in required:
            found.problems[name] = "Please fill this in."
    return found


_WRONG: dict[Kind, str] = {
    "text": "Please write a text.",
    "number": "Please write a number.",
    "switch": "Please choose.",
    "choice": "Please choose one of these.",
    "choices": "Please choose from these.",
    "lines": "Please write one a line.",
    "json": "Please write JSON.",
}


def kind_of(schema: Mapping[str, Json]) -> Kind:
    """Return of which kind the field of a property is."""
    inner = items_of(schema)
    named = type_of(schema)
    if "enum" in schema or "const" in schema:
        return "choice"
    if named in ("number", "integer"):
        return "number"
    if named == "boolean":
        return "switch"
    if named == "string":
        return "text"
    if named == "array" and isinstance(inner.get("enum"), list):
        return "choices"
    if named == "array" and type_of(inner) == "string":
        return "lines"
    return "json"


def type_of(schema: Mapping[str, Json]) -> Json:
    """Return the type of what is filled in: what may be null as well is left empty for that."""
    named = schema.get("type")
    if not isinstance(named, list):
        return named
    others = [one for one in named if one != "null"]
    return others[0] if len(others) == 1 else None


def _value(schema: Mapping[str, Json], texts: Sequence[str]) -> Json:
    """Return the value that texts of a field stand for, None for nothing; raises ValueError."""
    kind = kind_of(schema)
    first = texts[0].strip() if texts else ""
    if kind == "switch":
        return bool(first)
    if kind == "choices":
        return [_chosen(text, items_of(schema)) for text in texts]
    if not first:
        return None
    if kind == "number":
        whole = type_of(schema) == "integer"
        return int(first) if whole else _number(first)
    if kind == "choice":
        return _chosen(first, schema)
    if kind == "lines":
        return [line.strip() for line in texts[0].split("\n") if line.strip()]
    if kind == "json":
        return storable(first)
    return _text(texts[0], schema)


def _text(text: str, schema: Mapping[str, Json]) -> str:
    if is_long(schema):
        return text
    return _in_utc(text.strip()) if schema.get("format") == DATE_TIME else text.strip()


def _in_utc(text: str) -> str:
    found = LOCAL.fullmatch(text)
    return f"{found[1]}{found[2] or ':00'}Z" if found else text


def _number(text: str) -> float | int:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return int(number) if number.is_integer() and "e" not in text.lower() else number


def _chosen(text: str, schema: Mapping[str, Json]) -> Json:
    for option in options_of(schema):
        if token_of(option) == text:
            return option
    raise ValueError(text)


def options_of(schema: Mapping[str, Json]) -> list[Json]:
    """Return what can be chosen."""
    found = schema.get("enum")
    return found if isinstance(found, list) else [schema["const"]] if "const" in schema else []


def items_of(schema: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the schema of a list's items."""
    found = schema.get("items")
    return found if isinstance(found, dict) else {}


def required_of(schema: Mapping[str, Json] | None) -> frozenset[str]:
    """Return the names that have to be filled in."""
    found = (schema or {}).get("required")
    return frozenset(str(one) for one in found) if isinstance(found, list) else frozenset()


def token_of(option: Json) -> str:
    """Return what an option is called in the form that is sent; of a text, itself."""
    return option if isinstance(option, str) else json.dumps(option)


def is_long(schema: Mapping[str, Json]) -> bool:
    """Return whether a text may have several lines."""
    longest = schema.get("maxLength")
    return schema.get("format") == "textarea" or (isinstance(longest, int) and longest > _LONG)
