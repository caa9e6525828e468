"""What a run on a deployed stage comes to: from the event, through people, to its record."""

from __future__ import annotations

import io
import json

import pytest

from cli.console import Console
from cli.reach.client import Refused, at
from cli.stack.once import once
from local.server.events import Request
from tests.stack.conftest import ALICE, CAROL, DAVE

pytestmark = pytest.mark.slow


def _statuses(record):
    return {step["step_id"]: step["status"] for step in record["steps"]}


def _texts(lines):
    return [line["text"].strip() for line in lines]


def _put(stage, event, payload):
    """Put an event on the stage's bus, as any service of the account may."""
    entry = {"EventBusName": "stepsmith-dev", "Source": "tests", "DetailType": event,
             "Detail": json.dumps(payload)}  # fmt: skip
    put = stage.client("events").put_events(Entries=[entry])
    assert put["FailedEntryCount"] == 0


def _runs_of(stage, workflow):
    return {one["run_id"] for one in stage.api().get(at("runs"), workflow=workflow)["items"]}


def test_an_event_starts_a_run_that_is_approved_over_the_api_and_tells_others(stage):
    deployed, announced = _runs_of(stage, "deploy"), _runs_of(stage, "announce")
    _put(stage, "app.pushed", {"version": "1.2.3"})

    (run,) = stage.wait(lambda: _runs_of(stage, "deploy") - deployed, bool)
    task = stage.task(run)
    assert (task["title"], task["assignees"]) == ("Deploy app-1.2.3?", [ALICE, DAVE])
    with pytest.raises(Refused) as refused:  # Carol is nobody who may
        stage.api(CAROL).post(at("tasks", task["task_id"], "status"), {"status": "approved"})
    assert refused.value.status == 404
    stage.api(ALICE).post(
        at("tasks", task["task_id"], "status"), {"status": "approved", "comments": "fine"}
    )

    record = stage.over(run)
    url = "https://example.com/app-1.2.3"
    assert (record["status"], record["outputs"]) == ("succeeded", {"url": url})
    assert set(_statuses(record).values()) == {"succeeded"}
    review = next(step for step in record["steps"] if step["step_id"] == "review")
    assert (review["outputs"]["decided_by"], review["outputs"]["comments"]) == (ALICE, "fine")
    assert record["trigger"]["type"] == "event"
    # What it published has come back to the bus and started another.
    (told,) = stage.wait(lambda: _runs_of(stage, "announce") - announced, bool)
    assert stage.over(told)["status"] == "succeeded"
    log = stage.api().get(at("runs", told, "logs"))
    assert f"it is at {url}" in _texts(log["items"])


def test_the_same_event_twice_is_one_run(stage):
    for _ in range(2):
        stage.api().post(at("events"), {"event": "app.pushed", "id": "push-7",
                                        "payload": {"version": "7.7.7"}})  # fmt: skip

    events = stage.wait(
        lambda: [one for one in stage.api().get(at("events"))["items"]
                 if one["workflow_id"] == "deploy" and one["deliveries"] == 2],
        bool,
    )  # fmt: skip
    (event,) = events
    assert event["outcome"] == "started"
    task = stage.task(event["run_id"])
    stage.api(ALICE).post(at("tasks", task["task_id"], "status"), {"status": "rejected"})
    assert stage.over(event["run_id"])["status"] == "failed"


def test_what_is_rejected_ends_the_run_and_nothing_behind_it_happens(stage):
    run = stage.run("deploy", version="6.6.6")
    task = stage.task(run)

    answer = {"status": "rejected", "comments": "not on a Friday"}
    stage.api(ALICE).post(at("tasks", task["task_id"], "status"), answer)

    record = stage.over(run)
    assert record["status"] == "failed"
    assert _statuses(record) == {
        "build": "succeeded",
        "review": "rejected",
        "release": "skipped",
        "tell": "skipped",
    }
    (why,) = record["error"]["details"]
    assert (why["step_id"], why["message"]) == ("review", f"rejected by {ALICE}")
    with pytest.raises(Refused) as late:
        stage.api(ALICE).post(at("tasks", task["task_id"], "status"), {"status": "approved"})
    assert late.value.status in (409, 410)


