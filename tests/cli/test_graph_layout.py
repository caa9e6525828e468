"""The geometry of a drawing: layers, order, room, straight lines."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.drawing.layout import Gaps, layers_of, place

BOX = (100.0, 40.0)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[tuple[float, float]], list[tuple[int, int]]]:
    """Boxes of several sizes, and arrows that lead from an earlier to a later one."""
    sizes = draw(st.lists(st.tuples(st.floats(20, 300), st.floats(20, 300)), max_size=16))
    count = len(sizes)
    pairs = [(a, b) for b in range(count) for a in range(b)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=30)) if pairs else []
    return sizes, edges


@given(graphs(), st.booleans())
def test_an_arrow_leads_forward_from_edge_to_edge(graph, down):
    sizes, edges = graph
    found = place(sizes, edges, down=down)

    axis = 1 if down else 0
    for (source, target), points in zip(edges, found.arrows, strict=True):
        assert points[0][axis] == pytest.approx(found.boxes[source][axis] + sizes[source][axis])
        assert points[-1][axis] == pytest.approx(found.boxes[target][axis])
        assert all(b[axis] >= a[axis] for a, b in pairwise(points))


@given(graphs(), st.booleans())
def test_boxes_keep_their_distance_and_stay_inside(graph, down):
    sizes, edges = graph
    found = place(sizes, edges, Gaps(layer=30, box=10, arrow=5), down=down)

    for at, ((x, y), (w, h)) in enumerate(zip(found.boxes, sizes, strict=True)):
        assert -0.01 <= x <= found.width - w + 0.01
        assert -0.01 <= y <= found.height - h + 0.01
        for (ox, oy), (ow, oh) in list(zip(found.boxes, sizes, strict=True))[at + 1 :]:
            apart = max(ox - x - w, x - ox - ow, oy - y - h, y - oy - oh)
            assert apart >= 9


@given(graphs())
def test_the_same_graph_is_always_placed_the_same(graph):
    assert place(*graph) == place(*graph)


def test_a_chain_is_one_straight_line():
    found = place([BOX, (100, 90), BOX], [(0, 1), (1, 2)])

    assert {y for points in found.arrows for _, y in points} == {45.0}


def test_a_fork_is_symmetrical_around_its_join():
    found = place([BOX] * 5, [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)])

    middles = [y + 20 for _, y in found.boxes]
    assert middles[0] == middles[2] == middles[4]
    assert middles[2] - middles[1] == middles[3] - middles[2]


def test_what_can_be_drawn_without_a_crossing_is():
    """Two pairs written crosswise come out side by side."""
    found = place([BOX] * 4, [(0, 3), (1, 2)])

    assert (found.boxes[0][1] < found.boxes[1][1]) == (found.boxes[3][1] < found.boxes[2][1])


def test_a_long_arrow_passes_beside_the_boxes_of_the_layers_between():
    found = place([BOX] * 4, [(0, 1), (1, 2), (2, 3), (0, 3)])

    _, *bends, _ = found.arrows[3]
    top = found.boxes[1][1]
    assert len(bends) == 4
    assert all(y < top or y > top + 40 for _, y in bends)
    assert len({y for _, y in bends}) == 1


def test_a_box_stands_behind_the_last_of_those_before_it():
    assert layers_of(4, [(0, 1), (1, 2), (0, 3), (2, 3)]) == [0, 1, 2, 3]


def test_nothing_is_placed_nowhere():
    found = place([], [])

    assert (found.boxes, found.width, found.height) == ((), 0, 0)


def test_a_circle_is_refused():
    with pytest.raises(ValueError, match="circle"):
        place([BOX, BOX], [(0, 1), (1, 0)])
