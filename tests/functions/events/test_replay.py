"""Events that somebody wants to have run again."""

from __future__ import annotations

import pytest

from functions.usecases.replay import NotReplayed, find_event, replay
from functions.usecases.switches import disable
from tests.functions.events.kit import VISIBILITY, Killed, manifest, trigger


def again(stage, name, word="word"):
    return replay(find_event(name, stage.gate), word, stage.gate)


def test_a_replay_is_a_run_of_its_own(stage):
    stage.come({"a": 1}, id="e1")
    [first] = stage.events()
    done = again(stage, "e1")
    assert done.replay_of == first.event_id
    given = {one["run"]["id"]: one for one in stage.inputs()}
    assert given[done.run_id]["run"]["rerun_of"] == first.run_id
    assert given[done.run_id]["inputs"] == {"a": 1}
    assert len(given) == 2


def test_the_same_wish_is_the_same_run(stage):
    stage.come(id="e1")
    [first] = stage.events()
    runs = {replay(find_event(first.event_id, stage.gate), "a", stage.gate).run_id for _ in "12"}
    runs |= {again(stage, first.event_id, "b").run_id}
    assert len(runs) == 2
    assert len(stage.executions) == 3


def test_a_replay_that_was_cut_off_is_still_one_of_its_event(stage):
    """Whoever takes it over knows which run it repeats."""
    stage.come(id="e1")
    [first] = stage.events()
    event = find_event("e1", stage.gate)
    with stage.calls.watched() as calls:
        replay(event, "other", stage.gate)
        start = calls.names.index("StartExecution")
    with stage.calls.watched(2 * start), pytest.raises(Killed):
        replay(event, "word", stage.gate)
    stage.clock.at += VISIBILITY
    done = again(stage, first.event_id)
    assert len(stage.executions) == 3
    assert stage.inputs()[2]["run"]["rerun_of"] == first.run_id
    assert done.run_id == stage.executions[2].name


def test_a_rejected_event_is_judged_anew(deployed):
    contract = {"type": "object", "properties": {}, "required": ["env"]}
    stage = deployed(manifest(trigger(), inputs=contract))
    stage.come({"a": 1}, id="e1")
    assert again(stage, "e1").outcome == "rejected"
    stage.deployed["release"] = manifest(trigger())
    assert again(stage, "e1").outcome == "started"


def test_a_missed_time_can_be_made_up_for(deployed):
    settings = {"cron": "0 * * * *", "timezone": "UTC", "missed": "skip"}
    stage = deployed(manifest(trigger("schedule", settings=settings)))
    stage.come({"scheduled_time": "2026-11-30T07:00:00Z"}, name="release-schedule")
    [event] = stage.events()
    assert event.outcome == "ignored"
    assert again(stage, event.event_id).outcome == "started"


def test_what_is_disabled_is_not_replayed(stage):
    stage.come(id="e1")
    disable("release", stage.gate)
    with pytest.raises(NotReplayed, match="disabled"):
        again(stage, "e1")
