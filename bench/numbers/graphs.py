"""Graphs of real workflows, the machines that the compiler makes of them, and plays of these.

The graphs are the dependencies of 67 workflows that people wrote, `tests/data/dags.json`. A play
takes virtual time, and only its steps take any: what a makespan shows is the order of the states.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.asl_player import Machine, play
from tests.emitted import Happens, World, compiled

GRAPHS = Path(__file__).parents[2] / "tests" / "data" / "dags.json"
SHORTEST, LONGEST = 1, 800
"""Seconds that a step takes; whole, so that sums are exact."""


@dataclass(frozen=True)
class Graph:
    """A graph of steps; `edges` lead from a step to the steps that depend on it."""

    name: str
    steps: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]

    @cached_property
    def needs(self) -> Mapping[str, tuple[str, ...]]:
        """What each step depends on; every step stands behind what it depends on."""
        left = {step: tuple(a for a, b in self.edges if b == step) for step in self.steps}
        found: dict[str, tuple[str, ...]] = {}
        while left:
            step = next(step for step, needs in left.items() if found.keys() >= set(needs))
            found[step] = left.pop(step)
        return found


@dataclass(frozen=True, slots=True)
class Played:
    """A run that succeeded: the seconds it took, and the transitions that AWS bills."""

    makespan: float
    transitions: int


def graphs() -> tuple[Graph, ...]:
    """Return the graphs, from the smallest on."""
    return tuple(
        Graph(
            f"graph-{at:02}",
            tuple(f"s{step}" for step in range(one["steps"])),
            tuple((f"s{a}", f"s{b}") for a, b in one["edges"]),
        )
        for at, one in enumerate(json.loads(GRAPHS.read_text(encoding="utf-8")), start=1)
    )


def durations(graph: Graph, seed: int) -> Mapping[str, float]:
    """Return the seconds that each step takes, the same for the same seed."""
    chance = random.Random(f"{graph.name} {seed}")
    return {step: float(chance.randint(SHORTEST, LONGEST)) for step in graph.steps}


def critical_path(graph: Graph, durations: Mapping[str, float]) -> float:
    """Return the seconds below which no run of a graph can get, however it is carried out."""
    ends: dict[str, float] = {}
    for step, needs in graph.needs.items():
        ends[step] = max((ends[need] for need in needs), default=0.0) + durations[step]
    return max(ends.values())


def workflow(graph: Graph) -> dict[str, Any]:
    """Return a graph as a workflow of plain scripts."""
    return {
        "name": graph.name,
        "steps": [
            {"id": step, "run": "true", "depends_on": list(graph.needs[step])}
            for step in graph.steps
        ],
    }


def machine(graph: Graph) -> dict[str, Any]:
    """Return the machine that the compiler makes of a graph."""
    definition: dict[str, Any] = compiled(workflow(graph)).machines[0].definition
    return definition


def played(machine: Machine | Mapping[str, Any], durations: Mapping[str, float]) -> Played:
    """Play a machine whose tasks name their step in the payload, as the compiler's do.

    Each step is carried out once, and the run succeeds. For many plays of one definition, give
    it as a `Machine`.
    """
    world = World(lambda step, _: Happens(takes=durations[step]))
    given = {"inputs": {}, "run": {"id": "run-1", "attempt": 1}}
    told = play(machine, given, world)
    assert told.status == "SUCCEEDED", (told.error, told.cause)
    calls = [call.arguments["Payload"].get("step") for call in told.calls]
    called = [step for step in calls if step is not None]
    assert sorted(called) == sorted(durations), "a step was left out, or carried out twice"
    return Played(told.duration, told.transitions)
