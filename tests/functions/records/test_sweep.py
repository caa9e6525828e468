"""What a sweep makes good: each kind of news that can be lost."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from functions.domain.lock import Claimant, Group
from functions.domain.records.executions import Execution
from functions.domain.records.item import Cancelling, cancelled_by, next_attempt
from functions.domain.records.said import stamp
from functions.domain.task import Decision, Place, Task
from functions.usecases.archive import LOST
from functions.usecases.keep_record import take_change
from functions.usecases.keep_start import keep_start
from functions.usecases.start_run import start_of
from functions.usecases.sweep import MOST_RUNS, sweep
from local.stubs import Stub
from tests.functions.records.memory import START, Office, begins, change, execution_arn
from tests.functions.records.replay import office_of, played, written

MINUTES = timedelta(minutes=1)
BY_ME: Any = {"started_by": "me@example.com"}


@pytest.fixture(scope="module")
def succeeded():
    return played(written("steps: [{id: a, run: x}]"), {"a": Stub(60)})


def running(office: Office, name="r-1") -> Execution:
    """Let a run go on, as its begin told."""
    execution = replace(office.engine.executions[name], status="RUNNING", completed_at=None)
    office.engine.executions[name] = execution
    take_change(begins(execution), office.keeper)
    return execution


def test_an_end_that_was_lost_is_found(succeeded):
    office = office_of(succeeded)
    take_change(begins(office.engine.executions["r-1"]), office.keeper)
    assert sweep(office.keeper).over == 1
    assert not office.runs.items["r-1"].is_over  # its news may be on their way
    office.clock.at += 5 * MINUTES
    sweep(office.keeper)
    assert office.runs.items["r-1"].status == "succeeded"
    assert [name for name, _ in office.bus.events] == ["run.succeeded"]
    assert sweep(office.keeper).looked_at == 0


def test_what_an_end_asked_for_is_done_again_where_it_was_cut_off(succeeded):
    office = office_of(succeeded)
    office.runs.crashes = iter([False, False, False, True])
    with pytest.raises(ConnectionError):
        take_change(change(office.engine.executions["r-1"]), office.keeper)
    office.runs.crashes = None
    office.clock.at += 5 * MINUTES
    sweep(office.keeper)
    assert office.runs.items["r-1"].settled
    assert office.runs.kept("r-1", 1) is not None


def test_a_holder_that_is_gone_gives_its_group_to_who_waits(succeeded):
    office = office_of(succeeded)
    waiting = running(office)
    gone = execution_arn("stepsmith-local-w", "gone")
    office.locks.groups["g"] = Group((Claimant(gone, "old"),), (Claimant(waiting.arn, "new"),))
    office.locks.of = {gone: "g", waiting.arn: "g"}
    sweep(office.keeper)
    assert office.locks.groups["g"].holders == (Claimant(waiting.arn, "new"),)
    assert office.answers.sent[-1] == "new"


def test_a_holder_that_goes_on_keeps_its_group(succeeded):
    office = office_of(succeeded)
    waiting = running(office)
    holder = replace(waiting, name="r-2", arn=execution_arn("stepsmith-local-w", "r-2"))
    office.engine.add(holder, [])
    before = Group((Claimant(holder.arn, "old"),), (Claimant(waiting.arn, "new"),))
    office.locks.groups["g"] = before
    office.locks.of = {holder.arn: "g", waiting.arn: "g"}
    sweep(office.keeper)
    assert office.locks.groups["g"] == before


def decided(office: Office) -> Task:
    task = Task(
        "t" * 32, "manual", Place("r-1", 1, "a"), "w", START, START + 60 * MINUTES, "?",
        ("approved", "rejected"), status="approved", decision=Decision("approved", START),
    )  # fmt: skip
    office.tasks.rows[task.task_id] = task
    office.tasks.members.append(task.task_id)
    return task


def test_a_decision_that_did_not_arrive_is_sent_again_ever_more_rarely(succeeded):
    office = office_of(succeeded)
    office.clock.at = START
    running(office)
    task = decided(office)
    counts = []
    for _ in range(60):
        office.clock.at += 5 * MINUTES
        sweep(office.keeper)
        counts.append(len(office.nudged))
    assert set(office.nudged) == {task.task_id}
    # 2, 8, 32 and 128 minutes after the decision.
    assert (counts[0], counts[1], counts[6], counts[25], counts[-1]) == (1, 2, 3, 4, 4)


def test_a_run_paused_or_not_is_so_after_a_sweep(succeeded):
    office = office_of(succeeded)
    running(office)
    task = replace(decided(office), kind="pause", status="pending", decision=None)
    office.tasks.rows[task.task_id] = task
    sweep(office.keeper)
    assert office.runs.items["r-1"].status == "paused"
    office.tasks.rows[task.task_id] = replace(
        task, status="retry", decision=Decision("retry", START)
    )
    sweep(office.keeper)
    assert office.runs.items["r-1"].status == "running"


def test_an_attempt_that_was_taken_and_not_started_is_started(succeeded):
    office = office_of(succeeded)
    take_change(change(office.engine.executions["r-1"]), office.keeper)
    at = stamp(office.clock.now())
    office.runs.change("r-1", lambda item: next_attempt(item, 2, at))
    office.runs.give("r-1", 2, {"run": {"id": "r-1", "attempt": 2}, "inputs": {}})
    sweep(office.keeper)
    assert office.engine.started == []
    office.clock.at += 5 * MINUTES
    sweep(office.keeper)
    ((reference, name, text),) = office.engine.started
    assert (reference, name) == ("w", "r-1-2")
    assert text == '{"inputs":{},"run":{"attempt":2,"id":"r-1"}}'


def test_a_run_whose_execution_is_gone_is_given_up(succeeded):
    office = office_of(succeeded)
    office.clock.at = START
    execution = running(office)
    task = office.tasks.rows["t" * 32] = replace(decided(office), status="pending", decision=None)
    office.locks.of[execution.arn] = "g"
    office.locks.groups["g"] = Group((Claimant(execution.arn, "t"),), (Claimant("next", "u"),))
    office.engine.executions.clear()
    office.clock.at += 30 * MINUTES
    sweep(office.keeper)
    assert office.runs.items["r-1"].status == "running"
    office.clock.at += 60 * MINUTES
    sweep(office.keeper)
    item = office.runs.items["r-1"]
    assert (item.status, item.settled) == ("failed", True)
    assert "not there any more" in str(item.error)
    assert office.tasks.rows[task.task_id].status == "cancelled"
    assert [one.execution for one in office.locks.groups["g"].holders] == ["next"]


def test_a_run_of_which_only_its_starter_told_is_found(succeeded):
    office = office_of(succeeded)
    start = start_of(succeeded.workflow.manifest, "r-1", {"inputs": {}, "run": BY_ME})
    keep_start(start, office.manifests, office.runs, office.clock)
    item = office.runs.items["r-1"]
    assert (item.status, item.execution, item.started_by) == ("running", "", "me@example.com")
    office.clock.at += 5 * MINUTES
    sweep(office.keeper)
    item = office.runs.items["r-1"]
    assert (item.status, item.started_at) == ("succeeded", stamp(START))
    keep_start(start, office.manifests, office.runs, office.clock)
    assert office.runs.items["r-1"] == item


def test_a_run_that_was_cancelled_and_not_stopped_is_stopped(succeeded):
    office = office_of(succeeded)
    running(office)
    office.runs.change("r-1", lambda item: cancelled_by(item, Cancelling("me", "now")))
    sweep(office.keeper)
    assert office.engine.stopped == ["r-1"]


def test_a_sweep_is_bounded_and_comes_to_every_run_in_turn(succeeded):
    office = office_of(succeeded)
    office.clock.at = START
    own = office.engine.executions["r-1"]
    for number in range(MOST_RUNS + 20):
        name = f"s-{number}"
        run: Any = {"id": name, "attempt": 1, "manifest": own.run["manifest"]}
        office.engine.add(
            replace(own, name=name, arn=execution_arn(own.machine, name), input={"run": run}), []
        )
        running(office, name)
    office.clock.at += 5 * MINUTES
    assert sweep(office.keeper).looked_at == MOST_RUNS
    office.clock.at += 5 * MINUTES
    sweep(office.keeper)
    assert all(item.looked_at for item in office.runs.items.values())


class Killed(BaseException):
    """The time of the function is over."""


@pytest.mark.parametrize("what", ["takes all the time", "cannot be written"])
def test_a_run_that_ends_a_sweep_does_not_end_the_next_one_too(succeeded, monkeypatch, what):
    office = office_of(succeeded)
    office.clock.at = START
    for name in ("bad", "good"):
        own = office.engine.executions["r-1"]
        run: Any = {"id": name, "attempt": 1, "manifest": own.run["manifest"]}
        arn = execution_arn(own.machine, name)
        office.engine.add(replace(own, name=name, arn=arn, input={"run": run}), [])
        running(office, name)
        office.clock.at += MINUTES
    describe, change_item = office.engine.describe, office.runs.change

    def slow(arn):
        if arn.endswith(":bad"):
            raise Killed
        return describe(arn)

    def refused(run_id, wish):
        if run_id == "bad":
            raise ValueError("it is too large")
        return change_item(run_id, wish)

    if what == "takes all the time":
        monkeypatch.setattr(office.engine, "describe", slow)
    else:
        monkeypatch.setattr(office.runs, "change", refused)
    for _ in range(2):
        with contextlib.suppress(Killed):
            sweep(office.keeper)
        office.clock.at += 5 * MINUTES
    assert office.runs.items["good"].looked_at


def test_one_run_that_cannot_be_looked_after_does_not_keep_the_others_waiting(succeeded):
    office = office_of(succeeded)
    take_change(begins(office.engine.executions["r-1"]), office.keeper)
    bad = replace(office.engine.executions["r-1"], name="bad", arn=execution_arn("w", "bad"))
    office.engine.executions["bad"] = replace(bad, input={"run": {"id": "bad", "attempt": 1}})
    office.runs.items["bad"] = replace(office.runs.items["r-1"], run_id="bad", execution=bad.arn)
    office.clock.at += 5 * MINUTES
    swept = sweep(office.keeper)
    assert (swept.looked_at, swept.failed) == (2, 1)
    assert office.runs.items["r-1"].status == "succeeded"


def test_a_run_whose_execution_is_not_there_is_lost_as_soon_as_the_stage_says(succeeded):
    """On this machine at once: it ended with its process. In an account it may only be late."""
    for lost, status in ((LOST, "running"), (timedelta(0), "failed")):
        office = office_of(succeeded)
        running(office)
        office.engine.executions.clear()
        office.clock.at += 5 * MINUTES
        sweep(replace(office.keeper, lost=lost))
        assert office.runs.items["r-1"].status == status
