"""Waits that are asked for again, and tasks whose block has ended before them."""

from __future__ import annotations

import pytest

from functions.domain.errors import StepError
from functions.domain.task import Place, task_id
from functions.usecases.close_tasks import close_tasks
from functions.usecases.settle import answer_callback, deliver
from tests.functions.tasks.office import came


def test_an_event_that_did_not_come_can_be_waited_for_again(scene):
    first = scene.call("await_event", pattern={}, timeout=60, entry=3)
    scene.times_out(first)
    with pytest.raises(StepError):
        scene.expire(kind="event")
    second = scene.call("await_event", pattern={}, timeout=60, entry=10)
    scene.stream.read()
    assert scene.executions.taken == {}, "the wait is open"
    deliver(came(scene, {"n": 1}), lambda _, event: (event,), scene.desk)
    scene.stream.read()
    assert scene.executions.taken == {second: {"event": {"n": 1}}}


def test_an_event_that_came_is_not_waited_for_again(scene):
    first = scene.call("await_event", pattern={}, timeout=60)
    scene.times_out(first)
    deliver(came(scene, {"n": 1}), lambda _, event: (event,), scene.desk)
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


def opened(scene, **fields):
    """Open the callback; return its address and its round."""
    given = scene.call("open_callback", waits=False, timeout=60, **fields)
    return given["url"], given["round"]


def test_an_outside_system_that_answered_badly_is_asked_again_under_another_key(scene):
    """The round is a part of the action's key, so that its stored result is not given back."""
    url, number = opened(scene)
    assert number is None
    assert opened(scene) == (url, None), "a call that is repeated asks for nothing more"
    token = url.rpartition("/")[2]
    answer_callback(token, None, scene.desk, failure={"type": "Busy", "message": "later"})
    assert opened(scene) == (url, 2)
    assert opened(scene) == (url, 2)
    waits = scene.call("await_callback")
    scene.times_out(waits)
    with pytest.raises(StepError):
        scene.expire(kind="callback")
    assert opened(scene) == (url, 3)
    second = scene.call("await_callback", entry=1)
    answer_callback(token, {"n": 1}, scene.desk)
    scene.stream.read()
    assert scene.executions.taken == {second: {"outputs": {"n": 1}}}
    assert opened(scene) == (url, 3), "a good answer stays"


def test_an_outside_system_that_is_at_work_is_not_asked_again(scene):
    """The run was cancelled meanwhile; what was begun may still be answered."""
    url, _ = opened(scene)
    close_tasks(scene.run["id"], 1, "the run is over", scene.desk)
    assert opened(scene) == (url, None)


def test_a_callback_that_begins_anew_is_another_one(scene):
    url, _ = opened(scene)
    answer_callback(url.rpartition("/")[2], {"n": 1}, scene.desk)
    other, number = opened(scene, entered="2")
    assert (other != url, number) == (True, None)
    waits = scene.call("await_callback", entered="2")
    scene.stream.read()
    assert waits not in scene.executions.taken
