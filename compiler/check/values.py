"""The author's free-form values: plain JSON with expressions in its texts."""

from __future__ import annotations

from typing import TypeGuard

from compiler.check.failed import FAILED
from compiler.check.program import Constant, Fields, Items, Value
from compiler.check.readers import Reader
from compiler.check.typed import Typed
from compiler.check.unmarked import check_unmarked
from compiler.document.nodes import Json, Lost, Mapping, Node, Sequence


def value(raw: Json, node: Node, reader: Reader, typed: Typed) -> Value:
    """Return what was written as a value; what could not be understood is `FAILED`.

    `node` is where `raw` stands; a part that has no node of its own is placed at the whole.
    """
    if isinstance(raw, str):
        if isinstance(raw, Lost) and "${{" not in raw:
            return FAILED
        if "${{" not in raw:
            check_unmarked(raw, node, typed)
            return Constant(raw)
        found = typed.text(raw, node, reader)
        return FAILED if found is None else found
    if isinstance(raw, dict):
        return _fields(raw, node, reader, typed)
    if isinstance(raw, list):
        return _items(raw, node, reader, typed)
    return Constant(raw)


def _fields(raw: dict[str, Json], node: Node, reader: Reader, typed: Typed) -> Value:
    nodes = {key.text: inner for key, inner in node.entries} if isinstance(node, Mapping) else {}
    items = tuple(
        (name, value(inner, nodes.get(name, node), reader, typed)) for name, inner in raw.items()
    )
    plain = {name: item.value for name, item in items if _is_known(item)}
    return Constant(plain) if len(plain) == len(items) else Fields(items)


def _items(raw: list[Json], node: Node, reader: Reader, typed: Typed) -> Value:
    nodes = node.items if isinstance(node, Sequence) and len(node.items) == len(raw) else ()
    items = tuple(
        value(inner, nodes[at] if nodes else node, reader, typed) for at, inner in enumerate(raw)
    )
    plain = [item.value for item in items if _is_known(item)]
    return Constant(plain) if len(plain) == len(items) else Items(items)


def _is_known(item: Value) -> TypeGuard[Constant]:
    """Whether a value is known now: written, or what an expression comes to that reads nothing."""
    return isinstance(item, Constant) and item is not FAILED
