"""How many items a for_each has: known where its list is written out, whatever the items are."""

from __future__ import annotations

from compiler.check.program import Constant, ForEach, Items, Value


def length(items: Value) -> int | None:
    """Return how many items a list has, None where only a run knows."""
    if isinstance(items, Items):
        return len(items.items)
    literal = items.value if isinstance(items, Constant) else None
    return len(literal) if isinstance(literal, list) else None


def most_items(each: ForEach) -> int:
    """Return how many items a for_each has at most."""
    known = length(each.items)
    return each.max_items if known is None else min(known, each.max_items)
