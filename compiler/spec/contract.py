"""Contracts: the shorthand of inputs and outputs becomes plain JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from pydantic import JsonValue

from compiler.document.nodes import Lost, Path
from compiler.spec import names, pasted
from compiler.spec.model import Input, Inputs, Output, Outputs
from compiler.spec.parts import bad_name
from compiler.spec.report import Reporter, plain_list
from compiler.spec.written.scalars import (
    OPEN,
    did_you_mean,
    either,
    flag_help,
    nearest,
    source_text,
)

Schema: TypeAlias = "dict[str, JsonValue]"

TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")
_OTHER_TYPES = {
    "str": "string", "text": "string", "date": "string", "int": "integer", "float": "number",
    "double": "number", "decimal": "number", "bool": "boolean", "flag": "boolean",
    "list": "array", "map": "object", "mapping": "object", "dict": "object", "choice": "string",
    "environment": "string",
}  # fmt: skip
TEXTS = ("title", "description", "pattern", "format", "$comment")
COUNTS = (
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minContains",
    "maxContains",
)
NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
FLAGS = ("uniqueItems", "deprecated", "readOnly", "writeOnly")
LISTS = ("enum", "examples")
SCHEMAS = ("items", "additionalProperties", "not", "propertyNames", "contains")
SCHEMA_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
SCHEMA_MAPS = ("properties", "patternProperties")
KEYWORDS = (
    "type",
    "description",
    "required",
    "default",
    "enum",
    "const",
    *TEXTS,
    *COUNTS,
    *NUMBERS,
    *FLAGS,
    *LISTS,
    *SCHEMAS,
    *SCHEMA_LISTS,
    *SCHEMA_MAPS,
)
_FOREIGN = {
    "optional": "write `required: false`, or leave `required` out",
    "nullable": "write `type: [string, 'null']`",
    "options": "write `enum`, or `type: object` with `properties`",
    "choices": "write `enum`",
    "values": "write `enum`",
    "min": "write `minimum`",
    "max": "write `maximum`",
    "fields": "write `properties`",
    "$ref": "write the schema itself",
}
_BOOLEANS = {
    "true": "true", "yes": "true", "on": "true", "y": "true",
    "false": "false", "no": "false", "off": "false", "n": "false",
}  # fmt: skip
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?")
_SHOWN = 60
_TYPE = re.compile(r"[A-Za-z_ -]*")


def inputs(report: Reporter, plain: JsonValue, path: Path) -> Inputs | None:
    """Return the contract of inputs, with every mistake in it reported."""
    fields: list[Input] = []
    for name, value in _fields(report, plain, path):
        schema, required = field(report, value, (*path, name))
        fields.append(
            Input(
                path=(*path, name),
                name=name,
                json_schema=schema,
                required=required and "default" not in schema,
                description=_description(schema),
            )
        )
    return Inputs(path=path, fields=tuple(fields)) if isinstance(plain, dict) else None


def outputs(report: Reporter, plain: JsonValue, path: Path) -> Outputs | None:
    """Return the contract of outputs, with every mistake in it reported."""
    fields: list[Output] = []
    for name, value in _fields(report, plain, path):
        at = (*path, name)
        long = _long(report, name, value, at)
        schema, _ = field(report, long, at, more=("value",))
        fields.append(
            Output(
                path=at,
                name=name,
                json_schema=schema,
                description=_description(schema),
                has_value=isinstance(long, dict) and "value" in long,
                value=long.get("value") if isinstance(long, dict) else None,
            )
        )
    return Outputs(path=path, fields=tuple(fields)) if isinstance(plain, dict) else None


def _long(report: Reporter, name: str, value: JsonValue, path: Path) -> JsonValue:
    """Report an output's value that stands where its type should, and return its long form."""
    if not isinstance(value, str) or _TYPE.fullmatch(value):
        return value
    written = f'"{value}"' if OPEN in value and '"' not in value else value
    if len(written) > _SHOWN or "\n" in value or (OPEN in value and '"' in value):
        written = "..."
    report.error(
        "wrong-type",
        path,
        f"`{name}` is a value, but must be a type or a mapping",
        f"write `{name}: {{value: {written}}}`",
    )
    return {"value": value}


def form(report: Reporter, plain: Schema, path: Path) -> Schema:
    """Return the JSON Schema of a form: written as one, or as a mapping of fields."""
    if plain.get("type") == "object" or isinstance(plain.get("properties"), dict):
        return field(report, plain, path)[0]
    return _properties(report, plain, path)


