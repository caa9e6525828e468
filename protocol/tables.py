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


def _of_events(*keys: str) -> Index:
    """Return an index of events with what lists of them show: all but what was sent."""
    shown = ("about", "claim", "deliveries", "error", "outcome", "problems", "run_id", "workflow")
    return Index(keys, tuple(name for name in shown if name not in keys))


def _of_runs(*keys: str) -> Index:
    """Return an index of runs with what lists of them show; runs that were called are in none."""
    carried = ("workflow", "status", "starter", "summary")
    return Index(keys, tuple(name for name in carried if name not in keys))


TABLES: Mapping[str, Table] = {
    "results": Table(("run", "step"), stream=True, ttl="ends"),
    "latches": Table(("latch",), ttl="expires_at"),
    "tasks": Table(("id", "part"), {"queue": Index(("queue", "due"))}, stream=True, ttl="ends"),
    "task-tokens": Table(("task",), ttl="ends"),
    "outbox": Table(("task", "sent"), ttl="ends"),
    "events": Table(
        ("id",),
        {
            "time": _of_events("all", "received_at"),
            "workflow": _of_events("workflow", "received_at"),
            "outcome": _of_events("outcome", "received_at"),
            "source": _of_events("source_id", "received_at"),
        },
        ttl="ends",
    ),
    "runs": Table(
        ("run", "part"),
        {
            "time": _of_runs("listed", "started_at"),
            "ids": _of_runs("listed", "run"),
            "workflow": _of_runs("workflow", "started_at"),
            "status": _of_runs("status", "started_at"),
            "starter": _of_runs("starter", "started_at"),
            "open": Index(("open", "looked_at"), ()),
        },
        ttl="ends",
    ),
}
"""Each table by what it is called after the stage's name."""

RESULTS_KEPT = 1096
"""Days after the last change of a step's stored result for which it is kept.

An attempt of a run takes a year at most, and can be resumed for 90 days more; a resume changes what
it keeps. Three years are more than two such attempts after each other."""
