"""What a run has of the event that started it goes on: to steps, children and published events."""

from __future__ import annotations

import json

from local.workflow import Request, run_workflow
from protocol.payloads import WITHHELD
from tests.local.runs import compiled

PARENT = """
    steps:
      - {id: call, type: subworkflow, workflow: child}
"""
CHILD = """
    name: child
    steps:
      - id: look
        run: echo "token=${TOKEN:-nothing}" >> "$GITHUB_OUTPUT"
        env: {TOKEN: "${{ secrets.TOKEN }}"}
        outputs: {token: }
      - {id: tell, type: publish, event: seen, payload: {token: "${{ steps.look.outputs.token }}"}}
"""


def published(**run) -> dict:
    """Return what a child of a run publishes that was started with more than an id."""
    program = compiled(PARENT, child=CHILD)
    given = {"inputs": {}, "run": {"id": "r", "attempt": 1, **run}}
    request = Request(
        program.machines,
        program.workflow,
        given,
        secrets={"TOKEN": "hunter2"},
        reads=program.secrets,
    )
    (event,) = run_workflow(request).published
    return json.loads(event["Detail"])


def test_a_published_event_tells_what_led_to_it():
    detail = published(event_id="delivery-1", depth=3)
    assert detail["payload"] == {"token": "***"}  # outputs never show a secret
    assert (detail["cause"], detail["depth"]) == ("delivery-1", 3)
    assert detail["event_id"] == f"{detail['run']}/tell"


def test_a_run_that_no_event_started_is_the_first_of_its_chain():
    detail = published()
    assert (detail["cause"], detail["depth"]) == (None, 0)


def test_a_fork_s_run_finds_nothing_where_secrets_would_be_and_neither_do_its_children():
    assert published(secrets=WITHHELD)["payload"] == {"token": "nothing"}
