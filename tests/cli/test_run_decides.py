"""`stepsmith run --decide`: whatever asks people in a run can be decided, wherever it stands."""

from __future__ import annotations

import json

import pytest

from tests.cli.calling import call, write

ASK = "{id: ask, type: manual, title: Go?, assignees: [ann@example.com], timeout: 1h}"
PLACES = {
    "a step": f"steps: [{ASK}]",
    "in a block": f"steps: [{{id: b, type: parallel, steps: [{ASK}]}}]",
    "a handler": f"steps: [{{id: a, run: exit 1}}]\non_failure: [{ASK}]",
    "called": "steps: [{id: a, type: subworkflow, workflow: child}]",
    "called by a called one": "steps: [{id: a, type: subworkflow, workflow: middle}]",
    "called by a handler": (
        "steps: [{id: a, run: exit 1}]\non_failure: [{id: h, type: subworkflow, workflow: child}]"
    ),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A project with a workflow that asks somebody, and one that calls it."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "stepsmith.yaml", "stages: {local: {}}\n")
    write(tmp_path / "workflows/child.yaml", f"name: child\nsteps: [{ASK}]\n")
    call_child = "{id: c, type: subworkflow, workflow: child}"
    write(tmp_path / "workflows/middle.yaml", f"name: middle\nsteps: [{call_child}]\n")
    return tmp_path


@pytest.mark.parametrize("place", PLACES)
def test_it_is_decided_wherever_it_stands(place, folder):
    write(folder / "workflows/w.yaml", f"name: w\n{PLACES[place]}\n")

    ended = call("run", "w", "--decide", "ask=approved", "--format", "json")

    assert '"decided_by": "ann@example.com"' in ended.out, ended.err
    assert json.loads(ended.out)["status"] == ("failed" if "handler" in place else "succeeded")


def test_a_slip_is_told_with_what_was_meant(folder):
    write(folder / "workflows/w.yaml", f"name: w\n{PLACES['called']}\n")
    ended = call("run", "w", "--decide", "asks=approved")
    assert ended.code == 2
    assert "did you mean 'ask'" in ended.err
