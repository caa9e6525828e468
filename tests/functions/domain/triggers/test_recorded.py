"""Events in files: as their sources deliver them, or only what matters of them."""

from __future__ import annotations

import pytest

from functions.domain.triggers.recorded import recorded, types_of
from tests.functions.domain.triggers.taking import EVENTS, NOW, event, given, workflow


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("github_push", {"git-push"}),
        ("api_gateway_webhook", {"http", "git-push"}),
        ("sqs_message", {"queue"}),
        ("dynamodb_modify", {"database"}),
        ("eventbridge_published", {"event"}),
        ("eventbridge_scheduled", {"schedule", "event"}),
    ],
)
def test_a_delivery_tells_which_triggers_it_can_be_for(name, types):
    assert types_of(event(name)) == types


def test_a_bare_document_can_be_for_any_trigger():
    assert len(types_of({"user": "carol"})) == 6


def test_every_recorded_event_is_taken_by_some_test():
    """A file that nobody reads is no test."""
    here = EVENTS.parent / "functions" / "domain" / "triggers"
    text = "".join(path.read_text(encoding="utf-8") for path in here.glob("test_*.py"))
    assert [path.stem for path in EVENTS.glob("*.json") if path.stem not in text] == []


@pytest.mark.parametrize("trigger", ["{type: http}", "{type: queue, queue: q}"])
def test_what_expressions_read_may_stand_alone(trigger):
    assert given(trigger, {"user": "carol"})["inputs"] == {"user": "carol"}


def test_a_payload_alone_is_an_event_that_was_published():
    assert given("{type: event, event: [a, b]}", {"user": "carol"})["inputs"] == {"user": "carol"}


def test_a_change_alone_is_a_record_of_a_stream():
    change = {"operation": "insert", "keys": {"id": 7}, "new": {"id": 7, "tags": ["a", None]}}
    made = given("{type: database, table: t}", change)
    assert made["inputs"] == {**change, "old": None}


def test_a_schedule_without_a_time_is_due_now():
    made = given("{type: schedule, rate: 5m, name: n}", {})
    assert made["run"]["event_id"] == "n@2026-03-02T12:00:00Z"


def test_a_body_is_decoded_as_the_api_hands_it_over():
    posted = {"headers": {"content-type": "application/json"}, "body": '{"a": 1}'}
    assert given("{type: http}", posted)["inputs"] == {"a": 1}


@pytest.mark.parametrize(
    ("trigger", "document", "told"),
    [
        ("{type: queue, queue: q}", {"Records": []}, "0 records; leave one"),
        ("{type: http}", {"headers": {}, "body": "{"}, "no JSON"),
        ("{type: http}", {"headers": {}, "body": "*", "isBase64Encoded": True}, "base64"),
        ("{type: database, table: t}", {"id": 1}, "no change of a table"),
        ("{type: event, event: other, name: n}", event("eventbridge_published"), "'n' does not"),
    ],
)
def test_what_cannot_be_an_event_says_why(trigger, document, told):
    with pytest.raises(ValueError, match=told):
        recorded(workflow(trigger)["triggers"][0], document, NOW)
