"""The console in a browser, on a stage of `stepsmith dev`: what the person on call does."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

HOSTILE = (
    '<script>alerted = true</script> "quoted" \u202eright to left <img src=x onerror=alert(1)>'
)
RELEASE = """\
name: Release
inputs:
  version: {type: string, required: true, pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+$'}
outputs:
  url: {value: "${{ steps.deploy.outputs.url }}"}
steps:
  - id: build
    run: echo "artifact=app-${{ inputs.version }}" >> "$GITHUB_OUTPUT"
    outputs: {artifact: ""}
    depends_on: []
  - id: review
    type: manual
    title: Release ${{ inputs.version }}?
    assignees: [alice@example.com, bob@example.com]
    depends_on: [build]
  - id: deploy
    run: |
      echo "deploying <b>${{ inputs.version }}</b>"
      if [ "${{ inputs.version }}" = "6.6.6" ]; then echo "no such release" >&2; exit 3; fi
      echo "url=https://example.com" >> "$GITHUB_OUTPUT"
    outputs: {url: ""}
    depends_on: [review]
"""
MANY = "name: Many\nsteps:\n" + "".join(
    f"  - {{id: s{at}, type: wait, for: 1s, depends_on: [{f's{at - 5}' if at >= 5 else ''}]}}\n"
    for at in range(200)
)


@pytest.fixture
def stage(tmp_path: Path):
    """A project served by `stepsmith dev`; its address."""
    files = {
        "stepsmith.yaml": "stages: {local: {approvers: [alice@example.com]}}\n",
        "workflows/release.yaml": RELEASE,
        "workflows/hostile.yaml": (
            f"id: hostile\nname: {HOSTILE!r}\n".replace("\\u202e", "\u202e")
            + "steps:\n  - {id: one, name: 'x <b>y</b>', type: wait, for: 1s}\n"
        ),
        "workflows/many.yaml": MANY,
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    command = [
        sys.executable,
        "-c",
        "from cli.main import entry; entry()",
        "dev",
        "--port",
        "18321",
    ]
    with (tmp_path / "said.txt").open("w+") as said:
        process = subprocess.Popen(command, cwd=tmp_path, stdout=said, stderr=said)
        try:
            yield _address(tmp_path / "said.txt", process)
        finally:
            process.terminate()
            process.wait(20)


def _address(said: Path, process: subprocess.Popen[bytes]) -> str:
    end = time.monotonic() + 30
    while time.monotonic() < end and process.poll() is None:
        found = re.search(r"http://127\.0\.0\.1:\d+", said.read_text())
        if found:
            return found[0]
        time.sleep(0.05)  # another process: there is nothing to wait on
    pytest.fail(f"the stage is not there: {said.read_text()}")


@pytest.mark.slow
def test_a_run_is_started_watched_approved_and_explained(visit, stage):
    found = visit("console.mjs", stage, name="Release", hostile=HOSTILE)
    assert found["axe"] == []
    assert found["wide"] == []
    assert "does not match" in found["invalid"]
    assert [fault.rpartition(" ")[2] for fault in found["refused"]] == ["400"]
    assert found["waiting"] == "review waiting"
    assert found["comment"] == HOSTILE
    assert '"url": "https://example.com"' in found["outputs"]
    assert (found["step"], found["closed"]) == ("build", 0)
    assert "no such release" in found["error"]
    assert found["line"].split() == ["16", "-", "id:", "deploy"]
    assert "deploying <b>6.6.6</b>" in found["log"]
    assert "deploy" in found["plan"]
    assert "build" in found["plan"].partition("keep their results")[2]
    assert found["hostile"].startswith(HOSTILE)
    assert (found["scripts"], found["alerted"]) == (0, False)
    assert found["milliseconds"] < 1000


@pytest.mark.slow
def test_what_somebody_types_reads_or_points_at_stays_while_the_page_is_refreshed(visit, stage):
    people = {"person": "carol", "approver": "alice", "other": "bob"}
    people = {what: f"{name}@example.com" for what, name in people.items()}
    found = visit("console_stays.mjs", stage, **people)
    assert found["typed"] == "rel"
    assert found["focus"] is True
    assert found["filter"] == ["status", "rel"]
    assert (found["log"], found["selected"], found["closed"]) == (1, True, "card-build")
    assert found["comment"] == "half of it"
    assert found["other"] == "It is rejected now, by bob@example.com."
    assert found["inbox"] > 0
    assert found["rows"] > 0
    assert "Your login is over" in found["over"][0]
    assert found["over"][1] == "rel"
