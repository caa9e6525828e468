"""The language as a JSON Schema (2020-12), for editors: `stepsmith schema`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic import JsonValue
from pydantic.json_schema import models_json_schema

from compiler.spec import contract
from compiler.spec.written import steps, triggers
from compiler.spec.written.parts import ALSO, Notify, Written
from compiler.spec.written.root import Root

_REF = "#/$defs/{model}"
_ALSO_ITEMS = "x-also-items"


def workflow_json_schema() -> dict[str, JsonValue]:
    """Return the JSON Schema of a workflow file; each key has a description.

    It refuses unknown keys and wrong types. What spans several keys (ids, names, exactly one of
    several waits) is the decoder's.
    """
    kinds: list[type[Written]] = [*steps.KINDS.values(), steps.Job]
    models: list[type[Written]] = [*kinds, *triggers.TYPES.values(), Notify, Root]
    _, generated = models_json_schema([(m, "validation") for m in models], ref_template=_REF)
    definitions = _clean(generated["$defs"])
    assert isinstance(definitions, dict)
    for model in kinds:
        _hyphens(definitions[model.__name__])
    definitions["Step"] = _one_of(steps.KINDS.values(), "A step; its kind is told by one key.")
    definitions["Trigger"] = _one_of(triggers.TYPES.values(), "What starts a run.")
    definitions["Field"] = _field("What an input may be: a type, or the long form.", {})
    value: dict[str, JsonValue] = {"value": {"description": "An expression that gives it"}}
    definitions["Result"] = _field("What an output is: a type, or the long form.", value)
    root = definitions["Root"]
    assert isinstance(root, dict)
    root["oneOf"] = [{"required": ["steps"]}, {"required": ["jobs"]}]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Stepsmith workflow",
        "anyOf": [
            {"$ref": "#/$defs/Root"},
            {
                "type": "object",
                "properties": {"workflow": {"$ref": "#/$defs/Root"}},
                "required": ["workflow"],
                "additionalProperties": False,
            },
        ],
        "$defs": {name: definitions[name] for name in sorted(definitions)},
    }


def _one_of(models: Iterable[type[Written]], description: str) -> dict[str, JsonValue]:
    return {
        "description": description,
        "oneOf": [{"$ref": f"#/$defs/{model.__name__}"} for model in models],
    }


def _hyphens(step: JsonValue) -> None:
    """Add the one key that may also be written with hyphens."""
    assert isinstance(step, dict)
    properties = step["properties"]
    assert isinstance(properties, dict)
    properties["continue-on-failure"] = properties["continue_on_failure"]


def _field(description: str, more: dict[str, JsonValue]) -> dict[str, JsonValue]:
    types: dict[str, JsonValue] = {"enum": list(contract.TYPES)}
    inner: dict[str, JsonValue] = {"$ref": "#/$defs/Field"}
    special: dict[str, JsonValue] = {
        "type": {"anyOf": [types, {"type": "array", "items": types}]},
        "required": {
            "description": "Whether it must be given; of an object, the names that must be",
            "anyOf": [{"type": "boolean"}, {"type": "array", "items": {"type": "string"}}],
        },
        "default": {"description": "What stands in if it is not given"},
    }
    shapes: list[tuple[tuple[str, ...], dict[str, JsonValue]]] = [
        (contract.KEYWORDS, {}),
        (contract.TEXTS, {"type": ["string", "number"]}),
        (contract.COUNTS, {"type": "integer", "minimum": 0}),
        (contract.NUMBERS, {"type": "number"}),
        (contract.FLAGS, {"type": "boolean"}),
        (contract.LISTS, {"type": "array"}),
        (contract.SCHEMAS, {"anyOf": [{"type": "boolean"}, inner]}),
        (contract.SCHEMA_LISTS, {"type": "array", "items": inner}),
        (contract.SCHEMA_MAPS, {"type": "object", "additionalProperties": inner}),
    ]
    keywords: dict[str, JsonValue] = {name: shape for names, shape in shapes for name in names}
    return {
        "description": description,
        "anyOf": [
            types,
            {
                "type": "object",
                "properties": {**keywords, **special, **more},
                "additionalProperties": False,
            },
        ],
    }


# --- from pydantic's form to ours ------------------------------------------------------------


def _clean(node: JsonValue) -> JsonValue:
    if isinstance(node, list):
        return [_clean(item) for item in node]
    if not isinstance(node, dict):
        return node
    if "x-ref" in node:
        return {"$ref": f"#/$defs/{node['x-ref']}"}
    found = dict(_entries(_without_null(node)))
    if _ALSO_ITEMS in found:
        found["items"] = {"anyOf": [found["items"], found.pop(_ALSO_ITEMS)]}
    if ALSO in found:
        also = found.pop(ALSO)
        description = found.pop("description", "")
        found = {"description": description, "anyOf": [found, also]}
    return found


def _entries(node: dict[str, JsonValue]) -> Iterator[tuple[str, JsonValue]]:
    for key, value in node.items():
        if key == "properties" and isinstance(value, dict):
            # Names in <> are how the decoder reads a second form of a value; `x-also` has it.
            yield key, {n: _clean(v) for n, v in value.items() if not n.startswith("<")}
        elif key == "title" or (key == "default" and value is None):
            continue
        else:
            yield key, _clean(value)


def _without_null(node: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """A key that may be left out is no key that may be empty."""
    choices = node.get("anyOf")
    null: JsonValue = {"type": "null"}
    if not isinstance(choices, list) or null not in choices:
        return node
    rest = [choice for choice in choices if choice != null]
    others = {key: value for key, value in node.items() if key != "anyOf"}
    if len(rest) == 1 and isinstance(rest[0], dict):
        return {**rest[0], **others} if "x-ref" not in rest[0] else {**_target(rest[0]), **others}
    return {**others, "anyOf": rest}


def _target(node: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {"$ref": f"#/$defs/{node['x-ref']}"}
