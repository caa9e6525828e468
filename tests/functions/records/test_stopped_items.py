"""What a record says of the items of a for_each that its first bad one ended."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from functions.domain.records.rows import ResultRow
from functions.domain.records.steps import Story, records_of
from functions.domain.records.timeline import StateTimes, Timeline
from protocol.status import Rule

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def state(after: int, until: int | None, **more: Any) -> StateTimes:
    exited = None if until is None else NOON + timedelta(seconds=until)
    return StateTimes(NOON + timedelta(seconds=after), order=after, exited=exited, **more)


def row(status: str, *, run_attempt: int = 1) -> ResultRow:
    at, error = NOON.isoformat(), "Broken" if status == "failed" else None
    ended = None if status == "begun" else at
    return ResultRow(status, 1, at, at, ended, {}, error, error, None, run_attempt=run_attempt)


def told(rows: dict[str, ResultRow], *, attempt: int = 1, around: tuple[int, ...] = ()) -> Any:
    """Return the record of a for_each of five: two were begun, the second was bad."""
    error = {"Error": "ItemsFailed", "Cause": "item 1 failed: Broken: Broken", "count": 5}
    timeline = Timeline()
    timeline.states = {
        ("patch", around): state(0, None, kind="Map"),
        ("patch.item", (*around, 0)): state(1, None),
        ("patch.item", (*around, 1)): state(2, 3, succeeded=False, error="Broken", cause="Broken"),
        ("patch.stopped", around): state(4, 5, output=json.dumps(error)),
    }
    story = Story([timeline], rows, whole=True, cut_off=False, attempt=attempt)
    (record,) = records_of({"patch": Rule("patch")}, story)
    return record


def test_every_item_is_there_and_what_had_begun_is_in_doubt():
    record = told({"patch/0": row("begun"), "patch/1": row("failed")})
    assert (record["status"], record["error"]["type"]) == ("failed", "ItemsFailed")
    assert record["completed_at"] == "2026-01-01T12:00:05.000Z"
    items = record["items"]
    assert [item["index"] for item in items] == [0, 1, 2, 3, 4]
    assert [item["status"] for item in items] == ["cancelled", "failed"] + ["cancelled"] * 3
    assert [item.get("in_doubt", False) for item in items] == [True] + [False] * 4
    assert items[2] == {"index": 2, "status": "cancelled"}
    assert record["outputs"] == [None] * 5


def test_an_item_that_went_on_behind_the_machines_back_was_cut_off_all_the_same():
    """A function is not stopped with the state that called it; what it stored comes too late."""
    record = told({"patch/0": row("succeeded"), "patch/1": row("failed")})
    assert record["items"][0]["status"] == "cancelled"


def test_an_item_that_a_resume_did_not_come_to_again_keeps_its_result():
    """What a resume let go, and did not come to, counts as never begun."""
    rows = {"patch/1": row("failed", run_attempt=2), "patch/2": row("succeeded")}
    rows |= {"patch/3": row("again"), "patch/4": row("failed")}
    items = told(rows, attempt=2)["items"]
    assert [item["status"] for item in items[2:]] == ["succeeded", "cancelled", "cancelled"]
    assert items[2]["kept"] is True


def test_items_of_a_for_each_inside_an_item_are_listed_for_that_item():
    record = told({"patch/3/1": row("failed")}, around=(3,))
    inner = [item for item in record["items"] if isinstance(item["index"], list)]
    assert [item["index"] for item in inner] == [[3, index] for index in range(5)]
    assert [item["status"] for item in inner] == ["cancelled", "failed"] + ["cancelled"] * 3
    assert record["status"] == "failed"