def _fields(report: Reporter, plain: JsonValue, path: Path) -> list[tuple[str, JsonValue]]:
    if not isinstance(plain, dict):
        help_ = "write `name: string`"
        if path[-1:] == ("outputs",):
            help_ = "write `name: string`, or `name: {value: ...}` with an expression"
        report.wrong_type(path, "a mapping of names to types", help_)
        return []
    for name in plain:
        if not names.NAME.fullmatch(name):
            bad_name(report, name, (*path, name))
    return list(plain.items())


def field(
    report: Reporter, plain: JsonValue, path: Path, more: tuple[str, ...] = ()
) -> tuple[Schema, bool]:
    """Return the JSON Schema that a field's shorthand or long form stands for, and if it must be.

    `more` are keys of the long form that are not JSON Schema; they are left out.
    """
    if isinstance(plain, str):
        return _shorthand(report, plain, path), True
    if not isinstance(plain, dict):
        report.wrong_type(path, "a type or a mapping", f"write one of {', '.join(TYPES)}")
        return {}, False
    schema: Schema = {}
    choice = pasted.choice(plain)
    if choice is not None:
        help_ = f"write `type: string` and `{pasted.enum(plain['options'])}`"
        report.error("unknown-value", (*path, "type"), "'choice' is not a type", help_)
        report.alias(path, "enum", "options")
        plain = choice
    for key, value in plain.items():
        if key not in more and key != "required":
            schema.update(_entry(report, plain, key, value, path))
    _as_text(schema)
    _check_default(report, schema, path)
    required = plain.get("required")
    if not (required is None or isinstance(required, bool | list)):
        report.wrong_type((*path, "required"), "true or false", flag_help(required))
    return schema, required is True


def _entry(report: Reporter, plain: Schema, key: str, value: JsonValue, path: Path) -> Schema:
    """Return what one key of a long form adds to its schema."""
    at = (*path, key)
    if key not in KEYWORDS:
        _unknown(report, key, at, value)
        return {}
    if key == "type":
        found = _types(report, value, at)
        return {} if found is None else {"type": found}
    if key == "properties":
        return _object(report, value, at, plain)
    return {key: _keyword(report, key, value, at)} if _checked(report, key, value, at) else {}


def _shorthand(report: Reporter, text: str, path: Path) -> Schema:
    found = _type(report, text, path)
    return {} if found is None else {"type": found}


def _types(report: Reporter, value: JsonValue, path: Path) -> JsonValue:
    if isinstance(value, list):
        found = [_type(report, item, (*path, index)) for index, item in enumerate(value)]
        return [name for name in found if name is not None]
    return _type(report, value, path)


def _type(report: Reporter, value: JsonValue, path: Path) -> str | None:
    if not isinstance(value, str):
        report.wrong_type(path, either(TYPES), "quote it: 'null'" if value is None else None)
        return None
    if value in TYPES:
        return value
    meant = _OTHER_TYPES.get(value.lower())
    help_ = f"write `{meant}`" if meant else did_you_mean(value, TYPES)
    if value == "environment":
        help_ = "write `string`; for its reviewers put in a step with `type: manual`"
    report.error(
        "unknown-value", path, f"'{value}' is not a type", help_ or f"write {either(TYPES)}"
    )
    return meant or nearest(value, TYPES)


def _unknown(report: Reporter, key: str, path: Path, value: JsonValue) -> None:
    near = nearest(key, KEYWORDS)
    enum = pasted.enum(value) if key in ("options", "choices", "values") else None
    help_ = (f"write `{enum}`" if enum else _FOREIGN.get(key)) or (
        f"did you mean `{near}`?" if near else None
    )
    report.error_at_key(
        "unknown-key",
        path,
        f"`{key}` is not a key of a type in JSON Schema",
        help_ or f"the keys here are {', '.join(dict.fromkeys(KEYWORDS))}",
    )


def _object(report: Reporter, value: JsonValue, path: Path, plain: Schema) -> Schema:
    """Return what `properties` and `required` of an object say."""
    if not isinstance(value, dict):
        report.wrong_type(path, "a mapping of names to types")
        return {}
    schema = _properties(report, value, path)
    listed = plain.get("required")
    if isinstance(listed, list):
        at = (*path[:-1], "required")
        for index, name in enumerate(listed):
            if name not in value:
                report.error(
                    "unknown-value",
                    (*at, index),
                    f"'{name}' is not one of `properties`",
                    did_you_mean(str(name), tuple(value)),
                )
        schema["required"] = [name for name in listed if isinstance(name, str) and name in value]
    if "additionalProperties" in plain:
        del schema["additionalProperties"]
    if "type" in plain:
        del schema["type"]
    return schema


