"""The record that is kept is what the histories of a run's executions say, and nothing else."""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.functions.records.replay import (
    Played,
    bare,
    live_differences,
    news,
    office_of,
    random_play,
    tell,
)

SEEDS = range(12)
"""`python -m bench.records` plays 200, and larger ones."""
MOST_STEPS = 3


@cache
def play(seed: int) -> Played:
    return random_play(seed, MOST_STEPS)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_record_of_a_finished_run_equals_a_replay_of_its_history(seed):
    """Told late, twice and in any order, by events that may lack the input."""
    played = play(seed)
    office = office_of(played)
    told = news(office)
    told += random.Random(seed).choices(told, k=3)
    random.Random(seed).shuffle(told)
    tell(office, told)
    kept = office.runs.kept("r-1", 1)
    assert kept is not None
    assert bare(kept.record) == bare(played.record)
    assert all(item.settled for item in office.runs.items.values())


@settings(max_examples=12)
@given(st.sampled_from(SEEDS), st.randoms(use_true_random=False))
def test_news_in_any_order_give_the_same_items_and_records(seed, chance: random.Random):
    played = play(seed)
    offices = []
    for _ in range(2):
        office = office_of(played)
        told = news(office)
        told += chance.choices(told, k=2)
        chance.shuffle(told)
        tell(office, told)
        offices.append(office)
    one, other = offices
    assert one.runs.records == other.runs.records
    shown = [{name: item.summary() for name, item in o.runs.items.items()} for o in offices]
    assert shown[0] == shown[1]
    assert sorted(map(str, set_of(one))) == sorted(map(str, set_of(other)))


def set_of(office):
    """Return the events that are known to be published, each once."""
    return {(name, detail["event_id"]) for name, detail in office.bus.events}


@pytest.mark.parametrize("seed", SEEDS)
def test_what_a_live_record_is_certain_of_stays_so(seed):
    """At every moment of a run: a step's end, once told, is the one in the final record."""
    assert live_differences(play(seed)) == []
