"""An answer of DynamoDB that is lost: the SDK writes again, and finds what it wrote itself.

Each conditional write tells that from another's: it comes to what it would have come to.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import boto3
import pytest
from botocore.config import Config

from functions.adapters.events import DynamoEvents
from functions.adapters.locks import DynamoLocks
from functions.adapters.results import DynamoResults
from functions.adapters.runs import DynamoRuns
from functions.adapters.task_tokens import DynamoTaskTokens
from functions.adapters.tasks import DynamoTasks
from functions.domain.events import CLAIMED, STARTED, Event, Sent
from functions.domain.lock import Claimant, asked, ended
from functions.domain.records.item import RunItem
from functions.domain.task import ANSWERS, Place, Task, task_id
from functions.event_ports import Became
from functions.ports import Attempt, Claimed, Finished, InProgress
from functions.ports import Place as StepPlace
from local.engine import REGION, Engine
from local.tables import create_tables, table_name
from tests.functions.records.memory import START, SetClock
from tests.lost_answers import each_lost

_RETRYING = Config(retries={"total_max_attempts": 3, "mode": "standard"})
_TABLES = ["events", "latches", "results", "runs", "task-tokens", "tasks"]


@pytest.fixture(scope="module")
def client():
    """A client that tries again, as those of the functions do."""
    with Engine({}):
        client = boto3.client("dynamodb", region_name=REGION, config=_RETRYING)
        create_tables(client, _TABLES)
        yield client


def attempt():
    return Attempt(START, START + timedelta(minutes=15))


def test_a_step_is_claimed_once_and_its_result_stored(client):
    results = DynamoResults(client, table_name("results"))
    envelope: Any = {"step": "pay", "status": "succeeded", "outputs": {}, "timestamp": "t"}
    for run in each_lost():
        step = StepPlace(run, "pay")
        claim = results.claim(step, attempt(), repeatable=False)
        assert isinstance(claim, Claimed), run
        assert claim.attempt == 1
        assert isinstance(results.claim(step, attempt(), repeatable=False), InProgress), run
        results.finish(step, claim.claim, envelope)
        assert isinstance(results.read(step), Finished), run


def task(run, **fields):
    place = Place(run, 1, "review")
    return Task(
        task_id=task_id("manual", place), kind="manual", place=place, workflow_id="w",
        workflow_version="1", opened_at=START, expires_at=START + timedelta(days=1),
        title="Fine?", answers=ANSWERS["manual"], **fields,
    )  # fmt: skip


def test_a_task_is_created_and_changed_once(client):
    tasks = DynamoTasks(client, table_name("tasks"))
    for run in each_lost():
        assert tasks.create(task(run)) == task(run), run
        assert tasks.replace(task(run, level=1)) is None, run
        assert tasks.replace(task(run, level=2)) == task(run, level=1, version=2), run


def test_a_token_is_kept(client):
    tokens = DynamoTaskTokens(client, table_name("task-tokens"), SetClock())
    for one in each_lost():
        tokens.keep(one, "one", 1)
        tokens.keep(one, "two", 2)
        assert tokens.get(one) == "two"


def test_a_group_is_changed_by_each_wish_once(client):
    locks = DynamoLocks(client, table_name("latches"), SetClock())
    first, second = Claimant("a", "token"), Claimant("b", "token")
    for name in each_lost():
        assert locks.change(name, lambda group: asked(group, first, "queue")).granted == (first,)
        locks.change(name, lambda group: asked(group, second, "queue"))
        # Asked once more, the end would let nobody on: the next one is let on already.
        assert locks.change(name, lambda group: ended(group, "a")).granted == (second,), name


def test_a_run_is_changed_by_each_wish_once(client):
    runs = DynamoRuns(client, table_name("runs"), lambda: (client, ""), SetClock())
    asked_of: list[object] = []

    def wish(one):
        asked_of.append(one)
        return item if one is None else replace(one, status="failed")

    for run in each_lost():
        item = RunItem(run, "w", "1", "w", "2026-01-01T00:00:00.000Z")
        assert runs.change(run, wish) == replace(item, version=1), run
        assert runs.change(run, wish) == replace(item, version=2, status="failed"), run
        assert len(asked_of) == 2, run
        asked_of.clear()


def test_what_is_done_once_is_taken_on_by_the_first_alone(client):
    runs = DynamoRuns(client, table_name("runs"), lambda: (client, ""), SetClock())
    for run in each_lost():
        assert runs.claim(run, "notice/1/failed/ann@example.com"), run
        assert not runs.claim(run, "notice/1/failed/ann@example.com"), run


def event(id_, word):
    return Event(
        event_id=id_, key="k", workflow_id="w", trigger="t", type="http", source_id="s",
        received_at=START, outcome=CLAIMED, claim=word, lease=START + timedelta(minutes=2),
        expires_at=START + timedelta(days=30), sent=Sent("s", {}),
    )  # fmt: skip


def test_an_event_is_claimed_and_taken_over(client):
    no_bodies: Any = None
    events, lease = DynamoEvents(client, table_name("events"), no_bodies), START + timedelta(1)
    for id_ in each_lost():
        kept = events.receive(event(id_, "one"))
        assert kept.claim == "one"
        mine = events.take_over(kept, "two", lease)
        assert mine is not None, id_
        assert (mine.claim, mine.outcome) == ("two", CLAIMED)
        assert events.take_over(kept, "three", lease) is None, id_
        events.settle(mine, Became(STARTED, "run-1"))
        found = events.get(id_)
        assert found is not None
        assert (found.outcome, found.run_id) == (STARTED, "run-1"), id_
