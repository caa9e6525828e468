"""A layout starts every step exactly when its dependencies have ended, and enters few states."""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.plan.graph import ancestors, members, reduce
from compiler.plan.layout import MAX_DEPTH, Fork, Layout, Leaf, Region, Series, cost, layout

Graph = Sequence[Collection[int]]

REAL = json.loads((Path(__file__).parents[2] / "data" / "dags.json").read_text())


def real_graphs() -> list[list[list[int]]]:
    """The dependency graphs of 67 public workflows."""
    graphs: list[list[list[int]]] = []
    for entry in REAL:
        graph: list[list[int]] = [[] for _ in range(entry["steps"])]
        for need, step in entry["edges"]:
            graph[step].append(need)
        graphs.append(graph)
    return graphs


def leaves(root: Region | None) -> Iterator[int]:
    """The steps of a region, in the order in which they are written."""
    pending = [] if root is None else [root]
    while pending:
        region = pending.pop()
        if isinstance(region, Leaf):
            yield region.step
        else:
            inner = region.items if isinstance(region, Series) else region.branches
            pending.extend(reversed(inner))


class Events:
    """Events that happen when all that they wait for have happened, and last a while."""

    def __init__(self) -> None:
        self.waits_for: list[list[int]] = []
        self.lasting: list[float] = []

    def add(self, *before: int, lasting: float = 0) -> int:
        self.waits_for.append(list(before))
        self.lasting.append(lasting)
        return len(self.lasting) - 1

    def times(self) -> list[float]:
        """When each event is over; fails on a deadlock."""
        missing = [len(before) for before in self.waits_for]
        behind: list[list[int]] = [[] for _ in missing]
        for at, before in enumerate(self.waits_for):
            for other in before:
                behind[other].append(at)
        ready = [at for at, count in enumerate(missing) if not count]
        time = [0.0] * len(missing)
        for at in ready:
            time[at] = max((time[o] for o in self.waits_for[at]), default=0) + self.lasting[at]
            for other in behind[at]:
                missing[other] -= 1
                if not missing[other]:
                    ready.append(other)
        assert len(ready) == len(missing), "deadlock"
        return time


def simulate(plan: Layout, durations: Sequence[float]) -> list[tuple[float, float]]:
    """Run a layout as a machine would: start and end of each step."""
    events = Events()
    begin: dict[int, int] = {}
    end: dict[int, int] = {}
    pending = [] if plan.root is None else [(plan.root, events.add(), events.add())]
    while pending:
        region, first, last = pending.pop()
        if isinstance(region, Leaf):
            begin[region.step] = events.add(first)
            end[region.step] = events.add(begin[region.step], lasting=durations[region.step])
            events.waits_for[last].append(end[region.step])
        elif isinstance(region, Series):
            for item in region.items[:-1]:
                done = events.add()
                pending.append((item, first, done))
                first = done
            pending.append((region.items[-1], first, last))
        else:
            pending.extend((branch, first, last) for branch in region.branches)
    for producer, consumer in plan.latches:
        events.waits_for[begin[consumer]].append(end[producer])
    time = events.times()
    return [(time[begin[step]], time[end[step]]) for step in range(len(durations))]


def nested_pairs(root: Region | None) -> set[tuple[int, int]]:
    """Every pair of steps that the regions alone put one after the other."""
    pairs: set[tuple[int, int]] = set()
    pending = [] if root is None else [root]
    while pending:
        region = pending.pop()
        if isinstance(region, Series):
            before: list[int] = []
            for item in region.items:
                inside = list(leaves(item))
                pairs.update((a, b) for a in before for b in inside)
                before += inside
            pending.extend(region.items)
        elif isinstance(region, Fork):
            pending.extend(region.branches)
    return pairs


def latches_of(graph: Graph, root: Region | None) -> set[tuple[int, int]]:
    """The direct dependencies that the regions do not give."""
    direct = {(need, step) for step, mask in enumerate(reduce(graph)) for need in members(mask)}
    return direct - nested_pairs(root)


def check(graph: Graph, plan: Layout, durations: Sequence[float]) -> None:
    assert sorted(leaves(plan.root)) == list(range(len(graph)))
    assert list(plan.latches) == sorted(set(plan.latches))
    times = simulate(plan, durations)
    for step, needs in enumerate(graph):
        assert times[step][0] == max((times[need][1] for need in needs), default=0)


