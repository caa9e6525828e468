"""Running workflows over the API."""

from __future__ import annotations

import json

import pytest
from botocore.exceptions import ClientError

from functions.usecases.claim import LEASE
from functions.usecases.run_workflow import LONGEST_WAIT
from functions.usecases.switches import disable
from tests.functions.events.kit import START, Killed, manifest, trigger
from tests.functions.events.site import ALICE, EventSite

CONTRACT = {
    "type": "object",
    "properties": {
        "env": {"type": "string", "enum": ["test", "live"]},
        "delay": {"type": "number", "default": 30},
    },
    "required": ["env"],
    "additionalProperties": False,
}


@pytest.fixture
def site(deployed):
    return EventSite(deployed(manifest(trigger(), inputs=CONTRACT)))


def ends(stage, status, output=None, **more):
    """Let every execution end when it is looked at for the third time."""
    looks = []

    def describe(call, client, name, params):
        looks.append(name)
        if name == "DescribeExecution" and looks.count(name) == 3:
            for one in stage.executions:
                one.status, one.stop_date = status, START
        answer = call(client, name, params)
        if name == "DescribeExecution" and answer["status"] != "RUNNING":
            answer |= {"stopDate": START, "output": json.dumps(output), **more}
        return answer

    around = stage.calls.around
    stage.calls.around = lambda call, client, name, params: around(
        lambda *given: describe(call, *given), client, name, params
    )


def test_a_run_is_started_with_its_defaults(site):
    answer = site.run({"env": "test"})
    assert answer.status == 202, answer.text
    run = answer.json["run_id"]
    assert answer.headers["Location"] == f"/api/runs/{run}"
    [given] = site.stage.inputs()
    assert given["inputs"] == {"env": "test", "delay": 30}
    digest = site.stage.deployed["release"]["digest"]
    assert given["run"] == {"id": run, "attempt": 1, "manifest": digest, "started_by": ALICE}


def test_who_is_not_logged_in_runs_nothing(site):
    assert site.call("POST", "/api/workflows/release/run", {"env": "test"}).status == 401
    assert site.stage.executions == []


def test_everything_wrong_with_the_inputs_is_told_with_its_place(site):
    answer = site.run({"env": 7, "delay": "long", "speed": 1})
    assert answer.status == 400
    assert answer.headers["Content-Type"] == "application/problem+json"
    told = {one["pointer"]: one["detail"] for one in answer.json["errors"]}
    assert set(told) == {"/env", "/delay", "/speed"}
    assert told["/delay"] == "must be a number, and is text"
    assert site.stage.executions == []


def test_without_a_body_the_inputs_are_empty(deployed):
    site = EventSite(deployed(manifest(trigger())))
    answer = site.call("POST", "/api/workflows/release/run", person=ALICE,
                       headers={"prefer": "respond-async"})  # fmt: skip
    assert answer.status == 202, answer.text
    assert site.stage.inputs()[0]["inputs"] == {}


@pytest.mark.parametrize("name", ["nothing", "release@2", "release--close"])
def test_what_is_not_deployed_is_unknown(site, name):
    assert site.run({"env": "test"}, workflow=name).status == 404


def test_the_outputs_of_a_run_that_ends_in_time_are_the_answer(site):
    ends(site.stage, "SUCCEEDED", {"deployment_id": "d-1"})
    answer = site.run({"env": "test"}, prefer="")
    assert answer.status == 200, answer.text
    assert answer.json == {"deployment_id": "d-1", "timestamp": "2026-11-30T09:00:00.000Z"}
    assert answer.headers["X-Run-Id"] == site.stage.executions[0].name


def test_a_failed_run_is_told_with_its_error(site):
    error = {"type": "WorkflowError", "message": "build failed", "details": [{"step_id": "build"}]}
    ends(site.stage, "FAILED", error="WorkflowError", cause=json.dumps(error))
    answer = site.run({"env": "test"}, prefer="wait=20")
    assert (answer.status, answer.json["error"]) == (422, error)
    assert answer.json["type"].endswith(":run-failed")
    assert answer.json["run_id"] == site.stage.executions[0].name


