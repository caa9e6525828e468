"""The local stage: what a deployment makes, wired together in this process."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from datetime import timedelta

import pytest

from cli.here.laid import laid
from cli.here.people import directory_of
from cli.project.manifests import workflows
from functions.domain.people import Directory
from functions.domain.task_messages import Message
from local.clock import Clock
from local.people import People, Said
from local.stage import state
from local.stage.queue import AGAIN_AFTER, MOST_RECEIVES, Queue
from local.stage.setting import Setting
from local.stage.time import Pacer
from tests.local.stages import ALICE, BOB, NEW_YEAR, project, staged

REVIEW = """
    name: review
    inputs: {who: {type: string, default: nobody}}
    steps:
      - {id: ask, type: manual, title: "Fine, ${{ inputs.who }}?", assignees: [alice@example.com]}
      - {id: hold, type: wait, for: 2h}
"""
SIGNUP = """
    name: signup
    steps:
      - {id: tell, type: publish, event: user.signup, payload: {mail: "eve@example.com"}}
"""
WELCOME = """
    name: welcome
    trigger: {type: event, event: user.signup}
    inputs: {mail: string}
    steps:
      - {id: hold, type: wait, for: 1h}
    outputs: {mail: {value: "${{ inputs.mail }}"}}
"""


def stand_still(bob):
    """Let next to no time pass while nothing runs: a task would be over at once."""
    bob.stage.clock.set_pace(1e-6)


def go_on(bob):
    bob.stage.clock.set_pace(None)


def test_several_runs_go_on_at_once_and_each_has_its_record(tmp_path):
    with staged(tmp_path, review=REVIEW) as bob:
        stand_still(bob)
        runs = [bob.run("review", who=name) for name in ("ann", "ben")]
        tasks = bob.until(lambda: len(found := bob.get("/api/tasks").body["items"]) == 2 and found)
        assert {task["title"] for task in tasks} == {"Fine, ann?", "Fine, ben?"}
        for task in tasks:
            alice = replace(bob, person=ALICE)
            assert (
                alice.post(f"/api/tasks/{task['task_id']}/status", {"status": "approved"}).status
                == 200
            )
        go_on(bob)
        records = [bob.record(run) for run in runs]
        assert [record["status"] for record in records] == ["succeeded", "succeeded"]
        assert [record["started_by"] for record in records] == [BOB, BOB]
        assert {one["run_id"] for one in bob.get("/api/runs").body["items"]} == {*runs}


def test_whoever_started_a_run_may_not_approve_it_here_either(tmp_path):
    with staged(tmp_path, review=REVIEW.replace("alice", "bob")) as bob:
        stand_still(bob)
        alice = replace(bob, person=ALICE)
        alice.run("review")
        task = alice.task("ask")
        body = {"status": "approved"}
        assert bob.post(f"/api/tasks/{task['task_id']}/status", body).status == 200
        bob.run("review")
        go_on(bob)


def test_an_event_that_a_step_publishes_starts_the_run_of_another_workflow_once(tmp_path):
    with staged(tmp_path, signup=SIGNUP, welcome=WELCOME) as bob:
        bob.record(bob.run("signup"))
        event = bob.until(lambda: bob.get("/api/events?workflow=welcome").body["items"])[0]
        assert (event["outcome"], event["deliveries"]) == ("started", 1)
        record = bob.record(event["run_id"])
        assert record["outputs"] == {"mail": "eve@example.com"}


ASKED = """
    name: asked
    trigger: {type: event, event: user.signup}
    steps:
      - {id: ask, type: manual, title: Fine?, assignees: [alice@example.com, bob@example.com]}
