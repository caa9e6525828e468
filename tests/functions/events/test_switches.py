"""Workflows that are disabled: their events wait, and start when they are enabled again."""

from __future__ import annotations

import pytest

from functions.event_ports import STALE
from functions.usecases.replay import find_event
from functions.usecases.switches import disable, enable
from tests.functions.events.kit import START, VISIBILITY, Killed, manifest, trigger


def test_events_of_a_disabled_workflow_wait_and_start_when_it_is_enabled(deployed):
    stage = deployed(manifest(trigger()), manifest(trigger(name="other"), id="other"))
    disable("release", stage.gate)
    for number in (1, 2, 1):
        assert stage.come({"n": number}, id=f"e{number}")
        stage.clock.forward(seconds=1)
    stage.post({"trigger": "other.other", "event": {}, "id": "e1"})
    assert stage.outcomes() == {"waiting": 2, "started": 1}
    enable("release", stage.gate)
    assert stage.queue.delays == [0, 2 * STALE]
    while stage.queue.waiting:
        assert stage.drain() == []
    assert stage.outcomes() == {"started": 3}
    given = [one["inputs"] for one in stage.inputs()]
    assert [one for one in given if one] == [{"n": 1}, {"n": 2}]


def test_an_event_that_a_late_call_laid_aside_is_found_as_well(stage):
    disable("release", stage.gate)
    late = stage.fresh()
    assert late.gate.switches.disabled() == {"release"}
    enable("release", stage.gate)
    first, second = stage.queue.waiting
    stage.queue.waiting.clear()
    stage.take(first)
    record = stage.queue.record({"trigger": "release.release-http", "event": {}, "id": "e1"})
    stage.take(record, intake=late)
    assert stage.outcomes() == {"waiting": 1}
    stage.clock.forward(seconds=2 * STALE)
    stage.take(second)
    stage.drain()
    assert stage.outcomes() == {"started": 1}


def test_disabled_again_they_go_on_waiting(stage):
    disable("release", stage.gate)
    stage.come(id="e1")
    enable("release", stage.gate)
    disable("release", stage.gate)
    while stage.queue.waiting:
        assert stage.drain() == []
    assert stage.outcomes() == {"waiting": 1}


def test_a_failed_event_waits_as_well(stage):
    stage.stepfunctions.delete_state_machine(
        stateMachineArn="arn:aws:states:us-east-1:123456789012:stateMachine:stepsmith-test-release"
    )
    assert not stage.come(id="e1")
    disable("release", stage.gate)
    assert stage.come(id="e1")
    assert stage.outcomes() == {"waiting": 1}


@pytest.mark.parametrize("point", range(8))
def test_a_call_that_starts_what_waited_may_be_cut_off_anywhere(stage, point):
    disable("release", stage.gate)
    stage.come(id="e1")
    enable("release", stage.gate)
    records = [*stage.queue.waiting]
    stage.queue.waiting.clear()
    stage.take(records[0])
    records = [*stage.queue.waiting]
    stage.queue.waiting.clear()
    with stage.calls.watched(point) as calls:
        try:
            stage.take(*records)
        except Killed:
            assert calls.names
    for _ in "12":
        stage.clock.at += VISIBILITY
        assert stage.take(*records) == []
    assert stage.outcomes() == {"started": 1}
    assert len(stage.executions) == 1


@pytest.mark.parametrize(
    ("missed", "started"), [("last", ["12"]), ("all", ["10", "11", "12"]), ("skip", [])]
)
def test_times_that_passed_meanwhile_run_as_the_schedule_says(deployed, missed, started):
    settings = {"cron": "0 * * * *", "timezone": "UTC", "missed": missed}
    stage = deployed(manifest(trigger("schedule", settings=settings), carries=["event"]))
    disable("release", stage.gate)
    for hour in (10, 11, 12):
        stage.clock.at = START.replace(hour=hour)
        stage.come({"scheduled_time": f"2026-11-30T{hour}:00:00Z"}, name="release-schedule")
    assert stage.outcomes() == {"waiting": 3}
    stage.clock.at = START.replace(hour=12, minute=30)
    enable("release", stage.gate)
    while stage.queue.waiting:
        assert stage.drain() == []
    assert [one["event"]["scheduled_time"][11:13] for one in stage.inputs()] == started
    assert stage.outcomes()["ignored"] == 3 - len(started)
    assert stage.outcomes()["waiting"] == 0


def test_what_waits_is_found_by_its_identity(stage):
    disable("release", stage.gate)
    stage.come({"a": 1}, id="e1")
    assert find_event("e1", stage.gate).sent.body == {"a": 1}
    assert find_event("e2", stage.gate) is None
