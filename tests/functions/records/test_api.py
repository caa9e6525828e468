"""Runs over the API: lists, records of runs that go on and that are over, logs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from functions.domain.records.item import RunItem
from functions.domain.records.rows import ResultRow
from functions.domain.resuming import Entry, Resumption, Wishes
from functions.domain.task import Place, Task
from functions.record_ports import LogLine, LogPage
from functions.usecases import cancel as cancel_run
from functions.usecases.archive import Plans
from functions.usecases.cancel import NotCancelled
from functions.usecases.keep_record import take_change
from functions.usecases.reading import Reading
from functions.usecases.resume import NotResumed, Resumed, Unknown, UnknownRun
from local.stubs import Fail, Stub
from tests.functions.http.site import Site
from tests.functions.records.memory import STAGE, START, begins
from tests.functions.records.replay import news, office_of, played, tell, written
from tests.functions.tasks.interleaving import MemoryTokens, Schedule
from tests.functions.tasks.office import ALICE, Scene

TEXT = """
steps:
  - {id: a, run: x}
  - {id: wait, type: wait, for: 1h}
  - {id: each, run: x, for_each: [1, 2, 3], depends_on: [a]}
  - {id: call, type: subworkflow, workflow: other, depends_on: [wait, each]}
  - {id: ask, type: manual, title: ok?, assignees: [alice@example.com], depends_on: [call]}
  - {id: soft, run: x, depends_on: [a], on_error: continue}
  - {id: hard, run: x, depends_on: [soft]}
  - {id: never, run: x, depends_on: [hard]}
  - {id: tried, run: x, depends_on: [a], retry: {max_attempts: 3}}
  - {id: both, type: parallel, depends_on: [a], steps: [{id: in1, run: x}, {id: in2, run: x}]}
