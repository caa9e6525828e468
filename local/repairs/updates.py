"""moto's DynamoDB, several times as quick at updates, with the same results.

moto parses an update's expression anew each time, copies its tree by hand, walks the tree ten
times with a look at every type for every node, and checks the whole again at each part of it.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from moto.dynamodb import models, responses
from moto.dynamodb.parsing import ast_nodes, expressions, validators
from moto.dynamodb.parsing.validators import ActionCountValidator, OverlappingPathsValidator

_nodes: Any = ast_nodes
_expressions: Any = expressions
_moto_make = _expressions.UpdateExpressionParser.make


class _Parser:
    @staticmethod
    def make(expression: str) -> Any:
        return pickle.loads(_parsed(expression))  # noqa: S301 (our own)


@lru_cache(maxsize=256)
def _parsed(expression: str) -> bytes:
    return pickle.dumps(_moto_make(expression))


def _copied(tree: Any) -> Any:
    return pickle.loads(pickle.dumps(tree))  # noqa: S301 (our own)


def _traverse(self: Any, node: Any, child_id: int = -1) -> Any:
    """Process a tree from its leaves on; which function is a node's is looked up once a type."""
    if not isinstance(node, _nodes.Node):
        return node
    known: dict[type, Callable[[Any], Any] | None] = self.__dict__.setdefault("_known", {})
    return _walked(self, node, child_id, known)


def _walked(
    self: Any, node: Any, child_id: int, known: dict[type, Callable[[Any], Any] | None]
) -> Any:
    parent, kind = node.parent, type(node)
    for number, child in enumerate(node.children or ()):
        self.pre_processing_of_child(node, number)
        if hasattr(child, "children"):
            _walked(self, child, number, known)
    if kind not in known:
        found = self._processing_map().items()
        known[kind] = next((one for base, one in found if issubclass(kind, base)), None)
    process = known[kind]
    if process is not None:
        node = process(node)
        node.parent = parent
        if parent:
            parent.children[child_id] = node
    return node


CHANGES: tuple[tuple[Any, str, Any], ...] = (
    (models, "UpdateExpressionParser", _Parser),
    (responses, "UpdateExpressionParser", _Parser),
    (validators, "deepcopy", _copied),
    (_nodes.DepthFirstTraverser, "traverse_node_recursively", _traverse),
    (ActionCountValidator, "traverse", ActionCountValidator.verify_action_counts),
    (OverlappingPathsValidator, "traverse", OverlappingPathsValidator.check_for_overlapping_paths),
)
"""What is put where, by its owner and name."""
MOTO: tuple[Any, ...] = tuple(vars(owner).get(name) for owner, name, _ in CHANGES)
"""What was there before."""


def install() -> None:
    """Make updates quick."""
    put: Any = setattr
    for owner, name, new in CHANGES:
        put(owner, name, new)
