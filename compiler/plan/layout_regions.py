"""What a layout is made of, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

TERMINAL_FORK = 2
"""States of a fork that ends the machine: Parallel, and the state that ends the run."""

JOINED_FORK = 2
"""States of a fork that something follows: Parallel and the Choice that joins."""

PASSED_FORK = 1
"""States of a fork that ends a branch: its Parallel, the result is passed up unjoined."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One step."""

    step: int


@dataclass(frozen=True, slots=True)
class Series:
    """Two or more items, none of them a Series, run one after the other."""

    items: tuple[Region, ...]


@dataclass(frozen=True, slots=True)
class Fork:
    """Two or more branches, none of them a Fork, started at once; ends when all have ended."""

    branches: tuple[Region, ...]


Region: TypeAlias = Leaf | Series | Fork


@dataclass(frozen=True, slots=True)
class Layout:
    """Nested regions, and the dependencies `(producer, consumer)` that they do not imply, sorted.

    A consumer waits immediately before it starts until its producers have ended; a producer
    signals once, right after it ended. `root` is None when there is no step.
    """

    root: Region | None
    latches: tuple[tuple[int, int], ...]


def cost(layout: Layout, terminal: int = TERMINAL_FORK) -> int:
    """States entered in a run in which every step succeeds at its first attempt.

    One for each step, each producer's signal and each consumer's wait, and those of the forks;
    `terminal` is what a fork that ends the machine takes.
    """
    states = len({producer for producer, _ in layout.latches})
    states += len({consumer for _, consumer in layout.latches})
    pending: list[tuple[Region, int]] = [] if layout.root is None else [(layout.root, terminal)]
    while pending:
        region, fork = pending.pop()
        match region:
            case Leaf():
                states += 1
            case Series(items):
                pending.extend((item, JOINED_FORK) for item in items[:-1])
                pending.append((items[-1], fork))
            case Fork(branches):
                states += fork
                pending.extend((branch, PASSED_FORK) for branch in branches)
    return states
