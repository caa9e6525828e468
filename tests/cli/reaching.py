"""A stage at work, on which commands are called."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from cli.here import addresses
from local.people import People
from local.server.server import Server, Site
from local.stage.setting import Setting
from tests.cli.calling import Ended, call
from tests.local.stages import ALICE, BOB, Caller, staged

REVIEW = """
    name: review
    description: asks somebody, then waits
    inputs: {who: {type: string, default: nobody}}
    steps:
      - id: ask
        type: manual
        title: "Fine, ${{ inputs.who }}?"
        description: "Look at it.\\nThen say so."
        assignees: [alice@example.com, bob@example.com]
        due_in: 24h
        form: {type: object, properties: {window: {type: string}, hosts: {type: integer}}}
      - {id: hold, type: wait, for: 2h}
    outputs: {by: {value: "${{ steps.ask.outputs.decided_by }}"}}
"""
STILL = 1e-6
"""The pace of a clock on which next to no time passes while nothing runs."""
WELCOME = """
    name: welcome
    trigger: {type: event, event: user.signup}
    inputs: {mail: string}
    steps: [{id: hold, type: wait, for: 1h}]
"""


@dataclass(frozen=True, slots=True)
class Town:
    """A stage at work, and the folder that its address is in."""

    bob: Caller
    keep: Path

    def call(self, command: str, *words: str, stdin: str = "") -> Ended:
        return call(command, *words, "--keep", self.keep, stdin=stdin)

    def ran(self, run: str, status: str | None = "approved") -> None:
        """Run `review` from the moment it is, until its task is open or has been answered."""
        stage = self.bob.stage
        stage.clock.set_pace(STILL)  # a clock that jumps may pass the task's due time first
        manifest = stage.manifests.current("review")
        assert manifest is not None
        stage.start(manifest, run, {"inputs": {"who": run}, "run": {"started_by": None}})
        task = self.bob.task("ask", run)
        if status is not None:
            body = {"status": status, "comments": "so it is"}
            alice = replace(self.bob, person=ALICE)
            answered = alice.post(f"/api/tasks/{task['task_id']}/status", body)
            assert answered.status == 200, answered.body
            stage.clock.set_pace(None)
            self.bob.record(run)
            stage.clock.set_pace(STILL)

    def signups(self) -> None:
        """Publish an event twice, and one that its workflow does not take."""
        event = {"event": "user.signup", "payload": {"mail": "eve@example.com"}, "id": "evt-1"}
        for body in (event, event, {**event, "id": "evt-2", "payload": {}}):
            self.bob.post("/api/events", body)
            with self.bob.stage.clock.real_work():
                time.sleep(0.02)  # so that one is the newer
        self.bob.until(lambda: len(self.bob.get("/api/events").body["items"]) == 2)


@contextmanager
def town_in(folder: Path):
    with (
        staged(folder, Setting(people=People()), review=REVIEW, welcome=WELCOME) as bob,
        Server() as server,
    ):
        bob.stage.clock.set_pace(STILL)
        server.serve(Site(bob.stage.answer, None, BOB, ()))
        addresses.write(folder / addresses.KEPT, server.url)
        yield Town(bob, folder)
