"""Graphs beside an encoding by levels: ours is never late, and at a cost that is told."""

from __future__ import annotations

import pytest

from bench.numbers import levels
from bench.numbers.graphs import Graph, critical_path, durations, graphs, machine, played

LATE = Graph("late", ("a", "b", "c", "d"), (("a", "c"), ("b", "d")))
"""Two chains: by levels `c` waits for `b`, and `d` for `a`."""
TAKES = {"a": 10.0, "b": 100.0, "c": 200.0, "d": 1.0}


def test_all_graphs_stay_within_their_limits():
    numbers = levels.group(quick=True).numbers

    assert [(one.what, one.ours, one.ratio) for one in numbers if not one.is_kept] == []
    assert all(one.is_counted for one in numbers)


def test_a_level_waits_for_all_of_the_level_above():
    assert critical_path(LATE, TAKES) == 210
    assert played(machine(LATE), TAKES).makespan == 210
    assert played(levels.by_levels(LATE), TAKES).makespan == 300


def test_a_machine_that_makes_steps_wait_passes_a_limit(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(levels, "machine", levels.by_levels)

    numbers = levels.told([levels.measured(LATE, 2)]).numbers

    assert "makespan, latest run of ours" in [one.what for one in numbers if not one.is_kept]


def test_a_level_of_one_step_is_no_parallel():
    chain = Graph("chain", ("a", "b"), (("a", "b"),))

    assert [state["Type"] for state in levels.by_levels(chain)["States"].values()] == [
        "Task",
        "Task",
    ]


def test_states_are_counted_wherever_they_stand():
    each = {"Type": "Map", "ItemProcessor": {"States": {"x": {"Type": "Pass"}}}}
    fork = {"Type": "Parallel", "Branches": [{"States": {"each": each}}, {"States": {}}]}

    assert levels.states({"States": {"fork": fork, "end": {"Type": "Succeed"}}}) == 4


def test_what_steps_take_depends_on_graph_and_seed_alone():
    small, large = graphs()[0], graphs()[-1]

    assert durations(large, 1) == durations(large, 1)
    assert durations(large, 1) != durations(large, 2)
    assert durations(small, 1).keys() == set(small.steps)


def test_a_play_that_leaves_a_step_out_is_not_counted():
    with pytest.raises(AssertionError, match="left out"):
        played(levels.by_levels(LATE), {**TAKES, "e": 1.0})