"""


@pytest.mark.parametrize("way", ["posted", "published by a step"])
def test_whoever_let_a_run_begin_by_an_event_may_not_decide_about_it(way, tmp_path):
    with staged(tmp_path, signup=SIGNUP, asked=ASKED) as bob:
        stand_still(bob)
        if way == "posted":
            bob.post("/api/events", {"event": "user.signup", "payload": {}})
        else:
            go_on(bob)
            bob.run("signup")
            stand_still(bob)
        task = bob.until(lambda: bob.get("/api/tasks").body["items"])[0]
        assert task["started_by"] == BOB
        decision = {"status": "approved"}
        assert bob.post(f"/api/tasks/{task['task_id']}/status", decision).status == 403


def test_an_event_sent_twice_starts_one_run(tmp_path):
    with staged(tmp_path, welcome=WELCOME) as bob:
        body = {"event": "user.signup", "payload": {"mail": "x@example.com"}, "id": "one"}
        assert [bob.post("/api/events", body).status for _ in range(2)] == [202, 202]
        bob.until(lambda: bob.get("/api/events").body["items"][:1] and _deliveries(bob) == 2)
        assert len(bob.get("/api/runs").body["items"]) == 1


HOLD = """
    name: hold
    steps:
      - {id: paid, type: wait, event: order.paid, timeout: 30d}
      - {id: done, type: wait, for: 1h, condition: steps.paid.outputs.event.amount > 1}
