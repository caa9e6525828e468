"""Values in their portable form, for `protocol.evaluate`."""

from __future__ import annotations

from compiler.check.program import Computed, Constant, Fields, Items, Secret, Value
from compiler.document.nodes import Json
from compiler.expressions import template_to_portable


def portable(value: Value) -> Json:
    """Return a value for `protocol.evaluate.evaluate`; secrets are read of a context `secrets`."""
    match value:
        case Constant(value=plain):
            return _quoted(plain)
        case Computed(template=template):
            return template_to_portable(template)
        case Secret(parts=parts):
            pieces: list[Json] = [
                ["ref", "secrets", text] if kind == "secret" else text for kind, text in parts
            ]
            return pieces[0] if len(pieces) == 1 else ["text", *pieces]
        case Items(items=items):
            return ["list", *map(portable, items)]
        case Fields(items=fields):
            return ["record", *(part for key, one in fields for part in (key, portable(one)))]


def _quoted(plain: Json) -> Json:
    """Return a plain value; a list that stands bare would be an operation."""
    if isinstance(plain, list):
        return ["list", *map(_quoted, plain)]
    if isinstance(plain, dict):
        return ["record", *(part for key, one in plain.items() for part in (key, _quoted(one)))]
    return plain
