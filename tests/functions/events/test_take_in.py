"""An event at a trigger: it starts one run, and what happened to it can be looked up."""

from __future__ import annotations

import json
import threading
from datetime import timedelta

import pytest

from functions.domain.events import MOST_DEPTH, event_id
from functions.usecases.claim import LEASE
from functions.usecases.replay import find_event
from tests.functions.events.kit import START, manifest, trigger

CONTRACT = {
    "type": "object",
    "properties": {"env": {"type": "string"}, "count": {"type": "integer", "default": 1}},
    "required": ["env"],
}


def test_an_event_starts_a_run(stage):
    assert stage.come({"env": "test"}, id="e1")
    [event] = stage.events()
    [given] = stage.inputs()
    assert (event.outcome, event.run_id) == ("started", given["run"]["id"])
    assert given["inputs"] == {"env": "test"}
    assert given["run"]["manifest"] == stage.deployed["release"]["digest"]
    assert given["run"]["event_id"] == "e1"
    assert stage.executions[0].name == event.run_id


def test_a_new_event_costs_four_calls_and_a_duplicate_one(stage):
    stage.come(id="first")  # keeps the manifest and reads the switches
    with stage.calls.watched() as calls:
        stage.come(id="e1")
        assert calls.names == ["UpdateItem", "StartExecution", "PutItem", "UpdateItem"]
    with stage.calls.watched() as calls:
        stage.come(id="e1")
        assert calls.names == ["UpdateItem"]
    assert len(stage.executions) == 2


def test_duplicates_are_counted_and_listed(stage):
    for name in ("e1", "e2", "e1", "e1"):
        stage.come(id=name)
    assert [(one.source_id, one.deliveries) for one in stage.events(duplicates=True)] == [("e1", 3)]
    assert len(stage.executions) == 2


def test_an_event_is_kept_as_it_was_sent(stage):
    sent = {"event": {"a": [1.5, "ä", None]}, "headers": {"x-request-id": "1"}, "source": "ci"}
    stage.post({"trigger": "release.release-http", "id": "e1", **sent})
    event = find_event("e1", stage.gate)
    assert event.sent.body == sent["event"]
    assert event.sent.headers == {"x-request-id": "1"}
    assert (event.sent.source, event.received_at) == ("ci", START)


def test_an_event_that_is_not_asked_for_is_kept_with_the_reason(deployed):
    stage = deployed(manifest(trigger(condition=["==", ["ref", "event", "env"], "live"])))
    with stage.calls.watched() as calls:
        assert stage.come({"env": "test"}, id="e1")
        assert calls.names == ["UpdateItem"]
    [event] = stage.events()
    assert event.outcome == "ignored"
    assert "condition does not hold" in event.problems[0]["detail"]


def test_an_event_with_wrong_inputs_is_kept_with_all_that_is_wrong(deployed):
    stage = deployed(manifest(trigger(), inputs=CONTRACT))
    assert stage.come({"count": "many"}, id="e1")
    [event] = stage.events()
    assert event.outcome == "rejected"
    assert [one["pointer"] for one in event.problems] == ["/count", "/env"]
    assert stage.executions == []


def test_a_rejected_event_reserves_nothing(deployed):
    key = ["ref", "event", "order"]
    stage = deployed(manifest(trigger(dedupe={"key": key}), inputs=CONTRACT))
    stage.come({"order": 1}, id="e1")
    stage.come({"order": 1, "env": "test"}, id="e2")
    assert stage.outcomes() == {"rejected": 1, "started": 1}
    assert stage.inputs()[0]["inputs"] == {"env": "test", "count": 1}


def test_a_key_of_the_author_makes_different_events_one(deployed):
    stage = deployed(manifest(trigger(dedupe={"key": ["ref", "event", "order"]})))
    stage.come({"order": 1, "at": "noon"}, id="e1")
    stage.come({"order": 1, "at": "five"}, id="e2")
    [event] = stage.events()
    assert (event.deliveries, event.source_id) == (2, "e1")
    assert [one["inputs"]["at"] for one in stage.inputs()] == ["noon"]


def test_behind_its_window_an_event_is_a_new_one(deployed):
    stage = deployed(manifest(trigger(dedupe={"window": 600})))
    stage.come(id="e1")
    stage.clock.forward(seconds=599)
    stage.come(id="e1")
    assert len(stage.executions) == 1
    stage.clock.forward(seconds=2)
    stage.come({"more": 1}, id="e1")
    stage.come({"more": 1}, id="e1")
    assert len(stage.runs()) == 2
    old, new = stage.events()
    assert (old.run_id, old.deliveries) == (stage.executions[0].name, 2)
    assert (new.run_id, new.deliveries) == (stage.executions[1].name, 2)


