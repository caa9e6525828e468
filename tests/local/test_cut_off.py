"""Workflows that were called and cut off in the course of a run, on the local engine.

What they did is undone when the run fails, and stays when it does not.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from local.record import RunRecord
from local.stubs import Fail, Stub
from local.workflow import Ran
from tests.local.runs import compiled, played
from tests.local.stages import Caller, staged

CHILD = """
    name: child
    steps:
      - {id: s1, run: x, compensate: {id: u1, run: x}}
      - {id: long, type: wait, for: 1h}
"""
STUBS = {"s0": Stub(5), "u0": Stub(5), "s1": Stub(5), "u1": Stub(5), "s2": Stub(5), "u2": Stub(5)}
BAD = {"bad": Stub(60, fail=Fail("Broken", "no"))}
BLOCK = """
        type: parallel
        fail_fast: true
        steps:
          - {id: call, type: subworkflow, workflow: child}
          - {id: bad, run: x, depends_on: []}
"""
ITEMS = """
        type: parallel
        for_each: [a, b, c]
        fail_fast: true
        steps:
          - {id: call, type: subworkflow, workflow: child, condition: item != 'b'}
          - {id: bad, run: x, condition: item == 'b', depends_on: []}
"""
TIMEOUT = """
        type: subworkflow
        workflow: child
        timeout: 10m
"""
CHUNKS = """
        type: parallel
        for_each: "${{ inputs.xs }}"
        fail_fast: true
        max_items: 300
        max_concurrency: 80
        steps:
          - {id: call, type: subworkflow, workflow: child, condition: index == 3}
          - {id: bad, run: x, condition: index == 50, depends_on: []}
"""


def undone(ran: Ran) -> list[str]:
    """Return the undos that were carried out, in order."""
    rows = {(ran.run_id, path): row for path, row in ran.rows.items()}
    rows |= {(one.run_id, path): row for one in ran.others for path, row in one.rows.items()}
    found = [(str(row.completed_at), path) for (_, path), row in rows.items() if path[0] == "u"]
    return [path for _, path in sorted(found)]


def run(step: str, **more: Any) -> tuple[Ran, RunRecord]:
    program = compiled(
        f"""
    inputs: {{xs: {{type: array, default: []}}}}
    steps:
      - {{id: s0, run: x, compensate: {{id: u0, run: x}}}}
      - id: it
        {step.strip()}
      {more.pop("last", "").strip()}
    """,
        **more.pop("workflows", {"child": CHILD}),
    )
    return played(program, STUBS | BAD | more.pop("stubs", {}), **more)


def closing(record: RunRecord) -> Any:
    return record["closing"]


@pytest.mark.parametrize(
    ("step", "calls"),
    [(BLOCK, 1), (ITEMS, 2), (TIMEOUT, 1), (CHUNKS, 1)],
    ids=["a block", "items", "a timeout", "chunks"],
)
def test_what_was_cut_off_is_undone_before_what_was_done_before_it(step: str, calls: int):
    ran, record = run(step, inputs={"xs": [*range(130)]})
    assert record["status"] == "failed"
    assert undone(ran) == ["u1"] * calls + ["u0"]
    assert closing(record)["compensation"] == "complete"
    assert [one["status"] for one in closing(record)["undone"]] == ["undone"] * (calls + 1)


def test_what_was_done_since_it_was_cut_off_is_undone_before_it():
    """The record of a child tells when it was stopped: nobody takes it for the last."""
    ran, _ = run(
        TIMEOUT + "        on_error: continue\n",
        last="""
      - {id: s2, run: x, depends_on: [it], compensate: {id: u2, run: x}}
      - {id: bad, run: x, depends_on: [s2]}
        """,
    )
    assert undone(ran) == ["u2", "u1", "u0"]


@pytest.mark.parametrize("step", [BLOCK, ITEMS, TIMEOUT], ids=["a block", "items", "a timeout"])
def test_where_that_is_tolerated_nothing_is_undone(step: str):
    ran, record = run(step + "        on_error: continue\n")
    assert record["status"] == "succeeded"
    assert undone(ran) == []


MIDDLE = """
    name: middle
    steps:
      - {id: s2, run: x, compensate: {id: u2, run: x}}
      - {id: call, type: subworkflow, workflow: child}
