"""The tables of a deployment, as data: what makes them reads this, and so do the tests.

Streams carry new and old images; `ttl` is the attribute by whose time (seconds since 1970)
DynamoDB deletes items, some day after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Index:
    """A global secondary index; `carries` are the attributes in it, None: all."""

    keys: tuple[str, ...]
    carries: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its keys (partition, then sort), all of them texts."""

    keys: tuple[str, ...]
    indexes: Mapping[str, Index] = field(default_factory=dict)
    stream: bool = False
    ttl: str | None = None


TABLES: Mapping[str, Table] = {
    "results": Table(("run", "step"), stream=True),
    "latches": Table(("latch",), ttl="expires_at"),
    "tasks": Table(("id", "part"), {"queue": Index(("queue", "due"))}, stream=True, ttl="ends"),
    "task-tokens": Table(("task",), ttl="ends"),
    "outbox": Table(("task", "sent"), ttl="ends"),
}
"""Each table by what it is called after the stage's name."""
