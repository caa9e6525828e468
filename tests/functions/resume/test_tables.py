"""Tables of results: DynamoDB's, and the one in memory that the tests of resumes work on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import pytest

from functions.adapters.results import DynamoResults
from functions.adapters.stored import DynamoStoredResults
from functions.domain.stored import AGAIN, DONE, SUCCEEDED, UNDONE, StoredResult
from functions.ports import Attempt, Claimed, Failure, Finished, InDoubt, Place
from local.engine import REGION, Engine
from local.tables import create_tables
from local.workflow import SETTINGS
from protocol.payloads import Envelope
from protocol.tables import RESULTS_KEPT, TABLES
from tests.functions.resume.memory import Results

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
PLACE = Place("run-1", "a")


class Dynamo(DynamoResults, DynamoStoredResults):
    """Both adapters as one, as the table is."""


@pytest.fixture(params=["memory", "dynamodb"])
def results(request: pytest.FixtureRequest):
    if request.param == "memory":
        yield Results()
        return
    with Engine({}):
        dynamodb = boto3.client("dynamodb", region_name=REGION)
        create_tables(dynamodb, ["results"])
        yield Dynamo(dynamodb, SETTINGS.results_table)


def attempt(number: int = 1, at: datetime = NOON, print_: str = "as before") -> Attempt:
    return Attempt(at, at + timedelta(minutes=15), number, print_)


def envelope(**outputs: Any) -> Envelope:
    at = NOON.isoformat()
    return {"step": "a", "status": "succeeded", "attempt": 1, "started_at": at, "timestamp": at,
            "outputs": outputs}  # fmt: skip


def finished(results: Any, path: str = "a", number: int = 1, **outputs: Any) -> StoredResult:
    """Have a step carried out; return its result."""
    place = Place("run-1", path)
    claim = results.claim(place, attempt(number), repeatable=False)
    assert isinstance(claim, Claimed)
    results.finish(place, claim.claim, envelope(**outputs))
    return the(results, path)


def the(results: Any, path: str = "a") -> StoredResult:
    return next(one for one in results.of_run("run-1") if one.path == path)


def claimed(results: Any, number: int = 2, **more: Any) -> Any:
    return results.claim(
        PLACE, attempt(number, NOON + timedelta(hours=1)), repeatable=False, **more
    )


def test_a_result_tells_when_and_for_which_attempt_of_the_run_it_was_made(results):
    result = finished(results, number=3, x=1)
    assert (result.status, result.run_attempt, result.attempt) == (SUCCEEDED, 3, 1)
    assert (result.outputs, result.at) == ({"x": 1}, NOON)
    assert result.lease is None


def test_an_attempt_under_way_tells_how_long_it_holds_the_step(results):
    results.claim(PLACE, attempt(), repeatable=True)
    result = the(results)
    assert (result.status, result.repeatable) == ("begun", True)
    assert result.lease == NOON + timedelta(minutes=15)


def test_a_result_that_is_let_go_is_there_to_be_seen_and_not_given_back(results):
    result = finished(results, x=1)
    assert results.let_go("run-1", result)
    gone = the(results)
    assert (gone.status, gone.was, gone.outputs) == (AGAIN, SUCCEEDED, {"x": 1})
    assert results.read(PLACE) is None
    assert isinstance(claimed(results), Claimed)
    again = the(results)
    assert (again.status, again.was, again.attempt, again.run_attempt) == ("begun", None, 2, 2)


def test_what_has_changed_since_it_was_read_is_not_let_go(results):
    old = finished(results)
    assert results.let_go("run-1", old)
    claim = claimed(results)
    results.finish(PLACE, claim.claim, envelope())
    assert not results.let_go("run-1", old)
    assert not results.recheck("run-1", old, ["b"])
    assert the(results).status == SUCCEEDED


def test_a_forgotten_attempt_that_ends_after_all_changes_nothing(results):
    claim = results.claim(PLACE, attempt(), repeatable=False)
    assert results.let_go("run-1", the(results))
    results.finish(PLACE, claim.claim, envelope(x="late"))
    assert the(results).status == AGAIN


def test_a_result_to_be_looked_at_says_so_and_can_be_replaced(results):
    result = finished(results, x=1)
    assert results.recheck("run-1", result, ["b", "c"])
    assert the(results).recheck
    found = claimed(results)
    assert found == Finished(envelope(x=1), ("b", "c"), "as before", result.claim)
    assert isinstance(claimed(results, over=found), Claimed)
    assert not isinstance(claimed(results, over=found), Claimed)


def test_a_result_that_is_sure_again_is_given_back_without_a_look(results):
    result = finished(results)
    results.recheck("run-1", result, [])
    results.recheck("run-1", the(results), None)
    assert claimed(results) == Finished(envelope())
    assert not the(results).recheck


def test_which_steps_were_carried_out_in_an_attempt_of_the_run(results):
    finished(results, "a/0", number=1)
    finished(results, "a/1", number=2)
    finished(results, "ab", number=3)
    assert results.carried_out("run-1", "a", 2)
    assert not results.carried_out("run-1", "a", 3)
    assert not results.carried_out("run-2", "a", 2)
    assert {one.path for one in results.of_step("run-1", "a")} == {"a/0", "a/1"}


def test_an_undo_first_takes_the_result_away_and_then_says_that_it_is_done(results):
    finished(results, x=1)
    assert not results.begin_undo("run-1", "a")
    begun = the(results)
    assert (begun.status, begun.was, begun.undo) == (UNDONE, SUCCEEDED, "begun")
    assert begun.may_be_there
    assert not results.begin_undo("run-1", "a")
    results.note_undone("run-1", "a")
    assert the(results).undo == DONE
    assert not the(results).may_be_there
    assert results.begin_undo("run-1", "a")
    assert isinstance(claimed(results), Claimed)
    assert the(results).undo is None


def test_what_an_attempt_gives_that_is_being_undone_is_not_stored(results):
    claim = results.claim(PLACE, attempt(), repeatable=False)
    results.begin_undo("run-1", "a")
    results.finish(PLACE, claim.claim, envelope(x="late"))
    result = the(results)
    assert (result.status, result.was) == (UNDONE, "begun")


def test_a_result_that_was_let_go_is_undone_as_what_it_was(results):
    results.let_go("run-1", finished(results))
    assert the(results).may_be_there
    results.begin_undo("run-1", "a")
    assert (the(results).status, the(results).was) == (UNDONE, SUCCEEDED)


def test_a_failure_that_had_no_effect_leaves_nothing_to_undo(results):
    claim = results.claim(PLACE, attempt(), repeatable=False)
    results.fail(PLACE, claim.claim, Failure("Broken", "it broke", None, {}), NOON)
    assert not the(results).may_be_there
    late = results.claim(PLACE, attempt(), repeatable=False)
    results.fail(PLACE, late.claim, Failure("StepTimedOut", "too late", None, {}), NOON)
    assert the(results).may_be_there


def test_a_person_tells_of_a_result(results):
    told = envelope(x="by hand")
    assert results.record_done("run-1", "a", 2, told, None)
    assert claimed(results) == Finished(told)
    assert not results.record_done("run-1", "a", 2, told, None)
    assert not results.record_done("run-1", "a", 2, told, "another")
    before = the(results).claim
    assert results.record_done("run-1", "a", 3, envelope(x="new"), before)
    assert (the(results).outputs, the(results).run_attempt) == ({"x": "new"}, 3)


def test_a_person_settles_what_is_in_doubt(results):
    claim = results.claim(PLACE, attempt(), repeatable=False)
    doubt = Failure("StepInDoubt", "who knows", None, {}, in_doubt=True)
    results.fail(PLACE, claim.claim, doubt, NOON)
    assert isinstance(claimed(results), InDoubt)
    assert results.record_done("run-1", "a", 2, envelope(), the(results).claim)
    assert the(results).error is None
    assert claimed(results) == Finished(envelope())


# --- how long they are kept ---------------------------------------------------------------------


def ends(dynamodb: Any) -> int:
    """Return when DynamoDB deletes the only result there is."""
    [item] = dynamodb.scan(TableName=SETTINGS.results_table)["Items"]
    return int(item[TABLES["results"].ttl]["N"])


CHANGES = {
    "let go": lambda table, result: table.let_go("run-1", result),
    "looked at again": lambda table, result: table.recheck("run-1", result, ["b"]),
    "kept as it is": lambda table, result: table.recheck("run-1", result, None),
    "undone": lambda table, _: table.begin_undo("run-1", "a"),
    "told by hand": lambda table, result: table.record_done(
        "run-1", "a", 2, envelope(x=2), result.claim
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_a_resume_or_an_undo_changes_is_kept_three_years_more(change):
    """A result that went while its run is resumed would have its step carried out twice."""
    with Engine({}):
        dynamodb = boto3.client("dynamodb", region_name=REGION)
        create_tables(dynamodb, ["results"])
        table = Dynamo(dynamodb, SETTINGS.results_table)
        result = finished(table, x=1)
        lease = NOON + timedelta(minutes=15)
        assert ends(dynamodb) == int((lease + timedelta(days=RESULTS_KEPT)).timestamp())
        long_gone = {":ends": {"N": "1"}}
        dynamodb.update_item(
            TableName=SETTINGS.results_table,
            Key={"run": {"S": "run-1"}, "step": {"S": "a"}},
            UpdateExpression="SET ends = :ends",
            ExpressionAttributeValues=long_gone,
        )

        change(table, result)

        left = ends(dynamodb) - datetime.now(UTC).timestamp()
        assert timedelta(days=RESULTS_KEPT - 1) < timedelta(seconds=left)


def test_results_outlast_two_attempts_of_a_run_with_all_the_time_there_is_between():
    assert RESULTS_KEPT > 2 * (365 + 90)
