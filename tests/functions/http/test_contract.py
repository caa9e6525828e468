"""The API keeps to its own document, whatever it is sent."""

from __future__ import annotations

import pytest

from functions.domain.task import REJECTED, Actor, Answer, Place, task_id
from functions.usecases.decide import decide
from tests.functions.http.contract import check, operations
from tests.functions.http.site import Site
from tests.functions.tasks.office import ALICE, BOB, LEAD

TAGS = {"callbacks", "tasks"}
EXAMPLES = 10
FORM = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}


def tasks_of(scene):
    """Open tasks in every state, and return their ids."""
    scene.open([ALICE], step="open", form=FORM)
    scene.open([ALICE, BOB], step="voted", quorum=2)
    scene.open([ALICE], step="late", timeout=60)
    scene.expire(step="late")
    scene.open([BOB], step="theirs")
    scene.open([ALICE], step="decided")
    steps = ("open", "voted", "late", "theirs", "decided")
    ids = [task_id("manual", Place(scene.run["id"], 1, step)) for step in steps]
    decide(ids[-1], Actor(ALICE, "login"), Answer(REJECTED), scene.desk)
    return ids


@pytest.fixture
def everything(opened):
    scene = opened(starter=LEAD)
    site = Site(scene)
    url = scene.call("open_callback", waits=False, timeout=3600, step="callback")["url"]
    return site, {"task_id": tasks_of(scene), "token": [url.rsplit("/", 1)[1]]}


def test_no_fault_and_no_answer_that_is_not_documented(everything):
    site, known = everything
    checked = set()
    for operation in operations(site, ALICE, TAGS):
        check(operation, EXAMPLES)
        names = [one.name for one in operation.path_parameters]
        for name in names:
            for value in known[name]:
                check(operation, EXAMPLES // 2, {name: value})
        checked.add(operation.label)
    assert len(checked) >= 6
    assert site.log.faults == []
    assert {status for _, _, status in site.log.lines} >= {200, 400, 404, 409, 410}
