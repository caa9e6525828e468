"""Events of every type of trigger, recorded as their sources deliver them: what they become."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from compiler.manifest import manifest
from functions.domain.triggers.incoming import DEFAULT_WINDOW, Incoming
from functions.domain.triggers.taking import Taken, take
from tests.functions.domain.triggers.taking import NOW, event, given, problems, taken, why
from tests.golden.project import compiled_text, surroundings

PUSH = "{type: git-push, event: [push, pull_request]}"
READS = "concurrency: {group: '${{ event.x }}'}"
READS_GITHUB = "concurrency: {group: '${{ event.x }} ${{ github.event.ref }}'}"
"""Keys that read contexts, so that these go with the run."""


# --- what each source's own events give ----------------------------------------------------------


def test_a_push_gives_its_commit_author_message_branch_and_repository():
    assert given(PUSH, "github_push")["inputs"] == {
        "commit": "f95f852bd8fca8fcc58a9a2d6c842781e32a215e",
        "author": "bob@example.com",
        "message": "feat: add user profile",
        "branch": "main",
        "tag": None,
        "repository": "github.com/org/app",
    }


def test_a_push_is_what_expressions_read_of_github():
    made = given(PUSH, "github_push", READS_GITHUB)
    github = made["github"]
    assert {name: github[name] for name in github if name != "event"} == {
        "event_name": "push",
        "ref": "refs/heads/main",
        "ref_name": "main",
        "ref_type": "branch",
        "sha": "f95f852bd8fca8fcc58a9a2d6c842781e32a215e",
        "head_ref": None,
        "base_ref": None,
        "actor": "alice",
        "repository": "org/app",
    }
    assert github["event"] == made["event"] == event("github_push")["body"]
    assert made["run"]["started_by"] == "github:alice"
    assert made["trigger"]["event_id"] == "72d3162e-cc78-11e3-81ab-4c9367dc0958"


def test_a_pull_request_gives_its_head_and_is_read_with_its_base():
    made = given(PUSH, "github_pull_request", READS_GITHUB)
    assert made["inputs"] == {
        "commit": "ec26c3e57ca3a959ca5aad62de7213c562f8c821",
        "author": "bob",
        "message": "Add a cart",
        "branch": "cart",
        "tag": None,
        "repository": "github.com/org/app",
    }
    names = ("event_name", "ref", "ref_name", "ref_type", "head_ref", "base_ref", "sha", "actor")
    assert [made["github"][name] for name in names] == [
        "pull_request", "refs/pull/7/merge", "7/merge", "branch", "cart", "main",
        "1a7c9c1e4d7b5e0f7f2b6d3f0b1d2e3c4a5b6c7d", "bob",
    ]  # fmt: skip


def test_a_schedule_is_known_by_its_name_and_its_time():
    trigger = "{type: schedule, cron: '0 3 * * *', timezone: Europe/Berlin, name: nightly}"
    made = given(trigger, "eventbridge_scheduled", READS)
    assert made["trigger"] == {
        "name": "nightly",
        "type": "schedule",
        "event_id": "nightly@2026-03-29T01:00:00Z",
    }
    assert made["event"] == {"scheduled_time": "2026-03-29T01:00:00Z"}
    assert made["inputs"] == {}
    scheduler = {"scheduled_time": "2026-03-29T03:00:00+02:00"}
    assert given(trigger, scheduler)["trigger"] == made["trigger"]  # the same moment


def test_a_published_event_gives_its_payload_and_is_known_by_its_step_s_key():
    made = given("{type: event, event: user.signup}", "eventbridge_published", READS)
    payload = {"user_id": "42", "email": "carol@example.com", "timestamp": "2026-03-02T09:30:00Z"}
    assert made["inputs"] == made["event"] == payload
    assert made["run"]["event_id"] == "register-2b1c3d4e5f60718293a4/announce"
    assert made["run"]["depth"] == 2


def test_a_published_event_gives_its_payload_to_a_pattern_too_which_reads_all_of_it():
    made = given("{type: event, pattern: {source: [stepsmith]}}", "eventbridge_published", READS)
    assert made["inputs"]["email"] == "carol@example.com"
    assert made["event"]["detail"]["payload"] == made["inputs"]


def test_an_event_published_over_the_api_begins_a_chain():
    one = event("eventbridge_published")
    one["detail"] = {"event_id": "e-1", "payload": {"user_id": "42"}}
    assert given("{type: event, event: user.signup}", one)["run"]["depth"] == 0


@pytest.mark.parametrize(
    ("changes", "starter"),
    [
        ({}, "carol@example.com"),
        ({"started_by": None}, None),
        ({"started_by": {"name": "carol"}}, None),
    ],
)
def test_whoever_began_a_chain_has_started_the_runs_at_its_end(changes, starter):
    """So they may not decide about them, whatever way their event went."""
    one = event("eventbridge_published")
    one["detail"] |= {"started_by": "carol@example.com", **changes}
    assert given("{type: event, event: user.signup}", one)["run"].get("started_by") == starter


def test_an_event_from_elsewhere_cannot_say_who_started_its_run():
    """Whoever may send one could else take the right to decide from anybody, or hide themselves."""
    one = event("eventbridge_published")
    one["source"] = "com.example.shop"
    one["detail"]["started_by"] = "carol@example.com"
    assert given("{type: event, event: user.signup}", one)["run"].get("started_by") is None


def test_an_event_of_somebody_else_by_its_name_gives_its_detail():
    one = event("eventbridge_published") | {"source": "shop", "detail": {"order_id": 7}}
    made = given(
        "{type: event, event: user.signup, inputs: {a: '${{ event.order_id }}', "
        "b: '${{ event.detail.order_id }}'}}",
        one,
    )
    assert made["inputs"] == {"a": 7, "b": 7}  # as EventBridge spells it, too
    assert made["run"]["event_id"] == "0d079340-135a-c8c6-95c2-41fb8f496c53"


def test_an_event_by_its_pattern_is_read_as_eventbridge_delivers_it():
    trigger = (
        "{type: event, pattern: {source: [aws.s3]}, inputs: {key: '${{ event.detail.object.key }}'}"
        ", dedupe: {key: '${{ event.detail.object.sequencer }}'}, name: uploads}"
    )
    found = taken(trigger, "eventbridge_s3_object_created", READS)
    assert isinstance(found, Taken)
    assert found.given["inputs"] == {"key": "reports/march.csv"}
    assert found.given["event"] == event("eventbridge_s3_object_created")
    assert found.key == "w/uploads//617f08299329d189"
    assert found.event_id == "17793124-05d4-b198-2fde-7ededc63b103"
    detail = given("{type: event, pattern: {source: [aws.s3]}}", "eventbridge_s3_object_created")
    assert detail["inputs"]["reason"] == "PutObject"


def test_a_message_gives_its_json():
    made = given("{type: queue, queue: orders}", "sqs_message")
    assert made["inputs"] == {
        "order_id": "o-17",
        "lines": [{"sku": "A1", "count": 2}],
        "total": 39.9,
    }
    assert made["run"]["event_id"] == "059f36b4-87a3-44ab-83d2-661975830a7d"


@pytest.mark.parametrize("body", ["restock aisle 7", "{broken", "NaN", "1e999", "", "[" * 100_000])
def test_a_message_that_is_no_json_is_text_under_the_name_body(body):
    message = event("sqs_text")
    message["Records"][0]["body"] = body
    made = given("{type: queue, queue: orders}", message, READS)
    assert made["inputs"] == made["event"] == {"body": body}


def test_a_message_that_is_json_but_no_object_is_under_the_name_body():
    message = event("sqs_text")
    message["Records"][0]["body"] = "[1, 2]"
    assert given("{type: queue, queue: orders}", message)["inputs"] == {"body": [1, 2]}


def test_a_webhook_gives_the_json_that_was_posted():
    made = given("{type: http}", "api_gateway_webhook")
    assert made["inputs"] == {"version": "1.4.0", "environment": "staging", "note": "é"}
    assert made["run"]["event_id"] == "build-4711"  # its Idempotency-Key


def test_a_webhook_without_a_key_is_known_by_its_request():
    posted = event("api_gateway_webhook")
    del posted["headers"]["idempotency-key"]
    assert given("{type: http}", posted)["run"]["event_id"] == "JKJaXmPLvHcESHA="


def test_a_change_of_a_table_gives_plain_json():
    made = given("{type: database, table: orders}", "dynamodb_modify")
    assert made["inputs"] == {
        "operation": "modify",
        "keys": {"id": "o-17"},
        "old": {"id": "o-17", "status": "open", "total": 39.9, "paid": False, "note": None},
        "new": {
            "id": "o-17",
            "status": "paid",
            "total": 39.9,
            "paid": True,
            "lines": [{"sku": "A1", "count": 2}],
            "tags": ["eu", "gift"],
            "invoice": "90071992547409931",  # a number with so many digits would lose some
        },
    }
    assert made["run"]["event_id"] == "c81e728d9d4c2f636f067f89cc14862c"


def test_a_change_that_the_trigger_does_not_ask_for_is_ignored():
    trigger = "{type: database, table: orders, operations: [insert, remove]}"
    assert why(trigger, "dynamodb_modify") == "the trigger does not ask for 'modify'"


@pytest.mark.parametrize(
    ("trigger", "body"),
    [
        ("{type: queue, queue: orders}", {"messageId": "1"}),
        ("{type: database, table: orders}", {"eventName": "CREATE", "dynamodb": {}}),
        ("{type: database, table: orders}",
         {"eventName": "INSERT", "dynamodb": {"Keys": {"id": {"X": "1"}}}}),
        ("{type: schedule, rate: 5m}", {"scheduled_time": "yesterday"}),
        ("{type: schedule, rate: 5m}", {"scheduled_time": "2026-03-29T03:00:00"}),
        ("{type: schedule, rate: 5m}", None),
        ("{type: event, event: user.signup}", "signup"),
        ("{type: git-push}", [1]),
    ],
)  # fmt: skip
def test_what_is_no_event_of_its_source_is_rejected(trigger, body):
    assert problems(trigger, Incoming("1", NOW, body)).keys() == {""}


# --- mapping -------------------------------------------------------------------------------------


def test_a_literal_stands_in_where_the_event_says_nothing_and_an_expression_always_wins():
    trigger = "{type: git-push, inputs: {author: me, message: '${{ event.ref }}', who: you}}"
    inputs = given(trigger, "github_push")["inputs"]
    assert (inputs["author"], inputs["message"], inputs["who"], inputs["branch"]) == (
        "bob@example.com", "refs/heads/main", "you", "main",
    )  # fmt: skip


def test_mapped_inputs_of_a_payload_are_all_there_are_and_keep_their_types():
    trigger = (
        "{type: queue, queue: q, inputs: {n: '${{ event.a.b }}', all: {x: ['${{ event.a }}', 1]}, "
        "c: 4, d: [5]}}"
    )
    inputs = given(trigger, {"a": {"b": 2}, "c": 3, "e": 0})["inputs"]
    assert inputs == {"n": 2, "all": {"x": [{"b": 2}, 1]}, "c": 3, "d": [5]}


def test_a_number_written_where_the_contract_wants_text_is_the_text_as_it_was_written():
    trigger = "{type: http, inputs: {version: 3.10}}"
    assert given(trigger, {}, "inputs: {version: string}")["inputs"] == {"version": "3.10"}


def test_expressions_read_the_stage_s_variables():
    trigger = "{type: http, inputs: {region: '${{ vars.region }}'}}"
    here = surroundings()
    around = replace(here, stage=replace(here.stage, vars={"region": "eu"}))
    text = f"name: w\ntrigger: {trigger}\nsteps: [{{id: a, run: echo}}]\n"
    made = manifest(compiled_text(text, around))
    found = take(made, made["triggers"][0], Incoming("1", NOW, {}))
    assert isinstance(found, Taken)
    assert found.given["inputs"] == {"region": "eu"}


def test_an_event_that_the_condition_does_not_let_through_is_ignored():
    trigger = "{type: http, condition: \"event.size == 'large'\"}"
    assert why(trigger, {"size": "small"}) == "the trigger's condition does not hold"
    assert given(trigger, {"size": "large"})["inputs"] == {"size": "large"}


def test_an_event_says_more_than_the_contract_asks_and_defaults_fill_in():
    contract = "inputs: {order_id: string, priority: {type: integer, default: 3}}"
    inputs = given("{type: queue, queue: q}", "sqs_message", contract)["inputs"]
    assert inputs == {"order_id": "o-17", "priority": 3}


def test_everything_that_is_wrong_is_told_at_once_each_with_its_place():
    contract = (
        "inputs: {order_id: integer, customer: string, "
        "lines: {type: array, required: true, items: {type: object, properties: "
        "{sku: string, count: integer, price: number}}}}"
    )
    assert problems("{type: queue, queue: q}", "sqs_message", contract) == {
        "/order_id": "must be a whole number, and is text",
        "/customer": "is required",
        "/lines/0/price": "is required",
    }


def test_a_required_input_whose_expression_gives_null_is_missing():
    trigger = "{type: queue, queue: q, inputs: {order: '${{ event.nothing }}'}}"
    assert problems(trigger, "sqs_message", "inputs: {order: string}") == {"/order": "is required"}


def test_what_is_nested_too_deeply_is_rejected():
    body = event("sqs_text")
    body["Records"][0]["body"] = '{"a":' * 300 + "1" + "}" * 300
    assert problems("{type: queue, queue: q}", body) == {"": "is nested more than 100 deep"}


# --- what goes with the run ----------------------------------------------------------------------


def test_what_the_machine_never_reads_stays_behind():
    made = given(PUSH, "github_push")
    assert made.keys() == {"inputs", "run", "trigger"}
    reads_ref = "concurrency: {group: '${{ github.ref }}'}"
    assert "event" not in given(PUSH, "github_push", reads_ref)["github"]


def test_the_same_event_gives_the_same_input_whenever_it_comes():
    first = given(PUSH, "github_push", READS_GITHUB)
    later = Incoming("other", NOW + timedelta(hours=5), **_delivery("github_push"))
    assert given(PUSH, later, READS_GITHUB) == first


def _delivery(name: str) -> dict:
    found = event(name)
    return {"body": found["body"], "headers": found["headers"]}


# --- identity ------------------------------------------------------------------------------------


def key(trigger: str, one) -> str:
    found = taken(trigger, one)
    assert isinstance(found, Taken), found
    return found.key


def test_an_event_is_known_by_its_own_id_in_its_workflow_and_trigger():
    assert key("{type: git-push, name: pushes}", "github_push") == (
        "w/pushes/72d3162e-cc78-11e3-81ab-4c9367dc0958"
    )


def test_headers_are_found_in_any_case():
    delivery = _delivery("github_push")
    lower = {name.lower(): value for name, value in delivery["headers"].items()}
    one = Incoming("x", NOW, delivery["body"], lower)
    assert key("{type: git-push}", one) == key("{type: git-push}", "github_push")


def test_a_dedupe_key_comes_in_place_of_the_id():
    trigger = "{type: queue, queue: q, name: orders, dedupe: {key: '${{ event.order_id }}'}}"
    assert key(trigger, {"order_id": "o-1"}) == "w/orders//o-1"
    assert key(trigger, {"order_id": ["o", 1]}) == 'w/orders//["o",1]'


def test_an_author_s_key_never_meets_an_id():
    plain = "{type: http, name: n}"
    keyed = "{type: http, name: n, dedupe: {key: '${{ event.k }}'}}"
    posted = Incoming("1", NOW, {"k": "1"})
    assert key(plain, posted) != key(keyed, posted)


@pytest.mark.parametrize("body", [{}, {"order_id": None}, {"order_id": ""}])
def test_an_event_without_the_key_that_it_is_to_be_known_by_is_rejected(body):
    trigger = "{type: queue, queue: q, name: orders, dedupe: {key: '${{ event.order_id }}'}}"
    told = "`dedupe.key` of the trigger 'orders' is null for this event"
    assert problems(trigger, body) == {"": told}


def test_a_long_key_is_kept_short_and_stays_its_own():
    trigger = "{type: queue, queue: q, dedupe: {key: '${{ event.k }}'}}"
    one, other = (key(trigger, {"k": "ö" * 5000 + end}) for end in "ab")
    assert one != other
    assert len(one.encode()) <= 1024


def test_the_window_is_the_author_s_or_a_month():
    one = taken("{type: http, dedupe: {window: 2h}}", {"a": 1})
    other = taken("{type: http}", {"a": 1})
    assert isinstance(one, Taken)
    assert isinstance(other, Taken)
    assert (one.window, other.window) == (7200, DEFAULT_WINDOW)