def check_shape(root: Region | None) -> None:
    pending = [] if root is None else [root]
    while pending:
        region = pending.pop()
        if isinstance(region, Leaf):
            continue
        inner = region.items if isinstance(region, Series) else region.branches
        assert len(inner) >= 2
        assert not any(isinstance(item, type(region)) for item in inner)
        if isinstance(region, Fork):
            lowest = [min(leaves(branch)) for branch in inner]
            assert lowest == sorted(lowest)
        pending.extend(inner)


def random_graph(rng: random.Random, most: int) -> list[list[int]]:
    """Any density, from unlinked to complete, with indices in no useful order."""
    count = rng.randint(1, most)
    density = rng.choice((0.5, 1, 1.5, 2, 3, 6)) / count
    near = rng.choice((3, 10, count))
    names = list(range(count))
    rng.shuffle(names)
    graph: list[list[int]] = [[] for _ in names]
    for at in range(count):
        for other in range(max(0, at - near), at):
            if rng.random() < density * count / min(near, count):
                graph[names[at]].append(names[other])
    return graph


@pytest.mark.parametrize("seed", range(10))
def test_every_step_of_500_random_graphs_starts_when_its_last_dependency_ends(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(50):
        graph = random_graph(rng, 60)
        plan = layout(graph)
        check(graph, plan, [rng.random() for _ in graph])
        check_shape(plan.root)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_any_small_graph_keeps_its_order(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 9))
    graph = [data.draw(st.sets(st.integers(0, at - 1))) if at else set() for at in range(count)]
    durations = data.draw(st.lists(st.integers(0, 5), min_size=count, max_size=count))
    check(graph, layout(graph), durations)


def test_every_step_of_the_real_graphs_starts_when_its_last_dependency_ends() -> None:
    rng = random.Random(1)
    for graph in real_graphs():
        for _ in range(5):
            check(graph, layout(graph), [rng.random() for _ in graph])


def test_only_direct_dependencies_that_do_not_nest_are_latches() -> None:
    rng = random.Random(2)
    for graph in [*real_graphs(), *(random_graph(rng, 40) for _ in range(50))]:
        plan = layout(graph)
        assert set(plan.latches) == latches_of(graph, plan.root)


def every_region(steps: tuple[int, ...], above: Sequence[int]) -> Iterator[Region]:
    """All regions of some steps whose order is part of the graph's."""
    if len(steps) == 1:
        yield Leaf(steps[0])
        return
    for chosen in range(1, 2 ** len(steps) - 1):
        first = tuple(step for at, step in enumerate(steps) if chosen >> at & 1)
        second = tuple(step for step in steps if step not in first)
        follows = all(above[later] >> step & 1 for step in first for later in second)
        for one in every_region(first, above):
            for other in every_region(second, above):
                if follows and not isinstance(one, Series):
                    rest = other.items if isinstance(other, Series) else (other,)
                    yield Series((one, *rest))
                if steps[0] in first and not isinstance(one, Fork):
                    rest = other.branches if isinstance(other, Fork) else (other,)
                    yield Fork((one, *rest))


def test_no_layout_of_any_graph_of_four_steps_is_cheaper() -> None:
    pairs = list(combinations(range(4), 2))
    for chosen in range(2 ** len(pairs)):
        graph: list[list[int]] = [[] for _ in range(4)]
        for at, (need, step) in enumerate(pairs):
            if chosen >> at & 1:
                graph[step].append(need)
        every = every_region((0, 1, 2, 3), ancestors(graph))
        cheapest = min(cost(Layout(root, tuple(latches_of(graph, root)))) for root in every)
        assert cost(layout(graph)) == cheapest


def test_the_real_graphs_take_at_most_1_45_states_a_step() -> None:
    graphs = real_graphs()
    assert sum(map(len, graphs)) == 493
    assert sum(cost(layout(graph)) for graph in graphs) <= 713


def test_a_graph_that_nests_has_no_latch() -> None:
    diamond = [[], [0], [0], [1, 2]]
    plan = layout(diamond)
    assert plan == Layout(Series((Leaf(0), Fork((Leaf(1), Leaf(2))), Leaf(3))), ())
    assert cost(plan) == 6


