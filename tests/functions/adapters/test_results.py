"""A step's result is written once: claims, leases and what a repeated call is told."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest

from functions.adapters.results import DynamoResults
from functions.ports import Attempt, Claimed, Failure, Finished, InDoubt, InProgress, Place
from local.workflow import SETTINGS
from protocol.payloads import Envelope

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
PLACE = Place("run-1", "build")
ENVELOPE: Envelope = {
    "step": "build", "status": "succeeded", "attempt": 1, "started_at": "s", "timestamp": "t",
    "outputs": {"a": "é"},
}  # fmt: skip


def attempt(at: datetime = NOON) -> Attempt:
    return Attempt(at, at + timedelta(minutes=15))


@pytest.fixture
def results(dynamodb):
    return DynamoResults(dynamodb, SETTINGS.results_table)


def test_a_finished_step_gives_its_stored_result_to_every_later_claim(results):
    claim = results.claim(PLACE, attempt(), repeatable=False)
    results.finish(PLACE, claim.claim, ENVELOPE)
    assert results.claim(PLACE, attempt(), repeatable=True) == Finished(ENVELOPE)


def test_a_held_step_is_in_progress_until_its_lease_ends(results):
    results.claim(PLACE, attempt(), repeatable=True)
    later = NOON + timedelta(minutes=14)
    assert results.claim(PLACE, attempt(later), repeatable=True) == InProgress(
        NOON + timedelta(minutes=15)
    )


def test_after_the_lease_the_step_is_in_doubt_unless_it_may_be_repeated(results):
    results.claim(PLACE, attempt(), repeatable=False)
    later = NOON + timedelta(minutes=16)
    assert results.claim(PLACE, attempt(later), repeatable=False) == InDoubt(NOON.isoformat())
    assert isinstance(results.claim(PLACE, attempt(later), repeatable=True), Claimed)


def test_a_failed_attempt_lets_go_of_the_step(results):
    claim = results.claim(PLACE, attempt(), repeatable=False)
    results.fail(PLACE, claim.claim, Failure("E", "m", 3, {}), NOON)
    assert isinstance(results.claim(PLACE, attempt(), repeatable=False), Claimed)


def test_an_attempt_whose_claim_was_taken_over_changes_nothing(results):
    first = results.claim(PLACE, attempt(), repeatable=True)
    later = NOON + timedelta(minutes=16)
    second = results.claim(PLACE, attempt(later), repeatable=True)
    results.finish(PLACE, first.claim, {**ENVELOPE, "outputs": {"a": "late"}})
    results.finish(PLACE, second.claim, ENVELOPE)
    assert results.claim(PLACE, attempt(), repeatable=True) == Finished(ENVELOPE)


def test_of_many_claims_at_once_one_gets_the_step(results):
    outcomes = []
    start = threading.Barrier(8)

    def claim() -> None:
        start.wait()
        outcomes.append(results.claim(PLACE, attempt(), repeatable=True))

    threads = [threading.Thread(target=claim) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(outcome, Claimed) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, InProgress) for outcome in outcomes) == 7
