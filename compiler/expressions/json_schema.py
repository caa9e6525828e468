"""Types from JSON Schemas: what a value that passed a schema is known to be."""

from __future__ import annotations

from collections.abc import Mapping

from compiler.expressions.types import (
    BOOLEAN,
    NULL,
    NUMBER,
    TEXT,
    UNKNOWN,
    ListOf,
    Record,
    Type,
    join,
    type_of_value,
    union,
)

__all__ = ["from_json_schema", "type_of_value"]

_SIMPLE: dict[str, Type] = {
    "null": NULL,
    "boolean": BOOLEAN,
    "number": NUMBER,
    "integer": NUMBER,
    "string": TEXT,
}
_DEPTH = 32


def from_json_schema(schema: object) -> Type:
    """Return the type of the values that a JSON Schema lets pass, after its defaults.

    A property that is neither required nor has a default may be null. Whatever a type cannot
    say, or the schema does not, is unknown. References are followed inside the schema only.
    """
    return _Reader(schema).type_of(schema, _DEPTH)


class _Reader:
    def __init__(self, root: object) -> None:
        self._root = root

    def type_of(self, schema: object, depth: int) -> Type:
        if not isinstance(schema, Mapping) or depth == 0:
            return UNKNOWN
        reference = schema.get("$ref")
        if isinstance(reference, str):
            return self.type_of(self._resolve(reference), depth - 1)
        if "const" in schema:
            return type_of_value(schema["const"])
        values = schema.get("enum")
        if isinstance(values, list) and values:
            return union(type_of_value(value) for value in values)
        for word in ("anyOf", "oneOf"):
            choices = schema.get(word)
            if isinstance(choices, list) and choices and "type" not in schema:
                return union(self.type_of(choice, depth - 1) for choice in choices)
        return self._by_name(schema, depth)

    def _by_name(self, schema: Mapping[str, object], depth: int) -> Type:
        names = schema.get("type")
        if isinstance(names, str):
            names = [names]
        if not isinstance(names, list) or not names:
            return self._record(schema, depth) if "properties" in schema else UNKNOWN
        found = union(self._named(name, schema, depth) for name in names)
        return join(found, NULL) if schema.get("nullable") is True else found

    def _named(self, name: object, schema: Mapping[str, object], depth: int) -> Type:
        if name == "array":
            return ListOf(self.type_of(schema.get("items"), depth - 1))
        if name == "object":
            return self._record(schema, depth)
        return _SIMPLE.get(name, UNKNOWN) if isinstance(name, str) else UNKNOWN

    def _record(self, schema: Mapping[str, object], depth: int) -> Type:
        properties = schema.get("properties")
        required = schema.get("required")
        needed = set(required) if isinstance(required, list) else set()
        fields: dict[str, Type] = {}
        for name, inner in properties.items() if isinstance(properties, Mapping) else ():
            found = self.type_of(inner, depth - 1)
            has_default = isinstance(inner, Mapping) and "default" in inner
            fields[name] = found if name in needed or has_default else join(found, NULL)
        return Record(fields, schema.get("additionalProperties", True) is not False)

    def _resolve(self, reference: str) -> object:
        if not reference.startswith("#"):
            return None
        here = self._root
        for step in reference[1:].split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(here, Mapping) or name not in here:
                return None
            here = here[name]
        return here
