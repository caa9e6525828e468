"""Ancestors and cycles, against a second way of finding them."""

from __future__ import annotations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from compiler.check.graph import order


@st.composite
def graphs(draw: st.DrawFn, *, acyclic: bool) -> list[list[int]]:
    """Draw for each step the steps it depends on."""
    count = draw(st.integers(1, 12))
    needs = []
    for step in range(count):
        highest = step - 1 if acyclic else count - 1
        some = st.lists(st.integers(0, highest), max_size=4, unique=True)
        needs.append(draw(some) if highest >= 0 else [])
    return needs


@given(graphs(acyclic=True))
def test_ancestors_are_all_steps_on_the_way(needs: list[list[int]]):
    """As a library for graphs finds them; the sequence has each step after its ancestors."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_edges_from((need, step) for step, found in enumerate(needs) for need in found)
    graph.add_nodes_from(range(len(needs)))
    ordered = order(needs)
    assert ordered.cycles == ()
    for step in range(len(needs)):
        assert ordered.above[step] == sum(1 << before for before in nx.ancestors(graph, step))
    place = {step: at for at, step in enumerate(ordered.sequence)}
    assert all(place[need] < place[step] for step, found in enumerate(needs) for need in found)


@given(graphs(acyclic=False))
def test_a_cycle_is_found_exactly_where_there_is_one(needs: list[list[int]]):
    """Every cycle that is listed is one: each step depends on the next, the last on the first."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_edges_from((need, step) for step, found in enumerate(needs) for need in found)
    found = order(needs).cycles
    assert bool(found) == (not nx.is_directed_acyclic_graph(graph))
    for cycle in found:
        following = (*cycle[1:], cycle[0])
        assert all(after in needs[step] for step, after in zip(cycle, following, strict=True))


def test_a_chain_may_be_long():
    """No recursion: 10,000 steps one after the other."""
    count = 10_000
    ordered = order([[step - 1] if step else [] for step in range(count)])
    assert ordered.above[-1].bit_count() == count - 1


def test_a_long_cycle_is_listed_whole():
    """In the order in which the steps wait for each other."""
    count = 10_000
    assert len(order([[(step + 1) % count] for step in range(count)]).cycles[0]) == count
