"""What is told of a failure is its message, never the JSON that it travels in."""

from __future__ import annotations

from pathlib import Path

from tests.cli.calling import call, write
from tests.local.stages import staged

LONG = "the crane is stuck " * 30
UNDO = f"""\
name: Undo
steps:
  - id: lift
    run: echo up
    compensate: {{id: lower, run: "echo '{LONG}' >&2; exit 1"}}
  - {{id: swing, run: exit 1}}
"""
ALONE = f"""\
name: Alone
steps:
  - {{id: first, run: "echo '{LONG}' >&2; exit 1"}}
"""


def test_of_an_undo_that_failed(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "undo.yaml", UNDO)

    ended = call("run", "undo.yaml")

    assert "  lift   failed  ScriptFailed: the crane is stuck the crane" in ended.out
    assert "errorMessage" not in ended.out


def test_of_a_run_that_whoever_started_it_waits_for(tmp_path: Path):
    with staged(tmp_path, alone=ALONE) as stage:
        answered = stage.post("/api/workflows/alone/run")

    assert answered.status == 422
    (why,) = answered.body["error"]["details"]
    assert why["message"].startswith("the crane is stuck")