"""


def test_what_it_called_itself_is_undone_with_it():
    step = BLOCK.replace("workflow: child", "workflow: middle")
    ran, record = run(step, workflows={"child": CHILD, "middle": MIDDLE})
    assert undone(ran) == ["u1", "u2", "u0"]
    assert closing(record)["compensation"] == "complete"
    # Records know close machines by their names.
    closes = [one.finished.name for one in ran.others if one.machine.endswith("--close")]
    assert [name.partition("-1-close")[2] for name in closes] == ["", "-cut", "-cut"]


TOLERANT = """
    name: middle
    steps:
      - {id: call, type: subworkflow, workflow: child, timeout: 10m, on_error: continue}
      - {id: s2, run: x, depends_on: [call], compensate: {id: u2, run: x}}
"""


def test_one_that_succeeded_is_undone_with_what_was_cut_off_inside_it():
    ran, record = run(
        "type: subworkflow\n        workflow: middle",
        last="- {id: bad, run: x, depends_on: [it]}",
        workflows={"child": CHILD, "middle": TOLERANT},
    )
    assert undone(ran) == ["u2", "u1", "u0"]
    assert closing(record)["compensation"] == "complete"


def test_each_try_of_a_step_is_undone():
    """Each has called anew."""
    ran, record = run(f"{TIMEOUT.rstrip()}\n        retry: {{max_attempts: 2}}")
    assert undone(ran) == ["u1", "u1", "u0"]
    assert closing(record)["compensation"] == "complete"


def test_an_undo_that_fails_inside_is_told():
    _, record = run(BLOCK, stubs={"u1": Stub(5, fail=Fail("Broken", "no"))})
    assert closing(record)["compensation"] == "partial"
    assert {one["step"]: one["status"] for one in closing(record)["undone"]} == {
        "call": "failed",
        "s0": "undone",
    }


SAGA = """
    name: saga
    env: {DONE: "${{ vars.done }}", MENDED: "${{ vars.mended }}"}
    steps:
      - id: both
        type: parallel
        fail_fast: true
        steps:
          - {id: call, type: subworkflow, workflow: child}
          - {id: bad, run: 'sleep 1.5; test -e "$MENDED"', depends_on: []}
      - {id: last, run: 'echo last >> "$DONE"'}
"""
SAGAS_CHILD = """
    name: child
    env: {DONE: "${{ vars.done }}", MENDED: "${{ vars.mended }}"}
    steps:
      - id: s1
        run: echo s1 >> "$DONE"
        compensate: {run: 'test -e "$MENDED" || exit 1; echo no s1 >> "$DONE"'}
      - {id: long, type: wait, for: 1h}
"""
SETTINGS = "stages: {{local: {{vars: {{done: '{0}/done', mended: '{0}/mended'}}}}}}\n"


@pytest.mark.parametrize("undo_fails", [False, True])
def test_a_run_is_resumed_after_it(tmp_path: Path, undo_fails: bool):
    """What was undone is done again; what was left is undone when that is asked for, once."""
    child = SAGAS_CHILD if undo_fails else SAGAS_CHILD.replace('test -e "$MENDED" || exit 1; ', "")
    done = tmp_path / "done"
    settings = SETTINGS.format(tmp_path)
    with staged(tmp_path, settings=settings, saga=SAGA, child=child) as bob:
        run = bob.run("saga")
        bob.until(lambda: _closed(bob.get(f"/api/runs/{run}").body), "its close")
        record = bob.get(f"/api/runs/{run}").body
        assert record["closing"]["compensation"] == ("partial" if undo_fails else "complete")
        assert done.read_text().splitlines() == (["s1"] if undo_fails else ["s1", "no s1"])
        (tmp_path / "mended").touch()
        if undo_fails:
            bob.until(lambda: _asked(bob, run), "its undoing")
            bob.until(lambda: len(done.read_text().splitlines()) == 2, "the undo")
        bob.until(lambda: _resumed(bob, run), "its resume")
        bob.until(lambda: bob.get(f"/api/runs/{run}").body["run_attempt"] == 2)
        assert bob.record(run)["status"] == "succeeded"
        assert done.read_text().splitlines() == ["s1", "no s1", "s1", "last"]


def _closed(record: Any) -> bool:
    closing = record.get("closing") or {}
    return closing.get("status") not in (None, "running")


def _asked(bob: Caller, run: str) -> bool:
    return bob.post(f"/api/runs/{run}/cancel", {"compensate": True}).status == 202


def _resumed(bob: Caller, run: str) -> bool:
    return bob.post(f"/api/runs/{run}/resume").status == 202
