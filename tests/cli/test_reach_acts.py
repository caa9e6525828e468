"""Commands that change something on a stage: decide, cancel, resume, publish, replay, switch."""

from __future__ import annotations

import json

import pytest

from tests.cli.reaching import town_in
from tests.local.stages import ALICE, BOB


@pytest.fixture
def town(tmp_path):
    with town_in(tmp_path) as town:
        yield town


def test_events_are_shown_published_and_replayed(town):
    town.signups()
    by_outcome = {one["outcome"]: one for one in town.bob.get("/api/events").body["items"]}
    assert set(by_outcome) == {"started", "rejected"}
    shown = town.call("events", "show", by_outcome["rejected"]["event_id"])
    assert (shown.code, "why" in shown.out) == (0, True)
    sent = town.call("events", "send", "-", stdin='{"event": "x.y", "payload": {}}')
    assert (sent.code, sent.out.startswith("x.y is on the bus, as ")) == (0, True)
    assert sent.err == "no workflow listens to 'x.y'\n"
    slip = town.call("events", "send", "-", stdin='{"event": "user.sign-up"}')
    told = "no workflow listens to 'user.sign-up'; did you mean 'user.signup'?\n"
    assert (slip.code, slip.err) == (0, told)
    heard = town.call("events", "send", "-", stdin='{"event": "user.signup"}')
    assert (heard.code, heard.err) == (0, "")
    assert "identity  evt-1\n" in town.call("events", "show", "evt-1").out  # as it was sent
    again = town.call("events", "replay", by_outcome["started"]["event_id"])
    assert (again.code, "started, run welcome-" in again.out) == (0, True)
    assert town.call("events", "show", by_outcome["rejected"]["event_id"][:12]).out == shown.out
    assert "several events begin with ''" in town.call("events", "show", "").err
    assert "there is no event 'xyz' at " in town.call("events", "show", "xyz").err
    refused = town.call("events", "replay", by_outcome["rejected"]["event_id"][:12])
    assert (refused.code, "/mail" in refused.err) == (2, True)


def test_a_workflow_is_disabled_and_enabled(town):
    off = town.call("disable", "welcome")
    assert (off.code, off.out.startswith("welcome is disabled")) == (0, True)
    assert town.bob.get("/api/workflows/welcome").body["disabled"] is True
    on = town.call("enable", "welcome", "--format", "json")
    assert json.loads(on.out) == {"id": "welcome", "disabled": False}
    wrong = town.call("disable", "wellcome")
    assert (wrong.code, "there are 'review', 'welcome'" in wrong.err) == (2, True)


def test_a_decision_is_made_once_by_whoever_may(town):
    """Without a name it is the first who may: here everybody may be anybody."""
    town.ran("review-1", None)
    stranger = town.call("approve", "ask", "--as", "eve@example.com")
    assert stranger.code == 2
    assert "eve@example.com is not asked about 'Fine, review-1?', but alice@" in stranger.err
    form = ("--form", "hosts=3", "--form", "window=night")
    done = town.call("approve", "ask", "--comment", "fine", *form)
    assert (done.code, done.out) == (0, f"ask: approved by {BOB}\n")
    task = town.bob.get("/api/tasks?status=closed").body["items"][0]
    assert task["decision"]["form"] == {"hosts": 3, "window": "night"}
    other = town.call("reject", task["task_id"], "--as", ALICE)
    assert (other.code, f"it was approved by {BOB}" in other.err) == (1, True)
    gone = town.call("reject", "ask")
    assert (gone.code, "nothing waits for anybody" in gone.err) == (2, True)


def test_a_run_is_cancelled_once(town):
    town.ran("review-1", None)
    done = town.call("cancel", "review-1")
    assert (done.code, done.out) == (0, "review-1 is cancelled\n")
    assert town.bob.record("review-1")["status"] == "cancelled"
    assert town.call("cancel", "review-1").code == 1


def test_a_resume_is_told_beforehand_and_followed(town):
    town.ran("review-1", "rejected")
    plan = town.call("resume", "review-1", "--dry-run")
    assert plan.code == 0
    assert plan.out.splitlines()[0] == "review-1, attempt 2"
    assert "again" in plan.out
    town.bob.stage.clock.set_pace(None)  # nobody answers the second time
    ended = town.call("resume", "review-1")
    assert (ended.code, "✗ ask   timed out" in ended.err) == (1, True)
    assert "review failed in" in ended.out
    town.ran("review-2")
    over = town.call("resume", "review-2")
    assert (over.code, "it succeeded" in over.err) == (1, True)
