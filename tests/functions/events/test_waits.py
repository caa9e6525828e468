"""Events that wake steps which wait for them."""

from __future__ import annotations

import itertools
from contextlib import suppress
from datetime import timedelta

import pytest
from botocore.exceptions import ClientError

from functions.adapters.task_tokens import DynamoTaskTokens
from functions.domain.moments import stamp
from functions.domain.people import Directory
from functions.domain.task_links import Signer
from functions.domain.task_rules import give_up
from functions.usecases.close_tasks import close_tasks
from functions.usecases.desk import Desk, Office, change
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


def wait(stage, step="review", run="run-1", *, began=None, attempt=1, event_id=None, **fields):
    """A step begins to wait, in a run that began some minutes from now; return its task's id."""
    started = "" if began is None else stamp(stage.clock.now() + timedelta(minutes=began))
    tasks = stage.gate.tasks()
    desk = Desk(stage.clock, tasks, Directory(), Signer(b"key", ""))
    tokens = DynamoTaskTokens(stage.dynamodb, table_name("task-tokens"), stage.clock)
    call = {
        "op": "await_event", "step": step, "token": "token", "pattern": PATTERN, "timeout": 3600,
        "run": {"id": run, "attempt": attempt, "started_at": started, "workflow": "release",
                "version": "1", "contract": 1, "event_id": event_id}, **fields,
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


def test_an_event_that_nobody_waits_for_costs_two_calls(stage):
    """It is kept, and whoever waits is asked for."""
    with stage.calls.watched() as calls:
        assert stage.post({"event": {**event(), "detail-type": "other"}})
        assert calls.names == ["PutItem", "Query"]


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


def test_an_event_that_came_before_the_wait_ends_it(stage):
    """The answer to what the run asked for may be there first."""
    stage.post({"event": event()})
    stage.clock.forward(minutes=5)

    task = wait(stage, began=-10)

    found = stage.gate.tasks().get(task)
    assert (found.status, found.decision.form) == ("delivered", {"order": 7})


@pytest.mark.parametrize(
    "fields",
    [
        {"began": -4},  # after the event
        {"began": -10, "event_id": "e1"},  # which started the run
        {"began": -10, "match": ["==", ["ref", "event", "order"], 8]},
        {"began": -10, "pattern": {"detail-type": ["other"]}},
        {"began": -10, "pattern": {"detail-type": [{"prefix": "pa"}]}},  # names no type
        {"began": -10, "pattern": {"source": ["stepsmith"]}},
    ],
)
def test_an_earlier_event_ends_no_wait_that_it_is_not_for(stage, fields):
    record = stage.queue.record({"event": event()})
    assert stage.take(record) == []
    stage.clock.forward(minutes=5)

    task = wait(stage, **fields)

    assert status(stage, task) == "pending"
    if "pattern" not in fields:
        assert stage.take(record) == [], "however late it comes"
        assert status(stage, task) == "pending"


def test_of_earlier_events_each_ends_one_wait_of_a_run_the_oldest_first(stage):
    for order in (1, 2):
        stage.post({"event": event(f"e{order}", order)})
        stage.clock.forward(minutes=1)
    found = []
    for step in ("first", "second", "third"):
        found.append(stage.gate.tasks().get(wait(stage, step=step, began=-10)))
        stage.clock.forward(minutes=1)

    assert [one.decision and one.decision.form for one in found] == [
        {"order": 1}, {"order": 2}, None,
    ]  # fmt: skip
    other = stage.gate.tasks().get(wait(stage, run="run-2", began=-10))
    assert other.decision.form == {"order": 1}, "another run knows nothing of this one"


def test_a_later_attempt_gets_what_came_since_the_run_began(stage):
    wait(stage, step="other", pattern={"detail-type": ["else"]}, began=0)
    stage.clock.forward(minutes=5)
    stage.post({"event": event()})
    stage.clock.forward(minutes=5)

    assert status(stage, wait(stage, attempt=2, began=0)) == "delivered"


@pytest.mark.parametrize("cut", range(16))
def test_an_event_and_a_wait_that_is_being_opened_meet_wherever_one_is_cut_off(stage, cut):
    """Whichever comes first, and is tried again."""
    stage.calls.error = ConnectionError()
    record = stage.queue.record({"event": event()})
    stage.clock.forward(minutes=1)
    with stage.calls.watched(cut), suppress(ConnectionError):
        wait(stage, began=-10)
    assert stage.take(record) == []
    assert status(stage, wait(stage, began=-10)) == "delivered"

    with stage.calls.watched(cut):
        stage.take(stage.queue.record({"event": event("e2", order=8)}))
    task = wait(stage, run="run-2", began=-10, match=["==", ["ref", "event", "order"], 8])
    stage.take(stage.queue.record({"event": event("e2", order=8)}))
    assert status(stage, task) == "delivered"


@pytest.mark.parametrize("cut_in", ["wait", "event"])
def test_the_one_comes_between_the_parts_of_the_other(stage, monkeypatch, cut_in):
    """An event between any two calls of AWS that opening a wait makes, and the other way round."""
    found = []

    def waits(number):
        own = ["==", ["ref", "event", "order"], number]
        found.append(wait(stage, run=f"run-{number}", began=-10, match=own))

    def comes(number):
        stage.post({"event": event(f"e{number}", number)})

    whole, inside = (waits, comes) if cut_in == "wait" else (comes, waits)
    with stage.calls.watched() as calls:
        whole(99)
        made = len(calls.names)
    for number in range(made + 1):
        before_call(stage, monkeypatch, number, lambda number=number: inside(number))
        whole(number)
        monkeypatch.undo()
        if number == made:
            inside(number)
        assert status(stage, found[-1]) == "delivered", calls.names[number - 1 : number + 1]


def before_call(stage, monkeypatch, number, act):
    """Have something happen before the n-th call that follows."""
    calls, before = itertools.count(), stage.calls.around

    def around(original, *call):
        if next(calls) == number:
            monkeypatch.setattr(stage.calls, "around", before)
            act()
        return before(original, *call)

    monkeypatch.setattr(stage.calls, "around", around)


@pytest.mark.parametrize("name", ["e#1", "é" * 200, "x" * 5_000, "\u0000", "\ud83d"])
def test_an_event_of_any_identity_is_known_by_it(stage, name):
    """It is part of a key, which is short; and the run that it started does not wait for it."""
    record = stage.queue.record({"event": event(name)})
    assert stage.take(record) == []
    stage.clock.forward(minutes=1)

    own = wait(stage, step="own", began=-10, event_id=name)
    first, second = (wait(stage, step=step, run="r-2", began=-10) for step in ("one", "two"))

    assert [status(stage, task) for task in (own, first, second)] == [
        "pending", "delivered", "pending",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["", None, "a#b", "x" * 3_000])
def test_an_event_of_any_type_or_none_ends_what_waits(stage, name):
    """Types are as long as somebody writes them; a key is not."""
    pattern = {"source": ["stepsmith"]}
    given = {**event(), "detail-type": name} if name is not None else {"source": "stepsmith"}
    task = wait(stage, pattern=pattern)
    assert stage.post({"event": given})
    assert status(stage, task) == "delivered"
    if name:
        later = wait(stage, run="r-2", pattern={"detail-type": [name]}, began=-10)
        assert status(stage, later) == "delivered"


class Shelf:
    """Where tasks are closed."""

    def __init__(self, stage):
        self.clock, self.tasks = stage.clock, stage.gate.tasks()


@pytest.mark.parametrize("cut_off", [False, True])
@pytest.mark.parametrize("how", ["event", "time", "run", "repeated"])
def test_what_no_longer_waits_is_no_longer_looked_at(stage, how, cut_off, monkeypatch):
    """However it ended; and where its end was cut off, the next event that fits notes it."""
    tasks = stage.gate.tasks()
    task = wait(stage)
    stage.clock.forward(minutes=1)
    if cut_off:
        refuse = ClientError({"Error": {"Code": "InternalServerError"}}, "UpdateItem")
        monkeypatch.setattr(tasks.waits, "over", lambda *_: (_ for _ in ()).throw(refuse))
    if how == "time":
        change(tasks, tasks.get(task), lambda one: give_up(one, stage.clock.now(), "no event"))
    elif how == "run":
        close_tasks("run-1", 1, "the run is over", Shelf(stage))
    else:
        stage.post({"event": event()})
    assert not tasks.get(task).is_open
    monkeypatch.undo()
    stage.clock.forward(minutes=1)
    if how == "repeated":
        wait(stage)
    elif cut_off:
        stage.post({"event": event("e2")})

    with stage.calls.watched() as calls:
        stage.post({"event": event("e3")})
        assert calls.names == ["PutItem", "Query"]


def test_a_wait_that_has_begun_again_is_looked_at(stage):
    """Whoever ended it before may say so late."""
    tasks = stage.gate.tasks()
    task = wait(stage)
    ended = change(tasks, tasks.get(task), lambda one: give_up(one, stage.clock.now(), "no event"))
    stage.clock.forward(minutes=1)
    assert wait(stage) == task
    tasks.waits.over(task, ended.history[-1].at)

    stage.post({"event": event()})

    assert status(stage, task) == "delivered"


def test_a_loop_that_waits_for_the_next_event_looks_at_its_run_once_a_round(stage):
    reads = []
    for number in range(12):
        stage.post({"event": event(f"e{number}", number)})
        stage.clock.forward(minutes=1)
        with stage.calls.watched() as calls:
            task = wait(stage, step=f"round-{number}", began=-60)
            reads.append(calls.names.count("GetItem"))
        assert stage.gate.tasks().get(task).decision.form == {"order": number}
    assert reads[-1] - reads[0] <= 12


def test_a_later_attempt_has_the_event_that_its_step_had(stage):
    """Who was asked knows the question by its id, and does not answer again."""
    for number in (1, 2):
        stage.post({"event": event(f"e{number}", number)})
        stage.clock.forward(minutes=1)
    first, second = (wait(stage, step=step, began=-60) for step in ("first", "second"))
    again = wait(stage, step="second", began=-60, attempt=2)

    found = [stage.gate.tasks().get(one).decision.form for one in (first, second, again)]

    assert found == [{"order": 1}, {"order": 2}, {"order": 2}]


def test_what_no_step_can_be_told_is_given_up_and_holds_up_no_other(stage):
    """A pattern is given the whole event, a name its payload; that one fits, and that is told."""
    detail = {"event_id": "e1", "payload": {"order": 7}, "more": "x" * 260_000}
    whole = wait(stage, run="run-1", pattern={"source": ["stepsmith"]})
    named = wait(stage, run="run-2")
    record = stage.queue.record({"event": {**event(), "detail": detail}})

    assert stage.take(record) == [record["messageId"]]
    later = wait(stage, run="run-3", began=-10)

    assert [status(stage, one) for one in (whole, named, later)] == [
        "pending", "delivered", "pending",
    ]  # fmt: skip


def test_a_wait_that_cannot_be_ended_holds_up_no_other(stage, monkeypatch):
    tasks = stage.gate.tasks()
    waiting = [wait(stage, run=f"run-{number}") for number in range(3)]
    replaced = tasks.replace

    def fails(task):
        if task.task_id == min(waiting):
            raise ConnectionError
        return replaced(task)

    monkeypatch.setattr(tasks, "replace", fails)
    record = stage.queue.record({"event": event()})
    assert stage.take(record) == [record["messageId"]]
    assert [status(stage, one) for one in sorted(waiting)] == ["pending", "delivered", "delivered"]
    monkeypatch.undo()

    assert stage.take(record) == []
    assert {status(stage, one) for one in waiting} == {"delivered"}


def test_an_event_that_no_wait_could_ask_for_is_not_kept(stage):
    with stage.calls.watched() as calls:
        stage.post({"event": {"id": "1", "source": "shop", "detail": {}}})
        assert calls.names == ["Query"]


def test_an_event_that_comes_twice_ends_only_the_first_of_two_waits(stage):
    first = wait(stage, step="first")
    stage.post({"event": event()})
    stage.clock.at += timedelta(milliseconds=300)
    second = wait(stage, step="second")
    stage.post({"event": event()})
    assert (status(stage, first), status(stage, second)) == ("delivered", "pending")


@pytest.mark.parametrize("cut", range(20))
def test_two_waits_at_once_are_both_ended_though_the_call_was_cut_off(stage, cut):
    tasks = [wait(stage, step=step) for step in ("left", "right")]
    stage.calls.error = ConnectionError()
    record = stage.queue.record({"event": event()})
    with stage.calls.watched(cut):
        stage.take(record)
    assert stage.take(record) == []
    assert {status(stage, task) for task in tasks} == {"delivered"}
