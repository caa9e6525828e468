"""Waits that are asked for again, and tasks whose block has ended before them."""

from __future__ import annotations

import pytest

from functions.domain.errors import StepError
from functions.domain.task import Place, task_id
from functions.usecases.settle import deliver


def test_an_event_that_did_not_come_can_be_waited_for_again(scene):
    first = scene.call("await_event", pattern={}, timeout=60, entry=3)
    scene.times_out(first)
    with pytest.raises(StepError):
        scene.expire(kind="event")
    second = scene.call("await_event", pattern={}, timeout=60, entry=10)
    scene.stream.read()
    assert scene.executions.taken == {}, "the wait is open"
    deliver({"n": 1}, lambda *_: True, scene.desk)
    scene.stream.read()
    assert scene.executions.taken == {second: {"event": {"n": 1}}}


def test_an_event_that_came_is_not_waited_for_again(scene):
    first = scene.call("await_event", pattern={}, timeout=60)
    scene.times_out(first)
    deliver({"n": 1}, lambda *_: True, scene.desk)
    scene.stream.read()
    second = scene.call("await_event", pattern={}, timeout=60, entry=1)
    scene.stream.read()
    assert scene.executions.taken == {second: {"event": {"n": 1}}}


def test_a_block_that_ended_closes_what_its_own_children_wait_for(scene):
    scene.open()
    for step, items in (("other", None), ("each", [0, 1]), ("each", [1, 0])):
        more = {} if items is None else {"items": items}
        scene.call("await_event", step=step, pattern={}, timeout=60, **more)

    def is_open(kind, step, *items):
        return scene.tasks.get(task_id(kind, Place(scene.run["id"], 1, step, items))).is_open

    scene.call("close", waits=False, steps=["review"])
    scene.call("close", waits=False, steps=["each"], items=[1])
    assert not is_open("manual", "review")
    assert is_open("event", "other")
    assert is_open("event", "each", 0, 1)
    assert not is_open("event", "each", 1, 0)
