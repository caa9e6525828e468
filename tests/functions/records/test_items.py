"""What is known of a run, whatever order the news of it come in."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.domain.records.executions import Execution
from functions.domain.records.item import (
    CLOSED,
    ENDED,
    Cancelling,
    End,
    Subject,
    announced,
    begun,
    cancelled_by,
    ended,
    next_attempt,
    paused,
    settled,
)
from tests.functions.records.memory import START, execution_arn

SUBJECT = Subject("w", "1", "w", "digest")


def attempt(number: int) -> Execution:
    """Return the execution of an attempt; each begins an hour after the one before."""
    name = "r" if number == 1 else f"r-{number}"
    return Execution(
        arn=execution_arn("w", name),
        machine="w",
        name=name,
        status="RUNNING",
        started_at=START + timedelta(hours=number),
        completed_at=None,
        input={"run": {"id": "r", "attempt": number, "started_by": "me@example.com"}},
    )


def end(number: int, *, closed: bool) -> End:
    return End(number, "failed", f"2026-01-01T0{number}:30:00.000Z", f"why {number}", closed)


NEWS = [
    *(("begun", number, False) for number in (1, 2, 3)),
    *(("ended", number, closed) for number in (1, 2) for closed in (False, True)),
]


STARTER = [("announced", 1, False)]
"""What whoever starts a run says: nothing, where there has been news of it."""


def told(news):
    """Return the item after some news."""
    item = None
    for what, number, closed in news:
        if what == "announced":
            given = attempt(number).input
            item = item or announced("r", SUBJECT, given, START + timedelta(hours=9))
            continue
        known = begun(item, attempt(number), SUBJECT)
        item = known if what == "begun" else ended(known, end(number, closed=closed))
    return item


@given(st.lists(st.sampled_from(NEWS), max_size=12), st.randoms(use_true_random=False))
def test_news_give_the_same_item_in_whatever_order_they_come(more, chance: random.Random):
    """Each at least once, some several times, all of them shuffled."""
    news = [*NEWS, *STARTER, *more]
    chance.shuffle(news)
    item = told(news)
    assert (item.attempt, item.status, item.phase, item.error) == (3, "running", 1, None)
    assert item.started_at == "2026-01-01T01:00:00.000Z"
    assert item.execution == attempt(3).arn
    assert item == told(NEWS)


def test_what_its_starter_says_is_of_a_run_that_goes_on():
    item = told(STARTER)
    assert (item.status, item.attempt, item.execution) == ("running", 1, "")
    assert (item.started_by, item.settled) == ("me@example.com", False)
    assert told([*STARTER, ("begun", 1, False)]) == told([("begun", 1, False)])
    assert told([*STARTER, ("ended", 1, True)]) == told([("ended", 1, True)])


def test_the_end_alone_is_enough():
    """An event of the end holds the input as well."""
    item = told([("ended", 1, True)])
    assert (item.status, item.phase, item.started_by) == ("failed", CLOSED, "me@example.com")


def test_what_follows_a_run_is_over_later_than_the_run():
    item = told([("ended", 1, False)])
    assert (item.phase, item.is_over) == (ENDED, True)
    assert settled(item, 1, CLOSED) == item
    item = ended(item, end(1, closed=True))
    assert item.phase == CLOSED
    assert settled(item, 1, CLOSED).settled
    assert ended(item, end(1, closed=False)) == item


def test_an_attempt_that_is_taken_begins_when_its_execution_does():
    item = next_attempt(told([("ended", 1, True)]), 2, "2026-01-02T00:00:00.000Z")
    assert (item.status, item.execution, item.error) == ("running", "", None)
    item = begun(item, attempt(2), SUBJECT)
    assert (item.execution, item.began_at) == (attempt(2).arn, "2026-01-01T02:00:00.000Z")
    assert item.started_at == "2026-01-01T01:00:00.000Z"


def test_a_run_that_is_over_is_neither_paused_nor_cancelled():
    over = told([("ended", 1, False)])
    assert paused(over, 1, is_paused=True) == over
    assert cancelled_by(over, Cancelling("me", "now")) == over


def test_the_first_wish_to_cancel_stays_and_the_second_may_have_the_run_undone():
    item = cancelled_by(told([("begun", 1, False)]), Cancelling("me", "now", compensate=True))
    assert cancelled_by(item, Cancelling("you", "later")) == item
    item = cancelled_by(told([("begun", 1, False)]), Cancelling("me", "now"))
    item = cancelled_by(item, Cancelling("you", "later", compensate=True))
    assert item.cancelling == Cancelling("me", "now", compensate=True)


@pytest.mark.parametrize(
    ("given", "role"),
    [
        ({"run": {"id": "r", "attempt": 1}}, "run"),
        ({"run": {"id": "c", "parent": "r", "root": "r"}}, "child"),
        ({"run": {"id": "r"}, "offset": 40, "items": [1]}, "chunk"),
        ({"run": {"id": "c", "parent": "r"}, "offset": 40, "items": [1]}, "chunk"),
        ({"run": {"id": "r"}, "failure": {"steps": []}}, "close"),
        ({}, "run"),
    ],
)
def test_an_execution_says_what_it_is_to_its_run(given, role):
    execution = replace(attempt(1), name="r-1-close", input=given)
    assert execution.role == role
