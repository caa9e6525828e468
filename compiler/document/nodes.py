"""A YAML file as located nodes: every key and value knows its place in the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TypeAlias

from compiler.source import Source, Span

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"


class Lost(str):
    """A scalar's value where the author's was not read, which is reported: only its text."""

    __slots__ = ()


class Style(Enum):
    """How a scalar was written."""

    PLAIN = auto()
    SINGLE = auto()
    DOUBLE = auto()
    LITERAL = auto()
    FOLDED = auto()


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar: `value` by the YAML 1.2 core schema, `text` as written (after YAML's escapes).

    A quoted or block scalar's `value` is its `text`; a `Lost` one's mistake is reported already,
    and nothing that follows from it is worth reporting. `span` covers the whole scalar, quotes
    and block indicator included; `offsets.place` finds a part of `text`.
    """

    value: None | bool | int | float | str
    text: str
    style: Style
    span: Span
    source: Source = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list of nodes."""

    items: tuple[Node, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys (always text) with their values, in the order written."""

    entries: tuple[tuple[Scalar, Node], ...]
    span: Span
    _places: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The entries by key, filled at the first question where looking through them is slow."""

    def get(self, key: str) -> Node | None:
        """Return the value under `key`, or None."""
        entry = self._entry(key)
        return None if entry is None else entry[1]

    def key(self, key: str) -> Scalar | None:
        """Return the key's own node, or None."""
        entry = self._entry(key)
        return None if entry is None else entry[0]

    def _entry(self, key: str) -> tuple[Scalar, Node] | None:
        if len(self.entries) <= _FEW:
            for entry in self.entries:
                if entry[0].text == key:
                    return entry
            return None
        if not self._places:  # of equal keys the first counts
            last = len(self.entries) - 1
            self._places.update(
                (name.text, last - at) for at, (name, _) in enumerate(reversed(self.entries))
            )
        place = self._places.get(key)
        return None if place is None else self.entries[place]


_FEW = 16
"""Entries of a mapping that are looked through one by one."""

Node: TypeAlias = "Scalar | Sequence | Mapping"
Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML document of a file.

    `aliases` says where a later pass wants to find what stands under another key (`needs` is
    `depends_on`) or behind items that were left out: the path it is known by, without its last
    part, and that part, to the key or index as written.
    """

    source: Source
    root: Node
    aliases: dict[tuple[Path, str | int], str | int] = field(
        default_factory=dict, repr=False, compare=False
    )

    def find(self, path: Path) -> Node | None:
        """Return the node at a path of keys and indices, or None."""
        if self.aliases:
            path = self.written(path)
        node: Node | None = self.root
        for part in path:
            if isinstance(node, Mapping) and isinstance(part, str):
                node = node.get(part)
            elif isinstance(node, Sequence) and isinstance(part, int) and part < len(node.items):
                node = node.items[part]
            else:
                return None
        return node

    def written(self, path: Path) -> Path:
        """Return a path with every key and index as the file has it."""
        aliases = self.aliases
        if not aliases:
            return path
        return tuple(aliases.get((path[:at], part), part) for at, part in enumerate(path))

    def key(self, path: Path) -> Scalar | None:
        """Return the key that a path ends in, or None."""
        above = self.find(path[:-1])
        last = self.written(path)[-1] if path else None
        return above.key(last) if isinstance(above, Mapping) and isinstance(last, str) else None

    def nearest(self, path: Path) -> Node:
        """Return the node at `path`, or the deepest one on the way to it."""
        for length in range(len(path), 0, -1):
            node = self.find(path[:length])
            if node is not None:
                return node
        return self.root


def walk(node: Node) -> Iterator[Node]:
    """Yield `node` and everything below it, parents first."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        if isinstance(here, Sequence):
            stack.extend(reversed(here.items))
        elif isinstance(here, Mapping):
            stack.extend(value for _, value in reversed(here.entries))
