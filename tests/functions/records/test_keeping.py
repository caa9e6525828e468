"""What the end of a run asks for: its record, its tasks, its lock, what has to follow it."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from datetime import timedelta

import pytest

from functions.domain.lock import Claimant, Group
from functions.domain.records.executions import Execution
from functions.domain.records.item import Cancelling, cancelled_by
from functions.domain.records.said import said
from functions.domain.task import Place, Task
from functions.usecases.keep_record import take_change
from functions.usecases.sweep import sweep
from local.stubs import Fail, Stub
from protocol.names import machine_name
from tests.functions.records.memory import STAGE, START, begins, change, execution_arn
from tests.functions.records.replay import news, office_of, played, tell, written

UNDONE = """
steps:
  - {id: a, run: x, compensate: {run: undo}}
  - {id: call, type: subworkflow, workflow: other}
  - {id: b, run: x}
on_failure: {run: tell}
"""
OTHER = "steps: [{id: inner, run: x, compensate: {run: y}}]"


@pytest.fixture(scope="module")
def undone():
    return written(UNDONE, other=OTHER)


@pytest.fixture(scope="module")
def failed(undone):
    stubs = {"a": Stub(1), "inner": Stub(1), "b": Stub(5, fail=Fail("Broken", "why"))}
    return played(undone, stubs)


@pytest.fixture
def office(failed):
    return office_of(failed)


def execution(office, name="r-1", **fields) -> Execution:
    """Have an execution end otherwise than it did; return it."""
    changed = replace(office.engine.executions[name], **fields)
    office.engine.executions[name] = changed
    return changed


def without_close(office, **fields) -> Execution:
    """Let a run end by something that its machine could not catch: nothing followed it."""
    for name in [name for name in office.engine.executions if name.endswith("-close")]:
        del office.engine.executions[name]
    history = office.engine.histories["r-1"]
    office.engine.histories["r-1"] = [one for one in history if "Close" not in json.dumps(
        one, default=str)]  # fmt: skip
    return execution(office, **fields)


def kept(office, run_id="r-1"):
    found = office.runs.kept(run_id, office.runs.items[run_id].attempt)
    return None if found is None else found.record


def test_a_run_that_has_begun_is_kept_with_what_it_was_started_with(office):
    take_change(begins(office.engine.executions["r-1"]), office.keeper)
    item = office.runs.items["r-1"]
    assert (item.status, item.workflow_id, item.reference) == ("running", "w", "w")
    assert office.runs.given("r-1", 1)["run"]["id"] == "r-1"


def test_the_record_of_a_failed_run_tells_what_its_close_machine_did(office):
    tell(office, news(office))
    record = kept(office)
    assert record["closing"]["compensation"] == "complete"
    assert [one["step"] for one in record["closing"]["undone"]] == ["call", "a"]
    steps = {step["step_id"]: step for step in record["steps"]}
    assert steps["a"]["undone"] is True
    called = steps["call"]["run"]
    assert called["closing"]["undone"] == [{"step": "inner", "status": "undone"}]
    assert office.engine.started == []


def test_the_failed_steps_are_in_the_error_with_their_lines_and_logs(office):
    tell(office, news(office))
    record = kept(office)
    (detail,) = record["error"]["details"]
    assert (detail["step_id"], detail["message"]) == ("b", "why")
    assert detail["log"] == "/api/runs/r-1/logs?step=b"
    assert [step["line"] for step in record["steps"]] == [3, 4, 5]


@pytest.mark.parametrize(
    "end",
    [
        {"status": "TIMED_OUT", "error": "States.Timeout", "cause": None},
        {"status": "FAILED", "error": "States.Runtime", "cause": "an error in a state"},
    ],
)
def test_what_a_machine_cannot_catch_is_closed_by_records(office, end):
    main = without_close(office, **end)
    tell(office, news(office))
    tell(office, [change(main)])
    assert {(one[0], one[1]) for one in office.engine.started} == {("w--close", "r-1-1-close")}
    assert len({text for _, _, text in office.engine.started}) == 1
    given = json.loads(office.engine.started[0][2])
    assert [one["step_id"] for one in given["failure"]["steps"]] == ["b"]
    assert given["run"]["id"] == "r-1"
    item = office.runs.items["r-1"]
    assert (item.status, item.settled) == ("failed", False)
    assert kept(office)["closing"]["status"] == "running"


def test_a_run_that_records_closed_is_settled_when_that_is_over(office):
    close = office.engine.executions["r-1-1-close"]
    history = office.engine.histories["r-1-1-close"]
    main = without_close(office, status="TIMED_OUT", error="States.Timeout", cause=None)
    tell(office, [begins(main), change(main)])
    assert not office.runs.items["r-1"].settled
    office.engine.add(close, history)
    take_change(change(close), office.keeper)
    item = office.runs.items["r-1"]
    assert (item.settled, item.completed_at) == (True, kept(office)["completed_at"])
    assert kept(office)["closing"]["compensation"] == "complete"
    take_change(change(main), office.keeper)
    assert kept(office)["closing"]["compensation"] == "complete"


def test_a_run_that_somebody_stopped_is_undone_only_if_they_asked_for_it(office):
    main = without_close(
        office, status="ABORTED", error="Stepsmith.Cancelled", cause='{"by": "me@example.com"}'
    )
    take_change(change(main), office.keeper)
    assert office.engine.started == []
    assert office.runs.items["r-1"].error == "cancelled by me@example.com"
    assert (office.runs.items["r-1"].status, office.runs.items["r-1"].settled) == (
        "cancelled", True)  # fmt: skip


def test_a_cancelled_run_is_undone_with_what_it_called_that_ended_with_it(office):
    main = without_close(office, status="ABORTED", error="Stopped", cause="by me")
    child = next(e for e in office.engine.executions.values() if e.role == "child")
    execution(office, child.name, status="ABORTED", output=None)
    take_change(begins(main), office.keeper)
    wish = Cancelling("me", "now", compensate=True)
    office.runs.change("r-1", lambda item: cancelled_by(item, wish))
    take_change(change(main), office.keeper)
    (reference, name, text) = office.engine.started[0]
    assert (reference, name) == ("w--close", "r-1-1-close")
    (lost,) = json.loads(text)["cut_off"]
    assert (lost["step"], lost["record"]["child"]["id"]) == ("call", child.name)
    assert not any(name.startswith(child.name) for _, name, _ in office.engine.started)


def test_nothing_is_undone_while_what_a_run_called_still_goes_on(office):
    main = without_close(office, status="TIMED_OUT", error="States.Timeout", cause=None)
    child = next(e for e in office.engine.executions.values() if e.role == "child")
    ended = child
    execution(office, child.name, status="RUNNING", completed_at=None, output=None)
    tell(office, [begins(main), begins(child), change(main)])
    assert (office.engine.started, office.engine.stopped) == ([], [child.name])
    office.engine.executions[child.name] = replace(ended, status="ABORTED", output=None)
    take_change(change(office.engine.executions[child.name]), office.keeper)
    assert [name for _, name, _ in office.engine.started] == ["r-1-1-close"]


def test_an_input_too_large_for_an_event_is_asked_for(office):
    main = office.engine.executions["r-1"]
    take_change(change(main, with_input=False), office.keeper)
    assert office.runs.items["r-1"].manifest == main.run["manifest"]
    assert kept(office)["status"] == "failed"


def test_other_stages_executions_are_left_alone(office):
    arn = execution_arn("stepsmith-prod-w", "r-1")
    other = execution(office, arn=arn, machine="stepsmith-prod-w")
    take_change(change(other), office.keeper)
    assert office.runs.items == {}


def test_a_version_that_was_never_kept_leaves_a_record_without_steps(office):
    office.manifests._all.clear()
    tell(office, [change(office.engine.executions["r-1"])])
    record = kept(office)
    assert (record["status"], record["steps"], record["workflow_id"]) == ("failed", [], "w")


def test_open_tasks_of_a_run_that_is_over_are_closed(office):
    task = Task("t" * 32, "manual", Place("r-1", 1, "a"), "w", START, START, "?", ("approved",))
    office.tasks.create(task)
    tell(office, news(office))
    assert office.tasks.get(task.task_id).status == "cancelled"


def test_a_lock_goes_to_the_next_when_its_holder_is_over(office):
    own = office.engine.executions["r-1"].arn
    office.locks.groups["g"] = Group((Claimant(own, "mine"),), (Claimant("next", "yours"),))
    office.locks.of[own] = "g"
    tell(office, news(office))
    assert office.locks.groups["g"].holders[0].execution == "next"
    assert "yours" in office.answers.sent


def test_a_crash_after_any_write_is_made_good(failed):
    """Whatever was kept, the news that comes again, or the sweep, brings it all to its end."""
    whole = office_of(failed)
    tell(whole, news(whole))
    for writes in itertools.count():
        office = office_of(failed)
        office.runs.crashes = iter([*([False] * writes), True])
        crashed = False
        for one in news(office):
            try:
                take_change(one, office.keeper)
            except ConnectionError:
                crashed = True
        office.runs.crashes = None
        office.clock.at += timedelta(hours=1)
        sweep(office.keeper)
        assert office.runs.records == whole.runs.records, writes
        assert all(item.settled for item in office.runs.items.values()), writes
        if not crashed:
            break
    assert writes > 20


CALLED = f'"ExecutionArn":"arn:aws:states:x:1:execution:w:r-{"0" * 32}-2","Status":"ABORTED"}}'
CHILD_FAILED = json.dumps(
    {
        "ExecutionArn": "arn:x",
        "Input": "x" * 100,
        "Status": "FAILED",
        "Error": "WorkflowError",
        "Cause": json.dumps({"type": "WorkflowError", "message": "inner ended badly"}),
    }
)


@pytest.mark.parametrize(
    ("cause", "message"),
    [
        ("plain", "plain"),
        (None, ""),
        ('{"errorMessage": "it broke", "errorType": "X"}', "it broke"),
        ('{"errorMessage": "it broke and the text was cu', "it broke and the text was cu"),
        ('{"a": 1}', '{"a": 1}'),
        (CHILD_FAILED, "inner ended badly"),
        (CHILD_FAILED[:60], "the workflow that was called failed"),
        (
            '{"ExecutionArn": "a", "Status": "TIMED_OUT"}',
            "the workflow that was called timed out",
        ),
        (
            '{"ExecutionArn": "a", "Status": "ABORTED", "Cause": "by me"}',
            "by me",
        ),
        (
            f'{{"Cause":"{{\\"by\\":\\"ann\\"}}","Error":"Stepsmith.Cancelled",{CALLED}',
            f"the workflow that was called was cancelled by ann (run r-{'0' * 32})",
        ),
        (f"{{{CALLED}", f"the workflow that was called was aborted (run r-{'0' * 32})"),
        (f'{{"Cause":"enough",{CALLED}', f"enough (run r-{'0' * 32})"),
    ],
)
def test_a_cause_is_told_in_words_whoever_wrote_it(cause, message):
    """Also where Step Functions cut its JSON."""
    assert said(cause) == message


def test_a_machine_s_name_tells_its_stage():
    assert machine_name(STAGE, "w@2") == "stepsmith-local-w-2"
