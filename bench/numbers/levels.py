"""Machines of real graphs beside the classical encoding by hand: a Parallel for each level.

A step's level is how many steps stand before it on the longest way to it. Nothing of a level
starts before all of the level above has ended, whether it depends on it or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from bench.numbers.graphs import (
    Graph,
    critical_path,
    durations,
    graphs,
    machine,
    played,
)
from bench.table import Group, Number
from tests.asl_player import Machine

DRAWS = 20
PEER = "by levels"
PATHS = "critical paths"
_RETRY = [
    {
        "ErrorEquals": [
            "Lambda.ClientExecutionTimeoutException",
            "Lambda.ServiceException",
            "Lambda.AWSLambdaException",
            "Lambda.SdkClientException",
            "Lambda.TooManyRequestsException",
        ],
        "IntervalSeconds": 2,
        "MaxAttempts": 6,
        "BackoffRate": 2,
    }
]


@dataclass(frozen=True, slots=True)
class Measured:
    """A graph, the states of ours and of the peer's machine, and the runs of both.

    `late` holds the makespans of both for each draw of durations, in critical paths.
    """

    graph: Graph
    states: tuple[int, int]
    transitions: tuple[int, int]
    late: tuple[tuple[float, float], ...]


def group(*, quick: bool = False) -> Group:
    """Play both encodings of all graphs; quick: two draws of durations."""
    draws = 2 if quick else DRAWS
    return told([measured(graph, draws) for graph in graphs()])


def measured(graph: Graph, draws: int) -> Measured:
    """Play both encodings of a graph with the same durations."""
    ours, theirs = machine(graph), by_levels(graph)
    machines = Machine(ours), Machine(theirs)
    late, transitions = [], (0, 0)
    for takes in (durations(graph, seed) for seed in range(draws)):
        path = critical_path(graph, takes)
        mine, peer = (played(one, takes) for one in machines)
        late.append((mine.makespan / path, peer.makespan / path))
        transitions = mine.transitions, peer.transitions  # the same in each
    return Measured(graph, (states(ours), states(theirs)), transitions, tuple(late))


def told(found: Sequence[Measured]) -> Group:
    """Return the numbers of all graphs."""
    steps = sum(len(one.graph.steps) for one in found)
    late = [one for one in found if median(theirs for _, theirs in one.late) > 1]
    runs, late_runs = ([pair for one in some for pair in one.late] for some in (found, late))
    numbers = (
        Number(
            "makespan, latest run of ours",
            max(ours for ours, _ in runs),
            PATHS,
            most=1.0,
            is_counted=True,
        ),
        _makespan("latest run", max, runs, 0.7),
        _makespan("mean run", fmean, runs, 0.97),
        _makespan("median run", median, runs, 1.0),
        _makespan("median run where levels are late", median, late_runs, 0.95),
        _counted("transitions, green run", [one.transitions for one in found], steps, 1.4),
        _counted("states of the definition", [one.states for one in found], steps, 2.6),
    )
    how = (
        f"The graphs of {len(found)} workflows that people wrote ({steps} steps), compiled by us, "
        "and encoded by levels: a Parallel of plain Tasks for each level of the graph, a Task "
        "where it holds one step. Both are played in virtual time with the same durations, "
        f"{len(found[0].late)} draws a graph, of 1 to 800 s a step. Makespans are in critical "
        "paths, below which no engine can get. A level waits for all of the level above: in the "
        f"median of its draws that makes {len(late)} graphs late. What ours has on top is what "
        "makes it early (latches between branches, each a signal and a wait), a Pass that reads "
        "the input, and states for failures, which a green run does not enter: a failed step "
        "stops what needs it and nothing else, where by levels it stops the run."
    )
    return Group("Makespan and states beside an encoding by levels", how, numbers)


def _makespan(
    which: str,
    figure: Callable[[Iterable[float]], float],
    runs: Sequence[tuple[float, float]],
    most: float,
) -> Number:
    ours, theirs = (figure([run[side] for run in runs]) for side in (0, 1))
    return Number(f"makespan, {which}", ours, PATHS, PEER, theirs, most, is_counted=True)


def _counted(what: str, pairs: Sequence[tuple[int, int]], steps: int, most: float) -> Number:
    ours, theirs = (sum(pair[side] for pair in pairs) / steps for side in (0, 1))
    return Number(what, ours, "a step", PEER, theirs, most, is_counted=True)


def by_levels(graph: Graph) -> dict[str, Any]:
    """Return a graph's machine as it is classically written by hand."""
    level: dict[str, int] = {}
    for step, needs in graph.needs.items():
        level[step] = 1 + max((level[need] for need in needs), default=0)
    names = [f"level-{at}" for at in range(1, 1 + max(level.values()))]
    states: dict[str, Any] = {}
    for at, name in enumerate(names, start=1):
        onward = {"Next": names[at]} if at < len(names) else {"End": True}
        steps = [step for step in graph.steps if level[step] == at]
        if len(steps) == 1:
            states[name] = _task(steps[0]) | onward
        else:
            branches = [
                {"StartAt": step, "States": {step: _task(step) | {"End": True}}} for step in steps
            ]
            states[name] = {"Type": "Parallel", "Branches": branches} | onward
    return {"QueryLanguage": "JSONata", "StartAt": names[0], "States": states}


def _task(step: str) -> dict[str, Any]:
    return {
        "Type": "Task",
        "Resource": "arn:aws:states:::lambda:invoke",
        "Arguments": {"FunctionName": "${action:run}", "Payload": {"step": step}},
        "Retry": _RETRY,
        "Output": None,
    }


def states(flow: Mapping[str, Any]) -> int:
    """Return how many states a definition holds, those inside others included."""
    return sum(1 + sum(map(states, inner(state))) for state in flow["States"].values())


def inner(state: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the flows inside a state."""
    yield from state.get("Branches", ())
    if "ItemProcessor" in state:
        yield state["ItemProcessor"]