@pytest.mark.parametrize(
    ("status", "error", "message"),
    [("ABORTED", None, "the run was cancelled"), ("TIMED_OUT", None, "the run took too long"),
     ("FAILED", "States.Runtime", "no such variable")],
)  # fmt: skip
def test_a_run_that_ended_otherwise_is_told_so(site, status, error, message):
    ends(site.stage, status, error=error, cause=message if error else None)
    answer = site.run({"env": "test"}, prefer="wait=20")
    assert answer.status == 422
    assert answer.json["error"]["type"] == error or status
    assert answer.json["error"]["message"] == message


@pytest.mark.parametrize(
    ("prefer", "seconds"),
    [("", LONGEST_WAIT), ("wait=3", 3), ("wait=900", LONGEST_WAIT), ("respond-async, wait=5", 5)],
)
def test_a_run_that_goes_on_is_answered_when_the_time_is_over(site, prefer, seconds):
    answer = site.run({"env": "test"}, prefer=prefer)
    assert answer.status == 202
    assert (site.stage.clock.now() - START).total_seconds() == pytest.approx(seconds, abs=0.1)


def test_waiting_does_not_ask_too_often(site):
    with site.stage.calls.watched() as calls:
        site.run({"env": "test"}, prefer="")
        assert 10 <= calls.names.count("DescribeExecution") <= 20


def test_a_key_makes_equal_calls_one_run(site):
    first = site.run({"env": "test"}, idempotency_key="k1")
    second = site.run({"env": "test"}, idempotency_key="k1")
    assert second.json == first.json
    assert "Idempotent-Replayed" not in first.headers
    assert second.headers["Idempotent-Replayed"] == "true"
    other = site.run({"env": "test"}, idempotency_key="k2")
    assert other.json["run_id"] != first.json["run_id"]
    assert len(site.stage.executions) == 2


def test_a_key_is_its_callers(site):
    site.run({"env": "test"}, idempotency_key="k1")
    path, headers = "/api/workflows/release/run", {"idempotency-key": "k1", "prefer": "wait=0"}
    site.call("POST", path, {"env": "test"}, person="bob@example.com", headers=headers)
    assert len(site.stage.executions) == 2


def test_a_key_of_another_call_is_refused(site):
    site.run({"env": "test"}, idempotency_key="k1")
    answer = site.run({"env": "live"}, idempotency_key="k1")
    assert answer.status == 422
    assert answer.json["type"].endswith(":idempotency-key-reused")
    assert len(site.stage.executions) == 1


def test_wrong_inputs_do_not_take_the_key(site):
    assert site.run({}, idempotency_key="k1").status == 400
    assert site.run({"env": "test"}, idempotency_key="k1").status == 202


def test_a_call_that_was_cut_off_is_made_good_by_the_next(site):
    site.run({"env": "test"}, idempotency_key="first")
    with site.stage.calls.watched() as calls:
        site.run({"env": "test"}, idempotency_key="second")
        names = list(calls.names)
    assert names == ["UpdateItem", "StartExecution", "PutItem", "UpdateItem"]
    for point in range(2 * len(names)):
        with site.stage.calls.watched(point), pytest.raises(Killed):
            site.run({"env": "test"}, idempotency_key=f"k{point + 1}")
        answer = site.run({"env": "test"}, idempotency_key=f"k{point + 1}")
        assert answer.status in (202, 409)
        if answer.status == 409:
            assert answer.headers["Retry-After"]
            site.stage.clock.at += LEASE
            site.stage.gate.switches.disabled()
            answer = site.run({"env": "test"}, idempotency_key=f"k{point + 1}")
        assert answer.status == 202
        assert len(site.stage.executions) == point + 3
        assert answer.json["run_id"] == site.stage.executions[-1].name


