"""Runs that failed, on the local stage: corrected, resumed, cancelled and undone over the API."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from cli.here.laid import laid
from cli.project.manifests import workflows
from tests.local.stages import Caller, project, staged

CHILD = """
    name: child
    env: {DONE: "${{ vars.done }}", MENDED: "${{ vars.mended }}"}
    steps:
      - {id: c1, run: 'echo c1 >> "$DONE"'}
      - {id: c2, run: 'test -e "$MENDED"; echo c2 >> "$DONE"'}
"""
MAIN = """
    name: main
    env: {DONE: "${{ vars.done }}"}
    steps:
      - {id: a, run: 'echo a >> "$DONE"'}
      - id: who
        action: aws:sts:getCallerIdentity
        checkpoint: true
        outputs: {Account: "${{ steps.who.outputs.Account }}"}
      - {id: calls, type: subworkflow, workflow: child, for_each: [x, y]}
      - {id: b, run: 'echo "b $WHO" >> "$DONE"', env: {WHO: "${{ steps.who.outputs.Account }}"}}
"""
SAGA = """
    name: saga
    steps:
      - id: flight
        run: echo flight >> "$DONE"
        env: {DONE: "${{ vars.done }}"}
        compensate: {run: 'echo no flight >> "$DONE"', env: {DONE: "${{ vars.done }}"}}
      - {id: hold, type: manual, assignees: [alice@example.com]}
"""


def settings(folder: Path) -> str:
    done, mended = folder / "done", folder / "mended"
    people = "approvers: [alice@example.com, bob@example.com]"
    return f"stages: {{local: {{{people}, vars: {{done: '{done}', mended: '{mended}'}}}}}}\n"


def done(folder: Path) -> list[str]:
    """Return what scripts did, in order."""
    file = folder / "done"
    return file.read_text().splitlines() if file.exists() else []


def lay(caller: Caller, folder: Path, **texts: str) -> None:
    """Correct workflows of a stage that is at work."""
    here = project(folder, settings(folder), **texts)
    caller.stage.lay(laid(workflows(here), here))


def names(entries: list[dict[str, str]]) -> list[str]:
    return [one["step_id"] for one in entries]


def test_a_run_goes_on_where_it_failed_by_the_workflow_as_it_is_now(tmp_path):
    texts = {"main": MAIN, "child": CHILD}
    with staged(tmp_path, settings=settings(tmp_path), **texts) as bob:
        run = bob.run("main")
        assert bob.record(run)["status"] == "failed"
        assert sorted(done(tmp_path)) == ["a", "c1", "c1"]
        longer = f"{dedent(MAIN)}  - {{id: last, run: 'echo last >> \"$DONE\"'}}\n"
        lay(bob, tmp_path, main=longer, child=CHILD)
        (tmp_path / "mended").touch()
        plan = bob.post(f"/api/runs/{run}/resume", {"dry_run": True})
        assert plan.status == 200
        assert plan.body["run_attempt"] == 2
        assert names(plan.body["again"]) == ["calls/0.c2", "calls/1.c2", "calls", "last"]
        assert plan.body["kept"] == ["a", "who", "calls/0.c1", "calls/1.c1"]
        assert plan.body["following"] == ["b"]
        resumed = bob.post(f"/api/runs/{run}/resume")
        assert resumed.status == 202
        assert resumed.body == plan.body
        bob.until(lambda: bob.get(f"/api/runs/{run}").body["run_attempt"] == 2)
        record = bob.record(run)
        assert (record["status"], record["run_attempt"]) == ("succeeded", 2)
        assert done(tmp_path)[3:] == ["c2", "c2", "b 123456789012", "last"]
        again = bob.post(f"/api/runs/{run}/resume")
        assert again.status == 409
        assert bob.post(f"/api/runs/{run}/resume", {"from": "nope"}).status == 400


def test_a_cancelled_run_is_undone_if_that_is_asked_and_goes_on_from_there(tmp_path):
    with staged(tmp_path, settings=settings(tmp_path), saga=SAGA) as bob:
        bob.stage.clock.set_pace(1e-6)
        run = bob.run("saga")
        bob.task("hold")
        assert bob.post(f"/api/runs/{run}/cancel", {"compensate": True}).status == 202
        assert bob.record(run)["status"] == "cancelled"
        bob.until(lambda: done(tmp_path) == ["flight", "no flight"], "the undo")
        bob.until(lambda: bob.get(f"/api/runs/{run}").body.get("closing", {}).get("compensation"))
        assert bob.get("/api/tasks?status=open").body["items"] == []
        assert bob.post(f"/api/runs/{run}/cancel").status == 409
        plan = bob.until(lambda: _planned(bob, run), "the plan")
        assert names(plan["again"]) == ["flight", "hold"]
        bob.post(f"/api/runs/{run}/resume")
        bob.task("hold")
        assert done(tmp_path) == ["flight", "no flight", "flight"]
        bob.post(f"/api/runs/{run}/cancel")
        bob.until(lambda: bob.get(f"/api/runs/{run}").body["status"] == "cancelled")
        assert done(tmp_path) == ["flight", "no flight", "flight"]
        assert bob.until(lambda: _undone(bob, run), "its undoing later") == 202
        bob.until(lambda: len(done(tmp_path)) == 4, "the second undo")


def _planned(bob: Caller, run: str) -> object:
    answer = bob.post(f"/api/runs/{run}/resume", {"dry_run": True})
    return answer.body if answer.status == 200 else None


def _undone(bob: Caller, run: str) -> int | None:
    status = bob.post(f"/api/runs/{run}/cancel", {"compensate": True}).status
    return status if status == 202 else None


@pytest.mark.parametrize("path", ["resume", "cancel"])
def test_an_unknown_run(tmp_path, path):
    with staged(tmp_path, settings=settings(tmp_path), saga=SAGA) as bob:
        assert bob.post(f"/api/runs/no-run/{path}").status == 404