def test_the_smallest_graph_that_does_not_nest_has_one_latch() -> None:
    """Steps a, b; c after a; d after a and b: c does not wait for b."""
    plan = layout([[], [], [0], [0, 1]])
    assert len(plan.latches) == 1
    assert simulate(plan, [1, 60, 1, 1]) == [(0, 1), (0, 60), (1, 2), (60, 61)]


def test_no_steps_have_no_region_and_one_step_is_a_leaf() -> None:
    assert layout([]) == Layout(None, ())
    assert layout([[]]) == Layout(Leaf(0), ())


def test_redundant_dependencies_change_nothing() -> None:
    assert layout([[], [0], [0, 1], [0, 1, 2]]) == layout([[], [0], [1], [2]])


def test_a_cycle_is_refused() -> None:
    with pytest.raises(ValueError, match="cycle"):
        layout([[1], [0]])


def test_steps_beside_a_part_do_not_change_its_layout() -> None:
    """An unlinked step added to a workflow adds a branch and changes nothing else."""
    for graph in real_graphs():
        plan, wider = layout(graph), layout([*graph, []])
        branches = plan.root.branches if isinstance(plan.root, Fork) else (plan.root,)
        assert wider == Layout(Fork((*branches, Leaf(len(graph)))), plan.latches)


def test_the_same_graph_gives_the_same_layout_in_whatever_order_dependencies_are_written() -> None:
    for graph in real_graphs():
        assert layout(graph) == layout([needs[::-1] for needs in graph])


def depth(root: Region | None) -> int:
    """How many forks are inside one another."""
    deepest = 0
    pending = [] if root is None else [(root, 0)]
    while pending:
        region, forks = pending.pop()
        deepest = max(deepest, forks)
        if isinstance(region, Fork):
            pending.extend((branch, forks + 1) for branch in region.branches)
        elif isinstance(region, Series):
            pending.extend((item, forks) for item in region.items)
    return deepest


def spine(length: int, crossed: int) -> list[list[int]]:
    """A chain with a step hung on each link; the last `crossed` of these need their neighbour."""
    graph: list[list[int]] = [[]]
    for at in range(length):
        graph += [[2 * at], [2 * at]]
        if at >= length - crossed:
            graph[-2].append(2 * at - 1)
    return graph


@pytest.mark.parametrize("length", [5, 40, 200])
@pytest.mark.parametrize("crossed", [0, 2, 12])
def test_forks_nest_to_a_limit(length: int, crossed: int) -> None:
    """A spine would nest as deep as it is long, and what was searched for lies at its end."""
    graph = spine(length, min(crossed, length - 1))
    plan = layout(graph)
    check(graph, plan, [1 + at % 7 for at in range(len(graph))])
    assert depth(plan.root) <= MAX_DEPTH


def large_graphs() -> Iterator[list[list[int]]]:
    rng = random.Random(3)
    yield [[at - 1] if at else [] for at in range(5000)]
    yield [
        rng.sample(range(at // 10 * 10 - 10, at // 10 * 10), 2) if at >= 10 else []
        for at in range(5000)
    ]
    yield [rng.sample(range(at), min(at, rng.randint(1, 4))) for at in range(1000)]
    yield [rng.sample(range(max(0, at - 50), at), min(at, rng.randint(1, 4))) for at in range(1000)]


@pytest.mark.parametrize("graph", list(large_graphs()), ids=["chain", "layers", "random", "near"])
def test_large_graphs_are_planned_without_recursion(graph: list[list[int]]) -> None:
    rng = random.Random(4)
    check(graph, layout(graph), [rng.random() for _ in graph])


@pytest.mark.parametrize("seed", range(3))
def test_ancestors_and_reduction_agree_with_a_search_of_paths(seed: int) -> None:
    graph = random_graph(random.Random(seed), 30)

    def reach(step: int) -> set[int]:
        return {above for need in graph[step] for above in {need, *reach(need)}}

    for step, mask in enumerate(ancestors(graph)):
        assert set(members(mask)) == reach(step)
    for step, mask in enumerate(reduce(graph)):
        implied = {above for need in graph[step] for above in reach(need)}
        assert set(members(mask)) == set(graph[step]) - implied
