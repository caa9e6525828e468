"""The table of runs, its lists, large records; histories and logs as AWS gives them."""

from __future__ import annotations

import json
import random
import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from functions.adapters.cloud_logs import CloudLogs
from functions.adapters.histories import StepFunctionsHistories
from functions.adapters.runs import LARGEST, DynamoRuns
from functions.domain.records.item import Cancelling, RunItem
from functions.record_ports import Kept, Known, NoSuchPlace, Sought, Span
from local.engine import REGION, Engine
from local.tables import create_tables, table_name
from tests.functions.records.memory import START, MemoryRuns, SetClock

BUCKET = "runs-test"


@pytest.fixture(scope="module")
def aws():
    with Engine({}) as engine:
        create_tables(boto3.client("dynamodb", region_name=REGION), ["runs"])
        boto3.client("s3", region_name=REGION).create_bucket(Bucket=BUCKET)
        yield engine


@pytest.fixture(scope="module")
def runs(aws):  # noqa: ARG001 (its tables)
    client, s3 = (
        boto3.client("dynamodb", region_name=REGION),
        boto3.client("s3", region_name=REGION),
    )
    return DynamoRuns(client, table_name("runs"), lambda: (s3, BUCKET), SetClock())


def item(run_id, **fields) -> RunItem:
    at = fields.pop("started_at", "2026-01-01T00:00:00.000Z")
    return RunItem(run_id, fields.pop("workflow_id", "w"), "1", "w", at, **fields)


def always(one):
    """Return the wish for an item, whatever is there."""
    return lambda _: one


def record(run_id, outputs=None, **fields):
    return {"run_id": run_id, "run_attempt": 1, "status": "failed", "outputs": outputs, **fields}


def test_an_item_comes_back_as_it_was_put_in(runs):
    whole = item(
        "back", cancelling=Cancelling("me", "now", compensate=True), trigger={"name": "n"},
        parent="p", root="q", manifest="m", error="\ud800 odd", settled=True,
    )  # fmt: skip
    assert runs.change("back", lambda _: whole) == replace(whole, version=1)
    assert runs.get("back") == replace(whole, version=1)
    assert runs.get("never") is None


def test_a_change_is_made_from_what_is_there(runs):
    """Of many at the same moment none is lost."""
    runs.change("busy", lambda _: item("busy", error=""))

    def add(letter):
        runs.change("busy", lambda one: replace(one, error=one.error + letter))

    threads = [threading.Thread(target=add, args=(letter,)) for letter in "abcdef"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(runs.get("busy").error) == list("abcdef")


def test_nothing_is_written_where_nothing_changes(runs):
    before = runs.change("calm", lambda _: item("calm"))
    assert runs.change("calm", lambda one: one) == before
    assert runs.change("calm", lambda _: None) == before
    assert runs.get("calm").version == 1


def test_the_record_that_knows_more_stays(runs):
    for over, outputs in ((1, "a"), (3, "c"), (2, "b"), (3, "d")):
        runs.keep(Kept(record("more", outputs), over))
    assert runs.kept("more", 1) == Kept(record("more", "d"), 3)
    assert runs.kept("more", 2) is None


def test_a_large_record_is_kept_in_the_bucket(runs):
    noise = random.Random(1).randbytes(LARGEST).hex()
    runs.keep(Kept(record("large", noise), 1))
    assert runs.kept("large", 1).record["outputs"] == noise
    listed = boto3.client("s3", region_name=REGION).list_objects_v2(Bucket=BUCKET)
    assert [one["Key"] for one in listed["Contents"]] == ["runs/large/record-1-1.json.z"]


def test_what_an_attempt_was_started_with_is_kept_once(runs):
    runs.give("given", 1, {"inputs": {"a": 1}})
    runs.give("given", 1, {"inputs": {"a": 2}})
    assert runs.given("given", 1) == {"inputs": {"a": 1}}
    assert runs.given("given", 2) is None


def test_executions_that_belong_to_a_run(runs):
    known = Known("k", "arn", "child", "c", 1, "now", "call", (2,))
    runs.know("owner", known)
    runs.know("owner", replace(known, arn="other"))
    (found,) = runs.known("owner")
    assert (found.arn, tuple(found.items)) == ("arn", (2,))


def test_what_is_done_once_is_claimed_once(runs):
    assert [runs.claim("once", "mail") for _ in range(2)] == [True, False]
    runs.note("once", "mail", "sent")
    assert runs.noted("once") == {"mail": "sent"}


# --- lists --------------------------------------------------------------------------------------

WORKFLOWS, STATUSES, STARTERS = ("w", "deploy"), ("running", "failed"), (None, "me", "you")


@pytest.fixture(scope="module")
def listed(aws):  # noqa: ARG001 (its tables)
    """Forty runs, and some that were called, in a table of their own."""
    client = boto3.client("dynamodb", region_name=REGION)
    client.delete_table(TableName=table_name("runs"))
    create_tables(client, ["runs"])
    nowhere: Any = None
    table = DynamoRuns(client, table_name("runs"), lambda: nowhere, SetClock())
    chance = random.Random(7)
    items = []
    for number in range(40):
        workflow = chance.choice(WORKFLOWS)
        at = f"2026-01-{chance.randint(1, 9):02}T00:00:00.000Z"
        one = item(
            f"{workflow}-{chance.randbytes(5).hex()}", workflow_id=workflow, started_at=at,
            status=chance.choice(STATUSES), started_by=chance.choice(STARTERS),
        )  # fmt: skip
        table.change(one.run_id, always(one))
        items.append(one)
        called = replace(one, run_id=f"c{number}", parent=one.run_id)
        table.change(called.run_id, always(called))
    return table, items


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    workflow=st.sampled_from((None, *WORKFLOWS, "other")),
    status=st.sampled_from((None, *STATUSES)),
    starter=st.sampled_from(STARTERS),
    prefix=st.sampled_from((None, "w-", "deploy-0", "c", "x")),
    limit=st.sampled_from((1, 3, 50)),
)
def test_lists_show_what_is_sought_page_by_page(listed, workflow, status, starter, prefix, limit):
    table, items = listed
    sought = Sought(workflow, status, starter, prefix)
    found, place = [], None
    while True:
        page = table.listed(sought, limit, place)
        assert len(page.runs) <= limit
        found += [one["run_id"] for one in page.runs]
        place = page.place
        if place is None:
            break
    wanted = [
        one
        for one in items
        if workflow in (None, one.workflow_id)
        and status in (None, one.status)
        and starter in (None, one.started_by)
        and one.run_id.startswith(prefix or "")
    ]
    assert sorted(found) == sorted(one.run_id for one in wanted)
    at = {one.run_id: one.started_at for one in items}
    if prefix is None:
        assert [at[one] for one in found] == sorted((at[one] for one in found), reverse=True)
    else:
        assert found == sorted(found)


