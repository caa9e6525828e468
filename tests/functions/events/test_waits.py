"""Events that wake steps which wait for them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from functions.adapters.task_tokens import DynamoTaskTokens
from functions.domain.people import Directory
from functions.domain.task_links import Signer
from functions.usecases.desk import Desk, Office
from functions.usecases.open_task import await_event
from local.tables import create_tables, table_name
from tests.functions.events.kit import manifest

PATTERN = {"detail-type": ["paid"]}


@pytest.fixture
def stage(deployed):
    stage = deployed(manifest(patterns=[PATTERN, {"source": ["shop"]}]))
    create_tables(stage.dynamodb, ["task-tokens"])
    return stage


def event(name="e1", order=7, **more):
    detail = {"event_id": name, "payload": {"order": order}}
    return {"id": "x", "source": "stepsmith", "detail-type": "paid", "detail": detail, **more}


def wait(stage, step="review", run="run-1", **fields):
    """A step begins to wait; return its task's id."""
    tasks = stage.gate.tasks()
    desk = Desk(stage.clock, tasks, Directory(), Signer(b"key", ""))
    tokens = DynamoTaskTokens(stage.dynamodb, table_name("task-tokens"), stage.clock)
    call = {
        "op": "await_event", "step": step, "token": "token", "pattern": PATTERN, "timeout": 3600,
        "run": {"id": run, "attempt": 1, "started_at": "", "workflow": "release", "version": "1",
                "contract": 1}, **fields,
    }  # fmt: skip
    return await_event(call, Office(desk, tokens, None)).task_id


def status(stage, task_id):
    return stage.gate.tasks().get(task_id).status


def test_an_event_ends_the_wait_with_what_it_holds(stage):
    task = wait(stage)
    assert stage.post({"event": event()})
    found = stage.gate.tasks().get(task)
    assert (found.status, found.decision.form) == ("delivered", {"order": 7})


def test_an_event_by_a_pattern_is_given_as_it_came(stage):
    task = wait(stage, pattern={"source": ["shop"]})
    given = {"id": "1", "source": "shop", "detail-type": "any", "detail": {"a": 1}}
    stage.post({"event": given})
    assert stage.gate.tasks().get(task).decision.form == given


@pytest.mark.parametrize("deployed_now", [{"patterns": [{"source": ["shop"]}]}, {}])
def test_a_run_on_an_older_version_gets_what_that_one_asked_for(stage, deployed_now):
    """What is deployed since waits for something else, or for nothing."""
    task = wait(stage)
    stage.deployed.clear()
    stage.deployed["release"] = manifest(**deployed_now)
    assert stage.take(stage.queue.record({"event": event()}), intake=stage.fresh()) == []
    assert status(stage, task) == "delivered"


def test_an_event_that_nobody_waits_for_costs_one_call(stage):
    with stage.calls.watched() as calls:
        assert stage.post({"event": {**event(), "detail-type": "other"}})
        assert calls.names == ["Query"]


@pytest.mark.parametrize(("order", "ended"), [(7, True), (8, False)])
def test_a_match_compares_the_event_with_what_the_run_knows(stage, order, ended):
    match = ["==", ["ref", "event", "order"], ["ref", "given", "v0"]]
    task = wait(stage, match=match, contexts={"given": {"v0": 7}})
    stage.post({"event": event(order=order)})
    assert (status(stage, task) == "delivered") is ended


def test_an_event_wakes_all_that_wait(stage):
    tasks = [wait(stage, run=f"run-{number}") for number in range(3)]
    stage.post({"event": event()})
    assert {status(stage, task) for task in tasks} == {"delivered"}


def test_a_wait_that_began_after_an_event_is_not_ended_by_its_late_delivery(stage):
    record = stage.queue.record({"event": event()})
    stage.clock.forward(minutes=5)
    task = wait(stage)
    assert stage.take(record) == []
    assert status(stage, task) == "pending"
    assert stage.post({"event": event("e2")})
    assert status(stage, task) == "delivered"


def test_an_event_that_comes_twice_ends_only_the_first_of_two_waits(stage):
    first = wait(stage, step="first")
    stage.post({"event": event()})
    stage.clock.at += timedelta(milliseconds=300)
    second = wait(stage, step="second")
    stage.post({"event": event()})
    assert (status(stage, first), status(stage, second)) == ("delivered", "pending")


def test_two_waits_at_once_are_both_ended_though_the_call_was_cut_off(stage):
    tasks = [wait(stage, step=step) for step in ("left", "right")]
    stage.calls.error = ConnectionError()
    record = stage.queue.record({"event": event()})
    with stage.calls.watched() as calls:
        stage.take(record)
        writes = [n for n, name in enumerate(calls.names) if name == "UpdateItem"]
    assert len(writes) == 2
    other = [wait(stage, step=step, run="run-2") for step in ("left", "right")]
    record = stage.queue.record({"event": event("e2")})
    with stage.calls.watched(2 * writes[1]):
        assert stage.take(record) == [record["messageId"]]
    assert stage.take(record) == []
    assert {status(stage, task) for task in (*tasks, *other)} == {"delivered"}
