"""First pass: a file's text to located nodes, every key and value with its place."""

from __future__ import annotations

from compiler.document.encoding import source_from_bytes
from compiler.document.nodes import (
    Document,
    Json,
    Lost,
    Mapping,
    Node,
    Path,
    Scalar,
    Sequence,
    Style,
    walk,
)
from compiler.document.offsets import place
from compiler.document.plain import SourceFloat, SourceInt, to_plain
from compiler.document.reader import only, read

__all__ = [
    "Document",
    "Json",
    "Lost",
    "Mapping",
    "Node",
    "Path",
    "Scalar",
    "Sequence",
    "SourceFloat",
    "SourceInt",
    "Style",
    "only",
    "place",
    "read",
    "source_from_bytes",
    "to_plain",
    "walk",
]