@pytest.mark.parametrize(
    "place", [{"run": "x"}, {"run": "a", "part": "run", "status": "failed", "started_at": "b"}]
)
def test_a_place_of_another_list_is_refused(listed, place):
    with pytest.raises(NoSuchPlace):
        listed[0].listed(Sought(), 5, place)


def test_runs_that_are_to_be_looked_at_come_in_turn(listed):
    table, items = listed
    first = table.unsettled(5)
    assert [one.started_at for one in first] == sorted(one.started_at for one in items)[:5]
    for one in first:
        table.change(one.run_id, lambda old: replace(old, settled=True))
    assert not {one.run_id for one in first} & {one.run_id for one in table.unsettled(100)}


def test_the_table_in_memory_does_as_the_real_one(runs):
    """What the other tests of records stand on."""
    one, two = MemoryRuns(), runs
    for each in (one, two):
        each.change("same", lambda _: item("same"))
        each.keep(Kept(record("same", "a"), 2))
        each.keep(Kept(record("same", "b"), 1))
        each.claim("same", "x")
    assert one.get("same") == two.get("same")
    assert one.kept("same", 1) == two.kept("same", 1)
    assert one.claim("same", "x") is two.claim("same", "x") is False
    assert one.noted("same") == two.noted("same")


# --- Step Functions and CloudWatch Logs -----------------------------------------------------------


def test_an_execution_is_described_and_its_history_read(aws):
    machine = {"StartAt": "P", "QueryLanguage": "JSONata",
               "States": {"P": {"Type": "Pass", "Output": {"a": 1}, "End": True}}}  # fmt: skip
    aws.create({"M": machine}, {})
    aws.execute("M", {"run": {"id": "r"}}, "r")
    histories = StepFunctionsHistories(boto3.client("stepfunctions", region_name=REGION))
    arn = f"arn:aws:states:{REGION}:123456789012:execution:M:r"
    found = histories.describe(arn)
    assert (found.machine, found.name, found.status) == ("M", "r", "SUCCEEDED")
    assert (found.input, found.output) == ({"run": {"id": "r"}}, {"a": 1})
    assert found.started_at.microsecond % 1000 == 0
    assert [one["type"] for one in histories.events(arn)][-1] == "ExecutionSucceeded"
    assert histories.describe(arn + "x") is None


class Logs:
    """CloudWatch Logs with these events in two groups, in pages of two."""

    def __init__(self, *lines):
        self.lines = lines
        self.calls = []

    def filter_log_events(self, **call):
        self.calls.append(call)
        if call["logGroupName"] == "gone":
            raise ClientError({"Error": {"Code": "ResourceNotFoundException"}}, "FilterLogEvents")
        begin = int(call.get("nextToken", 0))
        events = [
            {"message": one, "timestamp": 1_767_225_600_000 + number}
            for number, one in enumerate(self.lines)
        ][begin : begin + 2]
        more = {"nextToken": str(begin + 2)} if begin + 2 < len(self.lines) else {}
        return {"events": events, **more}


def log(run="r", step="a", **fields):
    return json.dumps({"run_id": run, "step_id": step, "attempt": 2, "level": "INFO", **fields})


def test_the_log_of_a_run_is_read_page_by_page():
    logs = Logs(
        log(message="attempt begun"),
        log(message="said", stream="stdout", text="hello"),
        "no json",
        log(message="attempt failed", error_type="Broken", error="why", items=[1]),
    )
    reader = CloudLogs(lambda: logs, ["gone", "group"])
    span = Span(START, START + timedelta(hours=1))
    page = reader.lines("r", None, span, 2, None)
    assert [one.text for one in page.lines] == ["attempt begun", "hello"]
    page = reader.lines("r", None, span, 2, page.place)
    assert [(one.text, one.items) for one in page.lines] == [("attempt failed: Broken: why", (1,))]
    assert page.place is None
    assert page.lines[0].at == "2026-01-01T00:00:00.003Z"
    assert logs.calls[0]["filterPattern"] == '{ ($.run_id = "r") }'


def test_only_lines_of_the_step_that_is_meant_are_shown():
    """Also where a pattern lets more through."""
    logs = Logs(log(message="a"), log(step="b", message="b"), log(run="x", step="b", message="x"))
    page = CloudLogs(lambda: logs, ["group"]).lines("r", 'b"', Span(START), 9, None)
    assert page.lines == []
    assert logs.calls[0]["filterPattern"] == '{ ($.run_id = "r") && ($.step_id = "b\\"") }'
    page = CloudLogs(lambda: logs, ["group"]).lines("r", "b", Span(START), 9, None)
    assert [one.text for one in page.lines] == ["b"]
