"""Concurrency groups: who goes on, who waits, who is refused or stopped."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.domain.lock import Claimant, Group, Turn, asked, ended, group_name, told


def claimant(name, limit=1):
    return Claimant(name, f"token of {name}", limit)


def names(claimants):
    return [one.execution for one in claimants]


def held(*holders, queue=()):
    return Group(tuple(map(claimant, holders)), tuple(map(claimant, queue)))


def test_a_free_group_is_given_at_once():
    turn = asked(Group(), claimant("a"), "queue")
    assert (names(turn.granted), names(turn.group.holders)) == (["a"], ["a"])


def test_a_taken_group_lets_the_next_ones_wait_in_their_order():
    turn = asked(held("a", queue=["b"]), claimant("c"), "queue")
    assert (turn.granted, names(turn.group.queue)) == ((), ["b", "c"])
    assert names(ended(turn.group, "a").granted) == ["b"]


def test_a_taken_group_refuses_who_rejects():
    turn = asked(held("a"), claimant("b"), "reject")
    assert (names(turn.refused), turn.group) == (["b"], held("a"))


def test_the_newest_run_stops_the_holder_and_supersedes_who_waits():
    turn = asked(held("a", queue=["b"]), claimant("c"), "cancel_running")
    assert (names(turn.stopped), names(turn.group.superseded)) == (["a"], ["b"])
    assert names(ended(turn.group, "a").granted) == ["c"]


def test_the_newest_run_asks_for_the_same_when_it_asks_again():
    """Its call may have died before it stopped and told anybody."""
    first = asked(held("a", queue=["b"]), claimant("c"), "cancel_running")
    again = asked(first.group, Claimant("c", "a new token"), "cancel_running")
    assert (names(again.stopped), names(again.group.superseded)) == (["a"], ["b"])
    free = ended(again.group, "a")
    assert (free.stopped, names(free.group.superseded)) == ((), ["b"])
    assert asked(free.group, claimant("c"), "cancel_running").stopped == ()


def test_who_was_told_that_it_is_superseded_is_forgotten():
    group = asked(held("a", queue=["b"]), claimant("c"), "cancel_running").group
    later = asked(group, claimant("d"), "cancel_running").group
    assert names(told(later, group.superseded).group.superseded) == ["c"]


def test_as_many_hold_a_group_as_its_limit_says():
    turn = asked(held("a"), claimant("b", limit=2), "queue")
    assert names(turn.granted) == ["b"]


def test_who_asks_again_keeps_the_place_under_the_new_token():
    again = Claimant("b", "a new token")
    turn = asked(held("a", queue=["b"]), again, "queue")
    assert turn.group.queue == (again,)
    assert asked(held("b"), again, "reject").granted == (again,)


@pytest.mark.parametrize("token", [700, 2048])
def test_more_than_an_item_holds_is_refused_and_the_others_go_on_in_their_order(token):
    group, number, turn, run = held("run-0"), 0, Turn(Group()), claimant("run-0")
    while not turn.refused:
        number += 1
        run = Claimant(f"arn:aws:states:eu-central-1:1:execution:m:run-{number}", "t" * token)
        turn = asked(group, run, "queue")
        group = turn.group
    assert turn.refused == (run,)
    assert 100 < number < 500
    assert len(json.dumps(asdict(group))) < 390_000
    assert ended(group, "run-0").granted == (group.queue[0],)
    after = ended(group, "run-0", group.queue[0].execution).group
    assert asked(after, run, "queue").group.queue[-1] == run


def test_the_end_of_who_waits_or_of_a_stranger_lets_nobody_on():
    assert ended(held("a", queue=["b"]), "b").group == held("a")
    assert ended(held("a"), "x").group == held("a")


def test_a_group_s_name_is_the_text_of_what_the_author_wrote():
    assert (group_name("deploy"), group_name(7), group_name(None)) == ("deploy", "7", "null")


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abcdef"), st.sampled_from(["queue", "reject", "cancel_running", "end"])
        ),
        max_size=30,
    )
)
def test_never_more_than_one_holds_a_group_and_nobody_waits_for_a_free_one(happenings):
    group, gone = Group(), set()
    for name, what in happenings:
        if what == "end":
            gone.add(name)
            group = ended(group, name).group
        elif name not in gone:
            group = asked(group, claimant(name), what).group
        assert len(group.holders) <= 1
        assert group.holders or not group.queue
        assert len({*names(group.holders), *names(group.queue)}) == len(group.holders) + len(
            group.queue
        )
