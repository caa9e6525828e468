"""What a machine's first state makes of its inputs: right in kind, unknown below that."""

from __future__ import annotations

from compiler.check.program import Input
from compiler.expressions.types import (
    BOOLEAN,
    NUMBER,
    TEXT,
    UNKNOWN,
    ListOf,
    Record,
    Type,
    optional,
)

KINDS: dict[str, tuple[str, Type]] = {
    "string": ("string", TEXT),
    "number": ("number", NUMBER),
    "integer": ("number", NUMBER),
    "boolean": ("boolean", BOOLEAN),
    "array": ("array", ListOf(UNKNOWN)),
    "object": ("object", Record({}, open=True)),
}
"""JSON Schema's type names: what JSONata calls them, and the type of what is of that kind."""


def shallow(found: Input) -> Type:
    """Return the type of an input as far as the first state makes sure of it."""
    name = found.schema.get("type") if isinstance(found.schema, dict) else None
    known = KINDS.get(name) if isinstance(name, str) else None
    if known is None:
        return UNKNOWN
    return known[1] if found.default is not None else optional(known[1])