def test_a_claim_holds_until_its_lease_is_over(stage):
    """Who comes meanwhile comes again later; then it is taken over, with what was sent first."""
    event = _claimed(stage, {"n": 1})
    assert not stage.come({"n": 2}, id="e1")
    stage.clock.at += LEASE
    assert stage.come({"n": 2}, id="e1")
    [given] = stage.inputs()
    assert given["inputs"] == {"n": 1}
    assert stage.gate.events.get(event.event_id).outcome == "started"


def _claimed(stage, body):
    """An event whose claimer is gone."""
    from functions.domain.deliveries import own_message
    from functions.usecases.take_in import judge
    from functions.usecases.take_message import came_of

    record = stage.queue.record({"trigger": "release.release-http", "event": body, "id": "e1"})
    event = judge(came_of(own_message(record), stage.gate), stage.clock.now()).event
    return stage.gate.events.receive(event)


def test_of_two_calls_at_once_one_claims(stage):
    _claimed(stage, {})
    stage.clock.at += LEASE
    kept = stage.gate.events.get(event_id("release/release-http/e1"))
    lease = stage.clock.now() + LEASE
    taken = [stage.gate.events.take_over(kept, word, lease) for word in ("a", "b")]
    assert taken[0].claim == "a"
    assert taken[1] is None