"""


def test_a_run_that_waits_gets_its_event_although_its_workflow_waits_for_none_any_more(tmp_path):
    with staged(tmp_path, hold=HOLD) as bob:
        stand_still(bob)
        run = bob.run("hold")
        bob.until(lambda: _status_of(bob, run, "paid") == "waiting")
        here = project(tmp_path, hold="name: hold\nsteps: [{id: done, type: wait, for: 1h}]")
        bob.stage.lay(laid(workflows(here), here), here.actions.asked())
        bob.post("/api/events", {"event": "order.paid", "payload": {"amount": 7}})
        go_on(bob)
        bob.until(lambda: _status_of(bob, run, "paid") == "succeeded")
        record = bob.record(run)
        assert (record["status"], record["steps"][0]["outputs"]["event"]) == (
            "succeeded",
            {"amount": 7},
        )


def _status_of(bob, run, step):
    steps = bob.get(f"/api/runs/{run}").body["steps"]
    return next(one["status"] for one in steps if one["step_id"] == step)


def _deliveries(bob):
    return bob.get("/api/events").body["items"][0]["deliveries"]


def test_what_a_disabled_workflow_is_sent_waits_until_it_is_enabled(tmp_path):
    with staged(tmp_path, welcome=WELCOME) as bob:
        assert bob.post("/api/workflows/welcome/disable").body == {
            "id": "welcome",
            "disabled": True,
        }
        bob.post("/api/events", {"event": "user.signup", "payload": {"mail": "x@example.com"}})
        bob.until(
            lambda: [e["outcome"] for e in bob.get("/api/events").body["items"]] == ["waiting"]
        )
        assert bob.get("/api/runs").body["items"] == []
        bob.post("/api/workflows/welcome/enable")
        bob.until(lambda: bob.get("/api/runs").body["items"])


def test_a_wait_for_an_event_is_ended_by_it(tmp_path):
    waiting = """
        name: waiting
        steps:
          - {id: hold, type: wait, event: user.signup, timeout: 9d}
    """
    with staged(tmp_path, waiting=waiting) as bob:
        stand_still(bob)
        run = bob.run("waiting")
        bob.until(lambda: _waits(bob, run))
        bob.post("/api/events", {"event": "user.signup", "payload": {}})
        go_on(bob)
        record = bob.record(run)
        assert record["status"] == "succeeded"
        assert record["completed_at"] < "2026-01-02"


def _waits(bob, run):
    steps = bob.get(f"/api/runs/{run}").body.get("steps", [])
    return [step for step in steps if step["status"] in ("waiting", "running")]


def test_what_cannot_be_taken_in_comes_again_and_is_dead_in_the_end(tmp_path, monkeypatch):
    """Where Step Functions takes no execution, an event is tried again, then kept as dead."""

    def refuse(*_, **__):
        raise ConnectionError("no answer")

    with staged(tmp_path, welcome=WELCOME) as bob:
        monkeypatch.setattr("functions.adapters.machines.StepFunctionsMachines.start", refuse)
        bob.post("/api/events", {"event": "user.signup", "payload": {"mail": "x@example.com"}})
        (dead,) = bob.until(lambda: bob.get("/api/events?dead=true").body["items"])
        assert (dead["workflow_id"], dead["run_id"]) == ("welcome", None)
        waited = bob.stage.clock.now() - NEW_YEAR
        assert waited >= timedelta(seconds=AGAIN_AFTER * (MOST_RECEIVES - 1))
        monkeypatch.undo()
        replayed = bob.post(f"/api/events/{dead['event_id']}/replay")
        assert replayed.status == 202
        assert bob.record(replayed.body["run_id"])["status"] == "succeeded"


def test_a_message_that_failed_comes_again_alone():
    clock, seen = Clock(NEW_YEAR), []
    queue = Queue(clock)

    def take(batch):
        bodies = [json.loads(record["body"])["start"] for record in batch["Records"]]
        seen.append((bodies, clock.now() - NEW_YEAR))
        bad = [
            one["messageId"] for one in batch["Records"] if len(seen) == 1 and "b" in one["body"]
        ]
        return {"batchItemFailures": [{"itemIdentifier": one} for one in bad]}

    clock.hold()
    for name in "abc":
        queue.send({"start": name})
    queue.work(take)
    clock.go_on()
    until(lambda: len(seen) == 2)
    clock.close()
    assert seen == [(["a", "b", "c"], timedelta(0)), (["b"], timedelta(seconds=AGAIN_AFTER))]


def until(holds):
    for _ in range(500):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it did not come")


def test_a_run_goes_on_with_the_version_it_began_with_and_the_next_has_the_new_one(tmp_path):
    parent = """
        name: parent
        steps:
          - {id: ask, type: manual, title: Go?, assignees: [alice@example.com]}
          - {id: call, type: subworkflow, workflow: child}
        outputs: {said: {value: "${{ steps.call.outputs.said }}"}}
    """
    child = """
        name: child
        steps:
          - {{id: hold, type: wait, for: 1s}}
        outputs: {{said: {{value: "${{{{ '{word}' }}}}"}}}}
    """
    with staged(tmp_path, parent=parent, child=child.format(word="old")) as bob:
        stand_still(bob)
        old = bob.run("parent")
        task = bob.task("ask")
        here = project(tmp_path, parent=parent, child=child.format(word="new"))
        bob.stage.lay(laid(workflows(here), here))
        new = bob.run("parent")
        approve = {"status": "approved"}
        alice = replace(bob, person=ALICE)
        alice.post(f"/api/tasks/{task['task_id']}/status", approve)
        alice.post(f"/api/tasks/{bob.task('ask')['task_id']}/status", approve)
        go_on(bob)
        assert [bob.record(run)["outputs"] for run in (old, new)] == [
            {"said": "old"},
            {"said": "new"},
        ]


def test_what_is_kept_is_there_again_and_its_links_still_open(tmp_path):
    keep = tmp_path / "kept"
    mails: list[Message] = []
    setting = Setting(keep=keep, mail=mails.append)
    with staged(tmp_path, setting, review=REVIEW) as bob:
        stand_still(bob)
        run = bob.run("review")
        task = bob.task("ask")
        before = bob.get(f"/api/runs/{run}").body
        bob.post("/api/events", {"event": "x", "payload": {"large": "y" * 9_000}})
        bob.stage.save({"project": str(tmp_path)})
    assert state.about(keep)["project"] == str(tmp_path)
    assert (keep / "link-key").stat().st_mode & 0o077 == 0
    with staged(tmp_path, setting, review=REVIEW) as bob:
        assert bob.get(f"/api/runs/{run}").body == before
        assert bob.get(f"/api/tasks/{task['task_id']}").body["status"] == "pending"
        link = mails[0].link.removeprefix("http://127.0.0.1")
        assert replace(bob, person=None).page(link) == 200


def test_items_with_binary_values_are_kept_as_they_are(tmp_path):
    with staged(tmp_path, Setting(keep=tmp_path / "kept"), welcome=WELCOME) as bob:
        stand_still(bob)
        body = {"mail": "x@example.com", "long": "z" * 5_000}
        bob.post("/api/events", {"event": "user.signup", "payload": body})
        (event,) = bob.until(lambda: bob.get("/api/events").body["items"])
        whole = bob.get(f"/api/events/{event['event_id']}").body
        bob.stage.save({})
    with staged(tmp_path, Setting(keep=tmp_path / "kept"), welcome=WELCOME) as bob:
        assert bob.get(f"/api/events/{event['event_id']}").body == whole


def test_a_folder_of_another_version_s_state_is_refused(tmp_path):
    (tmp_path / "stage.json").write_text('{"format": 99}')
    with pytest.raises(state.StateError, match="another version"):
        state.about(tmp_path)
    with pytest.raises(state.StateError, match="no state"):
        state.about(tmp_path / "empty")


def test_in_a_hurry_time_jumps_but_not_while_people_are_asked():
    clock = Clock(NEW_YEAR)
    pacer = Pacer(clock)

    def record(status):
        image = {"task": {"S": "{}"}, "status": {"S": status}}
        return {"Records": [{"dynamodb": {"Keys": {"id": {"S": "t"}}, "NewImage": image}}]}

    def slept(seconds):
        over = threading.Event()

        def sleep():
            clock.sleep(seconds)
            over.set()

        clock.thread(sleep).start()
        began = time.monotonic()
        assert over.wait(20)
        return time.monotonic() - began

    assert slept(10 * 86_400) < 1
    pacer.take(record("pending"))
    assert 0.4 < slept(0.5 * 3600) < 5
    pacer.take(record("approved"))
    assert slept(10 * 86_400) < 1
    clock.close()


def test_schedules_start_runs_by_the_clock(tmp_path):
    daily = """
        name: daily
        trigger: {type: schedule, cron: "0 6 * * *", timezone: UTC}
        steps: [{id: hold, type: wait, for: 1s}]
    """
    setting = Setting(pace="fast", schedules=True)
    clock = Clock(NEW_YEAR.replace(hour=5, minute=59, second=50))
    with staged(tmp_path, setting, clock, daily=daily) as bob:
        (run,) = bob.until(lambda: bob.get("/api/runs").body["items"])
        assert run["trigger"]["type"] == "schedule"
        assert run["started_at"].startswith("2026-01-01T06:0")


def test_what_functions_could_not_do_is_told_and_the_stage_goes_on(tmp_path, monkeypatch):
    faults: list[str] = []
    setting = Setting(fault=faults.append, people=People(Directory()))
    with staged(tmp_path, setting, signup=SIGNUP) as bob:
        monkeypatch.setattr("local.stage.handlers.Handlers.changed", lambda *_: 1 / 0)
        bob.run("signup")
        bob.until(lambda: faults)
        assert faults[0].startswith("records: ZeroDivisionError")
        assert bob.get("/api/workflows").status == 200


def test_a_stage_that_is_stopped_ends_its_runs_and_their_scripts(tmp_path):
    slow = "name: slow\nsteps:\n  - {id: sleep, run: 'sleep 600'}\n"
    with staged(tmp_path, slow=slow) as bob:
        run = bob.run("slow")
        bob.until(lambda: _waits(bob, run))
        began = time.monotonic()
        bob.stage.stop_runs()
        assert bob.record(run)["status"] == "cancelled"
        assert time.monotonic() - began < 10


def test_decisions_made_beforehand_hold_for_a_stage_as_for_a_run(tmp_path):
    here = project(tmp_path, review=REVIEW)
    said = {"ask": [Said("approved", by=ALICE, after=3600.0)]}
    setting = Setting(people=People(directory_of(here), decisions=said))
    with staged(tmp_path, setting, review=REVIEW) as bob:
        record = bob.record(bob.run("review"))
        assert record["status"] == "succeeded"
        assert record["completed_at"].startswith("2026-01-01T03:00")