"""
OTHER = "steps: [{id: inner, run: x}]"


class Lines:
    """A log with a line for each step asked about."""

    def lines(self, run_id, step, span, limit, after):
        assert span.since >= START
        line = LogLine("2026-01-01T00:00:00.000Z", step or "a", 1, "info", f"{run_id} {limit}")
        return LogPage([line], None if after else {"at": 1})


@pytest.fixture(scope="module")
def run():
    workflow = written(TEXT, other=OTHER)
    return played(workflow, {"inner": Stub(1, fail=Fail("Broken", "inside"))})


@pytest.fixture
def office(run):
    return office_of(run)


@pytest.fixture
def site(office):
    schedule = Schedule([])
    scene = Scene(office.tasks, MemoryTokens(schedule))
    site = Site(scene)
    reading = Reading(office.archive, Plans(STAGE, office.manifests), Lines())
    site.wiring = replace(site.wiring, runs=lambda: reading)
    return site


def get(site, path, **more):
    return site.call("GET", path, person=ALICE, **more)


def test_a_list_shows_runs_that_nobody_called(site, office):
    tell(office, news(office))
    page = get(site, "/api/runs").json
    (one,) = page["items"]
    assert page["next"] is None
    assert (one["run_id"], one["status"], one["run_attempt"]) == ("r-1", "failed", 1)
    inner = next(run for run in office.runs.items if run != "r-1")
    assert one["error"] == f"call: WorkflowError: inner: Broken: inside (run {inner})"


@pytest.mark.parametrize(
    ("query", "count"),
    [("status=failed", 1), ("status=running", 0), ("workflow=w", 1), ("q=r-", 1), ("q=x", 0)],
)
def test_a_list_can_be_narrowed(site, office, query, count):
    tell(office, news(office))
    assert len(get(site, f"/api/runs?{query}").json["items"]) == count


@pytest.mark.parametrize("query", ["status=odd", "limit=0", "cursor=abc", "cursor=WzFd", "x=1"])
def test_what_no_list_knows_is_refused(site, query):
    assert get(site, f"/api/runs?{query}").status == 400


def test_pages_lead_to_each_other(site, office):
    tell(office, news(office))
    item = office.runs.items["r-1"]
    for number in range(3):
        office.runs.items[f"s-{number}"] = replace(item, run_id=f"s-{number}")
    page = get(site, "/api/runs?limit=3").json
    seen = [one["run_id"] for one in page["items"]]
    while page["next"] is not None:
        page = get(site, f"/api/runs?limit=3&cursor={page['next']}").json
        seen += [one["run_id"] for one in page["items"]]
    assert sorted(seen) == ["r-1", "s-0", "s-1", "s-2"]


def test_a_run_that_is_over_is_its_record(site, office):
    tell(office, news(office))
    record = get(site, "/api/runs/r-1").json
    assert record == office.runs.kept("r-1", 1).record
    call = {step["step_id"]: step for step in record["steps"]}["call"]
    assert call["run"]["steps"][0]["error"] == {"type": "Broken", "message": "inside"}
    (detail,) = record["error"]["details"]
    inner = call["run"]["run_id"]
    assert detail["message"] == call["error"]["message"] == f"inner: Broken: inside (run {inner})"
    assert detail["run_id"] == call["error"]["run_id"] == inner
    assert detail["details"][0]["message"] == "inside"


@pytest.mark.parametrize("path", ["/api/runs/none", "/api/runs/none/logs"])
def test_what_is_not_there_is_not_found(site, path):
    assert get(site, path).status == 404


@pytest.mark.parametrize("path", ["/api/runs", "/api/runs/r-1", "/api/runs/r-1/logs"])
def test_whoever_is_not_logged_in_sees_nothing(site, path):
    assert site.call("GET", path).status == 401


def test_a_log_is_read_page_by_page(site, office):
    tell(office, news(office))
    page = get(site, "/api/runs/r-1/logs?step=b&limit=7").json
    assert page["items"][0] == {
        "at": "2026-01-01T00:00:00.000Z", "step": "b", "items": [], "attempt": 1,
        "level": "info", "stream": None, "text": "r-1 7",
    }  # fmt: skip
    page = get(site, f"/api/runs/r-1/logs?cursor={page['next']}").json
    assert page["next"] is None


# --- records of runs that go on -----------------------------------------------------------------


def row(status="succeeded", *, attempt=1, error=None) -> ResultRow:
    at = "2026-01-01T00:00:01+00:00"
    completed = None if status == "begun" else "2026-01-01T00:00:02+00:00"
    return ResultRow(status, attempt, at, at, completed, {}, error, error and "why", None)


def live(site, office, rows, tasks=()):
    """Return the steps of a run of which this is stored, by their ids."""
    if "r-1" not in office.runs.items:
        take_change(begins(office.engine.executions["r-1"]), office.keeper)
    office.rows.runs["r-1"] = rows
    office.tasks.rows = {task.task_id: task for task in tasks}
    office.tasks.members = [*office.tasks.rows]
    record = get(site, "/api/runs/r-1").json
    assert (record["completed_at"], record["error"]) == (None, None)
    return {step["step_id"]: step for step in record["steps"]}


def statuses(steps):
    return {name: step["status"] for name, step in steps.items() if step["status"] != "pending"}


def test_a_run_that_has_just_begun_has_everything_before_it(site, office):
    assert statuses(live(site, office, {})) == {}


def test_what_has_begun_runs_and_what_needed_it_is_done(site, office):
    """`wait` and `each` leave no result: what has begun behind them tells that they are over."""
    take_change(begins(office.engine.executions["r-1"]), office.keeper)
    child = next(e for e in office.engine.executions.values() if e.role == "child")
    take_change(begins(child), office.keeper)
    steps = live(site, office, {"a": row(), "each/0": row(), "each/1": row("begun")})
    assert statuses(steps) == {
        "a": "succeeded", "wait": "succeeded", "each": "succeeded", "call": "running"}  # fmt: skip
    assert steps["call"]["run"]["steps"][0]["status"] == "failed"
    assert [one["status"] for one in steps["each"]["items"]] == ["succeeded", "running"]


def test_a_tolerated_failure_lets_the_next_step_begin(site, office):
    steps = live(site, office, {"a": row(), "soft": row("failed", error="X")})
    assert (steps["soft"]["status"], steps["soft"]["tolerated"]) == ("failed", True)
    assert steps["hard"]["status"] == "pending"


def test_what_is_certain_to_be_skipped_is_so_at_once(site, office):
    steps = live(site, office, {"a": row(), "hard": row("in_doubt", error="X")})
    assert (steps["never"]["status"], steps["never"]["reason"]) == ("skipped", "upstream_failed")
    assert steps["hard"]["in_doubt"] is True
    assert steps["ask"]["status"] == "pending"


def test_a_failed_attempt_that_may_not_be_the_last_still_runs(site, office):
    steps = live(site, office, {"a": row(), "tried": row("failed", error="X")})
    assert (steps["tried"]["status"], steps["tried"]["error"]["type"]) == ("running", "X")


def test_a_parallel_step_runs_while_its_children_do(site, office):
    steps = live(site, office, {"a": row(), "in1": row("begun")})
    assert (steps["both"]["status"], steps["in1"]["status"]) == ("running", "running")


@pytest.mark.parametrize(
    ("kind", "status"), [("manual", "waiting"), ("event", "waiting"), ("pause", "paused")]
)
def test_what_waits_for_somebody_says_so(site, office, kind, status):
    task = Task("t" * 32, kind, Place("r-1", 1, "ask"), "w", START, START, "?", ("approved",))
    steps = live(site, office, {"a": row()}, [task])
    paused = "paused" if kind == "pause" else "running"
    assert get(site, "/api/runs/r-1").json["status"] == paused
    assert (steps["ask"]["status"], steps["ask"]["task_id"]) == (status, task.task_id)


def test_what_an_earlier_attempt_did_is_kept_until_it_is_done_again(site, office):
    take_change(begins(office.engine.executions["r-1"]), office.keeper)
    office.runs.items["r-1"] = replace(office.runs.items["r-1"], attempt=2)
    steps = live(site, office, {"a": row(), "hard": row("failed", error="X")})
    assert (steps["a"]["status"], steps["a"]["kept"]) == ("succeeded", True)
    assert steps["hard"]["status"] == "pending"


def test_the_api_document_describes_records(site):
    document = site.call("GET", "/api/openapi.json").json
    schema = document["components"]["schemas"]["Run"]
    assert schema["required"][:2] == ["run_id", "workflow_id"]
    assert schema["additionalProperties"] is False


# --- cancel and resume ----------------------------------------------------------------------------


@pytest.fixture
def asked(site, monkeypatch):
    """Note what the use cases are asked, and let them answer, or refuse, as they are told."""
    seen: list[Any] = []
    refuse: list[Exception] = []

    def called(name, answer):
        def call(*arguments, **more):
            seen.append((name, *arguments[:-1], more))
            if refuse:
                raise refuse[0]
            return answer(*arguments)

        home = "cancel" if name == "cancel" else "resume"
        monkeypatch.setattr(f"functions.usecases.{home}.{name}", call)

    nothing = Resumption(kept=["a"], following=["b"], refused=[Entry("x", "why")])
    called("plan_resume", lambda run_id, *_: Resumed(run_id, 2, nothing))
    called("resume", lambda run_id, *_: Resumed(run_id, 2, nothing))
    called("cancel", lambda run_id, *_: RunItem(run_id, "w", "", "w", "2026-01-01"))
    reading = replace(site.wiring.runs(), resumer=lambda: None, canceller=lambda: None)
    site.wiring = replace(site.wiring, runs=lambda: reading)
    return seen, refuse


def post(site, path, body=None):
    return site.call("POST", path, body, person=ALICE)


def test_a_run_is_cancelled_by_whoever_is_logged_in(site, asked):
    answer = post(site, "/api/runs/r-1/cancel", {"compensate": True})
    assert (answer.status, answer.json) == (202, {"run_id": "r-1", "status": "running"})
    assert asked[0] == [("cancel", "r-1", ALICE, {"compensate": True})]
    assert post(site, "/api/runs/r-1/cancel").status == 202
    assert asked[0][1][-1] == {"compensate": False}


def test_what_a_resume_would_do_is_told_and_nothing_done(site, asked):
    answer = post(site, "/api/runs/r-1/resume", {"dry_run": True, "from": "a", "done": ["b"]})
    assert (answer.status, answer.json["kept"], answer.json["run_attempt"]) == (200, ["a"], 2)
    assert answer.json["refused"] == [{"step_id": "x", "why": "why"}]
    ((name, run_id, wishes, _),) = asked[0]
    assert (name, run_id) == ("plan_resume", "r-1")
    assert wishes == Wishes(frozenset({"a"}), frozenset(), {"b": {}})


def test_a_resume_goes_on_as_another_attempt(site, asked):
    body = {"redo": ["x"], "done": {"b": {"url": "y"}}}
    answer = post(site, "/api/runs/r-1/resume", body)
    assert (answer.status, answer.headers["Location"]) == (202, "/api/runs/r-1")
    ((name, _, wishes, by, _),) = asked[0]
    assert (name, by) == ("resume", ALICE)
    assert wishes == Wishes(frozenset(), frozenset({"x"}), {"b": {"url": "y"}})


@pytest.mark.parametrize(
    ("what", "refused", "status"),
    [
        ("cancel", NotCancelled("it is over"), 409),
        ("cancel", cancel_run.UnknownRun("r-1"), 404),
        ("resume", NotResumed("it is not over"), 409),
        ("resume", UnknownRun("r-1"), 404),
        ("resume", Unknown(["x"], ["a"]), 400),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(site, asked, what, refused, status):
    asked[1].append(refused)
    answer = post(site, f"/api/runs/r-1/{what}", {})
    assert answer.status == status
    if status != 404:
        assert answer.json["detail"] == str(refused)


def test_steps_that_are_in_the_way_of_a_resume_are_listed(site, asked):
    plan = Resumption(refused=[Entry("x", "in doubt")])
    asked[1].append(NotResumed("some steps are in the way", Resumed("r-1", 2, plan)))
    answer = post(site, "/api/runs/r-1/resume", {})
    assert answer.json["plan"]["refused"] == [{"step_id": "x", "why": "in doubt"}]