def test_nobody_approves_what_they_started_themselves(stage):
    run = stage.run("deploy", person=ALICE, version="5.5.5")
    task = stage.task(run)

    with pytest.raises(Refused) as refused:
        stage.api(ALICE).post(at("tasks", task["task_id"], "status"), {"status": "approved"})

    assert refused.value.status == 403
    stage.api(ALICE).post(at("runs", run, "cancel"))
    assert stage.over(run)["status"] == "cancelled"


def test_silence_is_no_yes(stage):
    record = stage.over(stage.run("ask"))

    assert record["status"] == "failed"
    assert _statuses(record) == {"question": "timed_out", "after": "skipped"}


def test_a_call_that_fails_twice_gets_through_at_the_third(stage):
    run = stage.run("flaky")
    record = stage.over(run)

    (work,) = record["steps"]
    assert (record["status"], work["status"], work["attempt"]) == ("succeeded", "succeeded", 3)
    assert work["outputs"] == {"attempt": "3"}
    log = stage.wait(
        lambda: stage.api().get(at("runs", run, "logs"))["items"],
        lambda lines: "attempt 3" in _texts(lines),
    )
    assert {line["attempt"] for line in log} >= {1, 2, 3}


def test_a_call_that_fails_too_often_fails_the_run_and_its_handler_cleans_up(stage):
    record = stage.over(stage.run("flaky", fails=9))

    (work,) = record["steps"]
    assert (record["status"], work["status"], work["attempt"]) == ("failed", "failed", 3)
    assert work["error"]["type"] == "ScriptFailed"
    assert "not yet" in work["error"]["message"]
    assert record["closing"]["status"] == "succeeded"
    assert [step["status"] for step in record["closing"]["handlers"]] == ["succeeded"]


def test_a_workflow_calls_another_and_has_its_record(stage):
    record = stage.over(stage.run("parent"))

    assert (record["status"], record["outputs"]) == ("succeeded", {"said": "Hello, world"})
    (call,) = record["steps"]
    assert call["run"]["workflow_id"] == "child"
    assert _statuses(call["run"]) == {"greet": "succeeded"}


def test_dependencies_that_do_not_nest_meet_at_a_latch(stage):
    record = stage.over(stage.run("crossed"))

    assert (record["status"], record["outputs"]) == ("succeeded", {"order": "1b-12c"})


def test_a_script_that_is_a_build_is_carried_out_and_its_log_kept(stage):
    run = stage.run("built")
    record = stage.over(run)

    assert record["status"] == "succeeded", record["error"]
    (step,) = record["steps"]
    assert step["outputs"] == {"branches": "0"}
    log = stage.wait(lambda: stage.api().get(at("runs", run, "logs"))["items"], bool)
    assert "attempt succeeded" in _texts(log)


def test_actions_that_need_programs_are_builds_and_a_handler_finds_their_files(stage):
    """The last step falls over what it has read, so that there is something to close."""
    run = stage.run("packed")
    record = stage.over(run)

    assert _statuses(record) == {
        "pack": "succeeded",
        "check": "succeeded",
        "stamp": "succeeded",
        "fall": "failed",
    }
    assert record["steps"][0]["outputs"]["artifact"] == "dist/app"
    # What a program finds in a build: no PYTHONPATH to the wrapper's own libraries.
    assert record["steps"][2]["outputs"] == {"text": "built"}
    assert [step["status"] for step in record["closing"]["handlers"]] == ["succeeded"]
    functions = stage.client("lambda").list_functions()["Functions"]
    names = {one["Description"].rpartition(": ")[2] for one in functions}
    assert "action-stamp" in names
    assert not names & {"action-build-artifact", "action-run-tests", "action-stamp-files"}


def test_inputs_that_break_the_contract_start_nothing(stage):
    with pytest.raises(Refused) as refused:
        stage.run("flaky", fails="many", more=1)

    assert refused.value.status == 400
    pointers = {one["pointer"] for one in refused.value.problem["errors"]}
    assert "/fails" in pointers


def test_once_runs_a_workflow_says_yes_and_tells_how_long_it_took(stage):
    shown = io.StringIO()

    code = once("versions", stage.up, Console(shown, shown, io.StringIO(), {}))

    assert (code, shown.getvalue().split(" in ")[0]) == (0, "versions succeeded")
    assert "ran " in stage.said.getvalue()


def test_who_is_nobody_is_asked_to_log_in(stage):
    ask = stage.up.way.forward

    assert ask(Request("GET", "/api/runs"), None).status == 401
    assert ask(Request("GET", "/api/openapi.json"), None).status == 200
