"""Records as Lambda hands them over: which come again, and what becomes of dead letters."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest

from functions.usecases.claim import LEASE
from functions.usecases.replay import NotReplayed, find_event, replay
from tests.functions.events.kit import ACCOUNT, REGION, SETTINGS, Killed, manifest, trigger
from tests.functions.events.sources import RECORDS, TRIGGERS, recorded

MACHINE = f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:stepsmith-test-release"


def dead(record):
    return {**record, "eventSourceARN": SETTINGS.dead_letters}


@pytest.fixture
def broken(deployed):
    """A stage whose machine is not there."""
    stage = deployed(manifest(*TRIGGERS.values()))
    stage.stepfunctions.delete_state_machine(stateMachineArn=MACHINE)
    return stage


def test_of_a_batch_only_what_failed_comes_again(stage):
    good = [
        stage.queue.record({"trigger": "release.release-http", "event": {}, "id": f"e{number}"})
        for number in range(8)
    ]
    bad = [
        stage.queue.record(message)
        for message in (
            *("{", [], {"event": {}, "trigger": 7}, {"trigger": "release.release-http"}),
            *({"event": {}, "trigger": name} for name in ("release.gone", "gone.x", "")),
        )
    ]
    failed = stage.take(*good[:4], *bad, *good[4:])
    assert failed == [one["messageId"] for one in bad]
    assert len(stage.executions) == 8


def test_of_an_ordered_source_all_behind_the_first_failure_come_again(stage):
    records = [
        {**stage.queue.record(message), "eventSourceARN": f"arn:aws:sqs:{REGION}:{ACCOUNT}:a.fifo"}
        for message in ("one", "two", "three")
    ]

    def send(message, **_):
        if "two" in json.dumps(message):
            raise ConnectionError

    queue = trigger("queue", settings={"queue": "a.fifo"})
    stage.deployed["release"] = manifest(queue)
    stage.stepfunctions.delete_state_machine(stateMachineArn=MACHINE)
    stage.queue.send = send
    assert stage.take(*records) == [one["messageId"] for one in records[1:]]


@pytest.mark.parametrize("kind", ["queue", "database"])
def test_what_a_foreign_source_brings_waits_in_the_stages_own_queue(broken, kind):
    """So nothing behind it is held up, and it comes to an end."""
    assert broken.take(RECORDS[kind](broken, 1)) == []
    assert broken.queue.delays == [LEASE.total_seconds()]
    broken.create_machine("release")
    assert broken.drain() == []
    assert broken.outcomes() == {"started": 1}


@pytest.mark.parametrize("kind", ["queue", "database"])
def test_a_foreign_record_comes_to_every_trigger_of_its_source(deployed, kind):
    stage = deployed(
        manifest(TRIGGERS[kind]),
        manifest(TRIGGERS[kind] | {"name": "a"}, TRIGGERS[kind] | {"name": "b"}, id="other"),
        manifest(TRIGGERS[kind] | {"name": "c", "settings": {"queue": "x", "table": "x"}}, id="no"),
    )
    stage.take(RECORDS[kind](stage, 1))
    assert sorted(event.trigger for event in stage.events()) == ["a", "b", f"release-{kind}"]


@pytest.mark.parametrize("written", ["orders", "ARN"])
@pytest.mark.parametrize("kind", ["queue", "database"])
def test_a_source_is_meant_by_its_name_or_its_arn(deployed, kind, written):
    stage = deployed(manifest(TRIGGERS[kind]))
    record = RECORDS[kind](stage, 1)
    setting = "queue" if kind == "queue" else "table"
    said = record["eventSourceARN"] if written == "ARN" else written
    settings = {**TRIGGERS[kind]["settings"], setting: said}
    stage.deployed["release"] = manifest(TRIGGERS[kind] | {"settings": settings})
    stage.take(record)
    assert len(stage.executions) == 1


def test_a_message_that_is_no_json_is_an_event_of_a_queue(deployed):
    stage = deployed(manifest(TRIGGERS["queue"]))
    record = recorded("sqs_text")["Records"][0]
    stage.take({**record, "eventSourceARN": f"arn:aws:sqs:{REGION}:{ACCOUNT}:orders"})
    assert [given["inputs"] for given in stage.inputs()] == [{"body": "restock aisle 7"}]


def test_a_dead_letter_is_tried_once_more(broken):
    record = RECORDS["http"](broken, 1)
    assert broken.take(record)
    broken.create_machine("release")
    assert broken.take(dead(record)) == []
    assert broken.outcomes() == {"started": 1}


def test_what_the_queue_gave_up_is_kept_and_can_be_replayed(broken):
    record = RECORDS["git-push"](broken, 1)
    for _ in range(2):
        assert broken.take(record)
    assert broken.take(dead(record)) == []
    [event] = broken.events(outcome="dead")
    assert "StateMachineDoesNotExist" in event.error
    broken.create_machine("release")
    done = replay(find_event(event.event_id, broken.gate), "word", broken.gate)
    assert (done.outcome, done.replay_of) == ("started", None)
    assert broken.runs() == {done.run_id: 1}
    assert broken.take(record) == [], "a late delivery is a duplicate"
    assert broken.runs() == {done.run_id: 1}


def test_a_dead_letter_of_a_trigger_that_is_gone_can_start_when_it_is_back(stage):
    record = stage.queue.record({"trigger": "release.late", "event": {"a": 1}, "id": "e1"})
    assert stage.take(dead(record)) == []
    [event] = stage.events(outcome="dead")
    assert (event.workflow_id, event.trigger, event.key) == ("release", "late", "")
    with pytest.raises(NotReplayed, match=r"there is no trigger 'release.late'"):
        replay(find_event(event.event_id, stage.gate), "word", stage.gate)
    stage.deployed["release"] = manifest(trigger(name="late"))
    done = replay(find_event(event.event_id, stage.gate), "word", stage.gate)
    assert done.outcome == "started"
    assert stage.outcomes() == {"started": 2}, "the letter says what became of it"
    assert len(stage.executions) == 1


def test_a_text_that_nobody_reads_is_kept_as_it_is(stage):
    stage.take(dead(stage.queue.record("no JSON")))
    [event] = stage.events()
    found = find_event(event.event_id, stage.gate)
    assert (found.outcome, found.sent.body) == ("dead", "no JSON")
    with pytest.raises(NotReplayed, match="no event"):
        replay(found, "word", stage.gate)


def test_a_dead_letter_whose_run_was_started_stays_started(stage):
    record = stage.queue.record({"trigger": "release.release-http", "event": {}, "id": "e1"})
    stage.take(record)
    stage.take(dead(record))
    assert stage.outcomes() == {"started": 1}


def test_a_dead_letter_that_somebody_is_starting_waits_for_that(stage):
    record = stage.queue.record({"trigger": "release.release-http", "event": {}, "id": "e1"})
    with stage.calls.watched(2 * 3), suppress(Killed):
        stage.take(record)
    assert stage.take(dead(record)) == [record["messageId"]]
    stage.clock.at += LEASE
    assert stage.take(dead(record)) == []
    assert stage.outcomes() == {"started": 1}
