"""How long runs take beside their graph's critical path: the compiler makes nothing wait."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from bench.numbers.graphs import Graph, critical_path, durations, graphs, machine, played
from bench.table import Group, Number
from tests.asl_player import Machine

PLAYS, QUICK_PLAYS = 3, 1
RANDOM, FEWEST_STEPS, MOST_STEPS = 60, 6, 24
QUICK_GRAPHS = 8
SEED = 2026


def group(*, quick: bool = False) -> Group:
    """Play the graphs of real workflows, and random ones."""
    plays = QUICK_PLAYS if quick else PLAYS
    real, made = graphs(), random_graphs()
    if quick:
        real, made = real[:QUICK_GRAPHS], made[:QUICK_GRAPHS]
    return Group(
        "Makespan beside the critical path",
        f"Virtual seconds of {plays} plays of each machine, its steps taking whole seconds at "
        "random, beside the critical path: what the longest chain of dependencies takes, below "
        "which no engine can get. Summed up, and the worst of all plays. Exactly 1 is kept.",
        (
            *_numbers(f"{len(real)} graphs of real workflows", real, plays),
            *_numbers(f"{len(made)} random graphs of up to {MOST_STEPS} steps", made, plays),
        ),
    )


def random_graphs() -> tuple[Graph, ...]:
    """Return graphs in which each step may depend on any of those before it."""
    chance = random.Random(SEED)
    return tuple(_random(f"random-{at:02}", chance) for at in range(RANDOM))


def _random(name: str, chance: random.Random) -> Graph:
    steps = tuple(f"s{at}" for at in range(chance.randint(FEWEST_STEPS, MOST_STEPS)))
    density = chance.uniform(0.05, 0.35)
    edges = tuple(
        (before, step)
        for at, step in enumerate(steps)
        for before in steps[:at]
        if chance.random() < density
    )
    return Graph(name, steps, edges)


def _numbers(what: str, found: Sequence[Graph], plays: int) -> Iterator[Number]:
    pairs = [pair for graph in found for pair in _played(graph, plays)]
    ours, shortest = (sum(pair[at] for pair in pairs) for at in (0, 1))
    worst = max(pairs, key=lambda pair: pair[0] / pair[1])
    for name, one, other in ((what, ours, shortest), (f"{what}: the worst play", *worst)):
        yield Number(name, one, "s", "critical path", other, most=1.0, is_counted=True)


def _played(graph: Graph, plays: int) -> Iterator[tuple[float, float]]:
    """Yield the seconds of plays, each with those of the critical path."""
    definition = Machine(machine(graph))
    for seed in range(plays):
        takes = durations(graph, seed)
        yield played(definition, takes).makespan, critical_path(graph, takes)