def _properties(report: Reporter, plain: Schema, path: Path) -> Schema:
    properties: Schema = {}
    required: list[JsonValue] = []
    for name, value in plain.items():
        inner, must = field(report, value, (*path, name))
        properties[name] = inner
        if must and "default" not in inner:
            required.append(name)
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _checked(report: Reporter, key: str, value: JsonValue, path: Path) -> bool:
    """Report a keyword whose value has the wrong type."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    wanted: str | None = None
    if key in TEXTS and source_text(value) is None:
        wanted = "text"
    elif key in COUNTS and not (number and isinstance(value, int) and value >= 0):
        wanted = "a whole number from 0 on"
    elif key in NUMBERS and not number:
        wanted = "a number"
    elif key in FLAGS and not isinstance(value, bool):
        wanted = "true or false"
    elif (key in LISTS or key in SCHEMA_LISTS) and not isinstance(value, list):
        wanted = "a list"
    elif key in SCHEMA_MAPS and not isinstance(value, dict):
        wanted = "a mapping"
    if wanted is not None:
        report.wrong_type(path, wanted)
        return False
    return key != "pattern" or _pattern(report, value, path)


def _pattern(report: Reporter, value: JsonValue, path: Path) -> bool:
    try:
        re.compile(str(value))
    except re.error as error:
        report.error("bad-pattern", path, f"`pattern` is no regular expression: {error.msg}")
        return False
    return True


def _keyword(report: Reporter, key: str, value: JsonValue, path: Path) -> JsonValue:
    """Return a keyword's value with the schemas inside it resolved."""
    if key in SCHEMAS and not isinstance(value, bool):
        return field(report, value, path)[0]
    if key in SCHEMA_LISTS:
        return [field(report, item, (*path, index))[0] for index, item in plain_list(value)]
    if key in SCHEMA_MAPS and isinstance(value, dict):
        return {name: field(report, item, (*path, name))[0] for name, item in value.items()}
    if key in TEXTS:
        return source_text(value)
    return value


def _as_text(schema: Schema) -> None:
    """Let numbers stand for the text they were written as where a text is wanted."""
    if schema.get("type") != "string":
        return
    for key in ("default", "const"):
        if key in schema:
            schema[key] = source_text(schema[key]) or schema[key]
    choices = schema.get("enum")
    if isinstance(choices, list):
        schema["enum"] = [source_text(choice) or choice for choice in choices]


def _check_default(report: Reporter, schema: Schema, path: Path) -> None:
    if isinstance(schema.get("default"), Lost):
        del schema["default"]
    if "default" not in schema:
        return
    at = (*path, "default")
    types = schema.get("type")
    wanted = [types] if isinstance(types, str) else types
    value = schema["default"]
    if isinstance(wanted, list) and not any(_is(value, name) for name in wanted):
        either_type = " or ".join(str(name) for name in wanted)
        report.error(
            "bad-default",
            at,
            f"`default` is {report.found(at)}, but the type is {either_type}",
            _better(value, wanted),
        )
        return
    choices = schema.get("enum")
    if isinstance(choices, list) and all(choice != value for choice in choices):
        report.error("bad-default", at, f"`default` is {report.found(at)}, which is not in `enum`")


def _better(value: JsonValue, wanted: Sequence[JsonValue]) -> str | None:
    """Return how to write a default of the wrong type, if it is known."""
    if list(wanted) == ["string"] and isinstance(value, bool):
        return f'quote it: "{str(value).lower()}"'
    if not isinstance(value, str):
        return None
    word = value.strip().lower()
    if "boolean" in wanted and word in _BOOLEANS:
        return f"write {_BOOLEANS[word]}, without quotes"
    if _NUMBER.fullmatch(word) and any(_is(float(word), name) for name in wanted):
        return f"write {word}, without quotes"
    return None


def _is(value: JsonValue, name: JsonValue) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    tests: Mapping[str, bool] = {
        "string": isinstance(value, str),
        "number": number,
        "integer": isinstance(value, int | float) and number and value == int(value),
        "boolean": isinstance(value, bool),
        "object": isinstance(value, dict),
        "array": isinstance(value, list),
        "null": value is None,
    }
    return tests.get(str(name), True)


def _description(schema: Schema) -> str | None:
    text = schema.get("description")
    return text if isinstance(text, str) else None
