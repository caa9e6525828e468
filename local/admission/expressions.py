"""What AWS rejects in an expression when a machine is created."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from local.parsing import BadExpression, parsed

INVALID = "INVALID_JSONATA_EXPRESSION"
UNSUPPORTED = "UNSUPPORTED_JSONATA_EXPRESSION"

_CHILDREN = (
    "procedure", "arguments", "body", "lhs", "rhs", "expressions", "condition", "then", "_else",
    "lhs_object", "rhs_object", "expression",
)  # fmt: skip
_WITH_CONTEXT = ("predicate", "stages", "group", "terms", "pattern", "update", "delete", "expr")
_CONTEXT_NODES = {"wildcard": "*", "descendant": "**", "parent": "%"}


@lru_cache(maxsize=8192)
def expression_faults(text: str, available: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """Return (code, message) for an expression, without its `{% %}`.

    `available` names the fields of `$states` that exist where the expression stands.
    """
    try:
        tree = parsed(text).ast
    except BadExpression as error:
        return ((INVALID, f"{error}: {text}"),)
    return tuple(_faults(tree, available, context=False))


def _faults(node: Any, available: frozenset[str], *, context: bool) -> Iterator[tuple[str, str]]:
    """Walk the tree; `context` says whether `$` and bare names mean something at the node."""
    if isinstance(node, (list, tuple)):
        for item in node:
            yield from _faults(item, available, context=context)
        return
    if not hasattr(node, "nud"):
        return
    yield from _own_faults(node, context=context)
    if node.type == "path":
        yield from _states_faults(node.steps, available)
        yield from _faults(node.steps[0], available, context=context)
        yield from _faults(node.steps[1:], available, context=True)
    for name in _CHILDREN:
        yield from _faults(getattr(node, name, None), available, context=context)
    for name in _WITH_CONTEXT:
        yield from _faults(getattr(node, name, None), available, context=True)


def _own_faults(node: Any, *, context: bool) -> Iterator[tuple[str, str]]:
    if node.type == "variable" and node.value == "$":
        yield UNSUPPORTED, "'$$' has no meaning here"
    elif context:
        return
    elif node.type == "variable" and node.value == "":
        yield UNSUPPORTED, "'$' has no meaning outside a path"
    elif node.type == "name":
        yield UNSUPPORTED, f"the field name '{node.value}' has no meaning outside a path"
    elif node.type in _CONTEXT_NODES:
        yield UNSUPPORTED, f"'{_CONTEXT_NODES[node.type]}' has no meaning outside a path"


def _states_faults(steps: Any, available: frozenset[str]) -> Iterator[tuple[str, str]]:
    first, *rest = steps
    if first.type != "variable" or first.value != "states" or not rest:
        return
    if rest[0].type == "name" and rest[0].value not in available:
        yield UNSUPPORTED, f"'$states.{rest[0].value}' does not exist here"