def test_equal_events_at_the_same_moment_start_one_run(stage):
    stage.come(id="first")
    ready, failed = threading.Barrier(8), []

    def come():
        ready.wait()
        if not stage.come(id="e1"):
            failed.append(1)

    threads = [threading.Thread(target=come) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(stage.executions) == 2
    assert len(failed) <= 7


def test_an_event_whose_run_cannot_be_started_comes_again(deployed):
    stage = deployed(manifest(trigger()), manifest(trigger(name="other"), id="late"))
    stage.stepfunctions.delete_state_machine(
        stateMachineArn="arn:aws:states:us-east-1:123456789012:stateMachine:stepsmith-test-late"
    )
    message = {"trigger": "late.other", "event": {}, "id": "e1"}
    assert not stage.post(message)
    [event] = stage.events()
    assert event.outcome == "failed"
    assert "StateMachineDoesNotExist" in event.error
    stage.create_machine("late")
    assert stage.post(message), "at once: the claim was given back"
    [event] = stage.events()
    assert (event.outcome, event.error) == ("started", None)


def test_runs_that_start_one_another_by_events_come_to_an_end(deployed):
    stage = deployed(manifest(trigger("event", settings={"pattern": {"detail-type": ["again"]}})))

    def event(depth):
        run = f"run-{depth}"
        detail = {"event_id": f"{run}/again", "payload": {}, "run": run, "depth": depth}
        return {"source": "stepsmith", "detail-type": "again", "detail": detail, "id": "x"}

    for depth in range(MOST_DEPTH + 3):
        stage.come(event(depth), name="release-event")
    assert stage.outcomes() == {"started": MOST_DEPTH, "rejected": 3}
    assert {given["run"]["depth"] for given in stage.inputs()} == set(range(1, MOST_DEPTH + 1))
    [first, *_] = stage.events(outcome="rejected")
    assert "loop guard" in first.problems[0]["detail"]


@pytest.mark.parametrize("size", [300_000, 900_000])
def test_a_large_event_starts_a_run_with_what_is_mapped(deployed, size):
    inputs = [{"name": "order", "computed": True, "value": ["ref", "event", "order"]}]
    stage = deployed(manifest(trigger(inputs=inputs)))
    text = "".join(chr(97 + number * number % 23) for number in range(size))
    kept = stage.gate.bodies.put("large", {"order": 7, "text": text})
    assert kept["bytes"] > size
    assert stage.post({"trigger": "release.release-http", "kept": kept, "id": "e1"})
    assert [given["inputs"] for given in stage.inputs()] == [{"order": 7}]
    found = find_event("e1", stage.gate)
    assert found.kept == kept
    assert stage.gate.bodies.get(found.kept)["order"] == 7


def test_what_an_execution_does_not_take_is_rejected_before_it_is_claimed(stage):
    assert stage.come({"text": "x" * 300_000}, id="e1")
    [event] = stage.events()
    assert event.outcome == "rejected"
    assert "262144 bytes" in event.problems[0]["detail"]


@pytest.mark.parametrize("where", ["body", "id", "key"])
def test_text_that_nothing_can_store_is_rejected_and_kept(deployed, where):
    stage = deployed(manifest(trigger(dedupe={"key": ["ref", "event", "order"]})))
    half = json.loads('"\\ud800"')
    body = {"order": half if where == "key" else 1, "text": half if where == "body" else ""}
    assert stage.come(body, id=half if where == "id" else "e1")
    [event] = stage.events()
    found = stage.gate.events.get(event.event_id)
    assert found.outcome == "rejected"
    assert "surrogate" in found.problems[0]["detail"]
    assert found.sent.body == body


def test_events_of_one_key_do_not_overwrite_each_others_bodies(deployed):
    stage = deployed(manifest(trigger(dedupe={"key": ["ref", "event", "order"]}, inputs=[
        {"name": "order", "computed": True, "value": ["ref", "event", "order"]}])))  # fmt: skip
    for name in ("first", "second"):
        noise = "".join(f"{number * 7919 % 1_000_003:06x}" for number in range(90_000))
        stage.come({"order": 1, "name": name, "noise": noise}, id=name)
    event = find_event("first", stage.gate)
    assert stage.gate.bodies.get(event.kept)["name"] == "first"


def test_a_time_of_a_schedule_is_one_event(deployed):
    settings = {"cron": "0 * * * *", "timezone": "UTC", "missed": "last"}
    stage = deployed(manifest(trigger("schedule", settings=settings)))
    for time in ("2026-11-30T09:00:00Z", "2026-11-30T10:00:00+01:00", "2026-11-30T09:00:00.000Z"):
        stage.come({"scheduled_time": time}, name="release-schedule")
    assert len(stage.executions) == 1


@pytest.mark.parametrize(
    ("missed", "started"), [("last", ["12:00"]), ("all", ["10:00", "11:00", "12:00"]), ("skip", [])]
)
def test_times_that_come_late_run_as_the_schedule_says(deployed, missed, started):
    settings = {"cron": "0 * * * *", "timezone": "UTC", "missed": missed}
    stage = deployed(manifest(trigger("schedule", settings=settings), carries=["event"]))
    stage.clock.at = START.replace(hour=12, minute=20)
    for hour in (10, 11, 12):
        stage.come({"scheduled_time": f"2026-11-30T{hour}:00:00Z"}, name="release-schedule")
    assert [one["event"]["scheduled_time"][11:16] for one in stage.inputs()] == started
    assert stage.outcomes()["ignored"] == 3 - len(started)


def test_the_same_input_is_the_same_text(stage):
    stage.come({"b": 1, "a": {"z": 1, "y": 2}}, id="e1")
    text = stage.executions[0].execution_input
    assert text.startswith('{"inputs":{"a":{"y":2,"z":1},"b":1}')
    assert "received" not in text


def test_lists_go_page_by_page(stage):
    for number in range(7):
        stage.come(id=f"e{number}")
        stage.clock.forward(seconds=1)
    from functions.domain.events import Sought

    found, place = [], None
    for _ in range(4):
        page = stage.gate.events.listed(Sought(workflow_id="release"), 2, place)
        found += [one.source_id for one in page.events]
        place = page.place
        if place is None:
            break
    assert found == [f"e{number}" for number in range(6, -1, -1)]


def test_a_page_of_few_goes_on_where_it_stopped(stage):
    from functions.domain.events import Sought

    for number in range(6):
        stage.come(id=f"e{number}")
        stage.clock.forward(seconds=1)
    for number in (1, 3, 4):
        stage.come(id=f"e{number}")
    first = stage.gate.events.listed(Sought(duplicates=True), 2)
    second = stage.gate.events.listed(Sought(duplicates=True), 2, first.place)
    found = [one.source_id for one in (*first.events, *second.events)]
    assert found == ["e4", "e3", "e1"]
    assert (
        second.place is None
        or not stage.gate.events.listed(Sought(duplicates=True), 2, second.place).events
    )


def test_an_event_that_is_old_makes_room_when_its_name_is_free(stage):
    """90 days after the end of its run, at the earliest, DynamoDB may delete it."""
    stage.come(id="e1")
    item = stage.dynamodb.scan(TableName="stepsmith-local-events")["Items"][0]
    ends = int(item["ends"]["N"])
    assert ends >= (START + timedelta(days=30 + 90)).timestamp()
