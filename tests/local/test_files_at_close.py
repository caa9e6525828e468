"""Files of a run that failed: what its undos and handlers find of what its steps left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.local.runs import compiled, played


def closed(folder: Path, text: str) -> Any:
    """Run a workflow that fails, for real; return what came of its undos and handlers."""
    ran, record = played(compiled(text), {}, keep=folder / "kept")
    assert ran.finished.status == "FAILED"
    return record["closing"]


def said(folder: Path, step: str) -> list[str]:
    """Return what each call of a step wrote, in the order of their paths."""
    logs = folder / "kept/logs"
    found = sorted(path for path in logs.rglob("*.stdout") if path.parent.name.startswith(step))
    return [path.read_text().strip() for path in found]


def test_undos_and_handlers_find_the_files_of_the_steps_that_finished(tmp_path: Path):
    text = """
        name: Files
        steps:
          - {id: build, run: echo one > app, artifacts: [app]}
          - id: deploy
            run: echo "back to zero" > state; cat app > deployed
            artifacts: [state, deployed]
            compensate: {id: undeploy, run: cat app state deployed | xargs}
          - {id: check, run: echo red > report, artifacts: [report]}
          - {id: fall, run: exit 3}
        on_failure:
          - {id: gather, run: "cat app state report > all", artifacts: [all]}
          - {id: tell, run: xargs < all}
    """
    closing = closed(tmp_path, text)

    assert closing["status"] == "succeeded"
    assert said(tmp_path, "undeploy") == ["one back to zero one"]
    assert said(tmp_path, "tell") == ["one back to zero red"]


def test_an_undo_finds_its_own_step_s_file_though_another_left_one_of_that_name(tmp_path: Path):
    """And what its step found before it: nothing that was made beside it."""
    text = """
        name: Files
        steps:
          - {id: first, run: "echo none > state", artifacts: [state], depends_on: []}
          - id: left
            run: cat state > seen; echo left > state
            artifacts: [state]
            depends_on: [first]
            compensate: {id: undo_left, run: cat state; test ! -f beside}
          - id: right
            run: echo right > state; touch beside
            artifacts: [state, beside]
            depends_on: [first]
            compensate: {id: undo_right, run: cat state}
          - {id: fall, run: exit 3, depends_on: [left, right]}
    """
    closing = closed(tmp_path, text)

    assert [undo["status"] for undo in closing["undone"]] == ["undone", "undone"]
    assert (said(tmp_path, "undo_left"), said(tmp_path, "undo_right")) == (["left"], ["right"])


def test_the_undo_of_an_item_finds_the_files_of_this_item(tmp_path: Path):
    text = """
        name: Files
        steps:
          - {id: base, run: echo base > base, artifacts: [base]}
          - id: each
            type: parallel
            for_each: [a, b]
            max_items: 2
            steps:
              - {id: make, run: "echo ${{ item }} > made", artifacts: [made]}
              - id: use
                depends_on: [make]
                run: echo "used ${{ item }}" > used
                artifacts: [used]
                compensate: {id: undo_use, run: "cat base made used | xargs"}
          - {id: fall, run: exit 3, depends_on: [each]}
    """
    closed(tmp_path, text)

    assert sorted(said(tmp_path, "undo_use")) == ["base a used a", "base b used b"]


@pytest.mark.parametrize("place", ["handler", "undo"])
def test_a_file_is_missing_whose_producer_has_not_finished(place: str, tmp_path: Path):
    """The error says who did not make it, as it does for a step."""
    reader = "{id: look, action: run-tests, inputs: {artifact: app, command: 'true'}}"
    handler = f"on_failure: [{reader}]" if place == "handler" else ""
    undo = f"compensate: {reader}" if place == "undo" else ""
    text = f"""
        name: Files
        steps:
          - {{id: build, run: "touch app; exit {int(place == "handler")}", artifacts: [app],
             condition: {"true" if place == "handler" else "failure()"}}}
          - {{id: book, run: echo, condition: always(), {undo}}}
          - {{id: fall, run: exit 3, condition: always()}}
        {handler}
    """
    (told,) = closed(tmp_path, text)["handlers" if place == "handler" else "undone"]

    assert told["status"] == "failed"
    assert told["error"]["type"] == "ArtifactNotFound"
    assert "step 'build' did not produce 'app'" in told["error"]["message"]
