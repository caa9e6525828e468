"""A step that writes to a group of the project reaches its members on this machine, too."""

from __future__ import annotations

import json

from tests.cli.calling import call, write
from tests.local.stages import staged

SETTINGS = "stages: {local: {}}\ngroups: {team: [ann@example.com, ben@example.com]}\n"
TELL = """\
name: Tell
steps:
  - id: tell
    action: notify
    inputs: {to: "group:team", message: It is done}
"""
TOLD = {"notified": ["ann@example.com", "ben@example.com"]}


def test_a_run_finds_the_groups_of_its_project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "stepsmith.yaml", SETTINGS)
    write(tmp_path / "tell.yaml", TELL)

    ended = call("run", "tell.yaml", "--format", "json")

    assert ended.code == 0, ended.err
    (step,) = json.loads(ended.out)["steps"]
    assert step["outputs"] == TOLD


def test_so_does_a_stage_at_work(tmp_path):
    with staged(tmp_path, settings=SETTINGS, tell=TELL) as stage:
        record = stage.record(stage.run("tell"))

    assert record["status"] == "succeeded", record["error"]
    (step,) = record["steps"]
    assert step["outputs"] == TOLD