def test_another_call_does_not_take_the_key_of_one_that_was_cut_off(site):
    """Wherever it was: the key stays the first one's, whose next call has its run."""
    site.run({"env": "test"}, idempotency_key="first")
    for point in range(1, 8):  # behind the claim, before the start, ..., behind the mark
        key = f"k{point}"
        with site.stage.calls.watched(point), pytest.raises(Killed):
            site.run({"env": "test"}, idempotency_key=key)
        site.stage.clock.at += LEASE
        answer = site.run({"env": "live"}, idempotency_key=key)
        assert answer.status == 422, point
        assert answer.json["type"].endswith(":idempotency-key-reused")
        assert site.run({"env": "test"}, idempotency_key=key).status == 202
    assert [one["inputs"] for one in site.stage.inputs()] == [{"env": "test", "delay": 30}] * 8


def test_a_run_that_cannot_be_looked_at_is_told_of_all_the_same(site):
    """Whoever heard of an error would start another one."""
    refused = ClientError({"Error": {"Code": "ThrottlingException"}}, "DescribeExecution")
    site.stage.calls.fault = lambda name: (refused, False) if name.startswith("Describe") else None
    answer = site.run({"env": "test"}, prefer="wait=3")
    assert (answer.status, len(site.stage.executions)) == (202, 1)
    assert answer.headers["Location"] == f"/api/runs/{answer.json['run_id']}"


def test_a_disabled_workflow_does_not_run_but_tells_of_its_runs(site):
    first = site.run({"env": "test"}, idempotency_key="k1")
    disable("release", site.stage.gate)
    site.stage.clock.forward(seconds=6)
    answer = site.run({"env": "test"})
    assert (answer.status, answer.json["type"][-9:]) == (409, ":disabled")
    assert site.run({"env": "test"}, idempotency_key="k2").status == 409
    again = site.run({"env": "test"}, idempotency_key="k1")
    assert again.json == first.json
    assert len(site.stage.executions) == 1


def test_a_deliberate_repetition_says_what_it_repeats(site):
    path = "/api/workflows/release/run?rerun_of=release-1"
    site.call("POST", path, {"env": "test"}, person=ALICE, headers={"prefer": "wait=0"})
    assert site.stage.inputs()[0]["run"]["rerun_of"] == "release-1"


def test_workflows_are_listed_and_read(deployed):
    stage = deployed(
        manifest(trigger(), id="a"),
        manifest(id="b", version="1"),
        manifest(id="c", inputs=CONTRACT),
    )
    newer = manifest(id="b", version="2")
    stage.deployed |= {"b": newer, "b@2": newer}
    site = EventSite(stage)
    first = site.call("GET", "/api/workflows?limit=3", person=ALICE).json
    rest = site.call("GET", f"/api/workflows?cursor={first['next']}", person=ALICE).json
    found = [(one["id"], one["version"]) for one in (*first["items"], *rest["items"])]
    assert found == [("a", "1"), ("b", "2"), ("b", "1"), ("c", "1")]
    assert first["items"][0]["triggers"] == [{"name": "release-http", "type": "http"}]
    one = site.call("GET", "/api/workflows/b@1", person=ALICE).json
    assert (one["version"], one["disabled"]) == ("1", False)
    assert site.call("GET", "/api/workflows/c", person=ALICE).json["inputs"] == CONTRACT


def test_an_old_version_is_read_by_its_digest(site):
    site.run({"env": "test"})
    old = site.stage.deployed["release"]
    new = manifest(trigger(), version="2")
    site.stage.deployed.clear()
    site.stage.deployed |= {"release": new, "release@2": new}
    path = f"/api/workflows/release?digest={old['digest']}"
    assert site.call("GET", path, person=ALICE).json["version"] == "1"
    path = f"/api/workflows/release?digest={'0' * 64}"
    assert site.call("GET", path, person=ALICE).status == 404


def test_a_workflow_is_disabled_and_enabled(site):
    answer = site.call("POST", "/api/workflows/release/disable", person=ALICE)
    assert answer.json == {"id": "release", "disabled": True}
    assert site.call("GET", "/api/workflows/release", person=ALICE).json["disabled"]
    assert site.run({"env": "test"}).status == 409
    site.call("POST", "/api/workflows/release/enable", person=ALICE)
    assert site.run({"env": "test"}).status == 202
