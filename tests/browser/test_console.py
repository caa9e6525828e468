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
FORM = """\
name: Form
steps:
  - id: fill
    type: manual
    title: Fill it in
    assignees: [alice@example.com]
    form:
      type: object
      required: [when, hosts]
      properties:
        when: {type: string, format: date-time}
        unchanged: {type: string, format: date-time, default: "2026-12-24T18:00:30+01:00"}
        hosts: {type: array, items: {type: string}}
        zones: {type: array, items: {enum: [eu, us]}}
        fixed: {const: 7}
        maybe: {type: [string, "null"], title: Perhaps}
        why not: {type: string, maxLength: 2000, title: Why not}
        sure: {type: boolean, default: true}
        more: {type: object}
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
        "workflows/form.yaml": FORM,
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


@pytest.mark.slow
def test_a_form_says_the_same_from_the_console_and_from_the_page(visit, stage):
    found = visit(
        "console_form.mjs", stage, person="alice@example.com", starter="carol@example.com"
    )
    asked = {
        "hosts": ["a.example.com", "b.example.com"], "zones": ["us"], "fixed": 7, "maybe": "yes",
        "why not": "one\ntwo", "sure": False, "more": {"a": [1]},
        "unchanged": "2026-12-24T18:00:30+01:00",
    }  # fmt: skip
    assert found["console"] == {**asked, "when": "2026-12-01T01:00:00.000Z"}, "ten, in Tokyo"
    assert found["page"] == {**asked, "when": "2026-12-01T10:00:00Z"}, "ten, in UTC"
    assert "time zone, Asia/Tokyo" in found["hint"]
    assert (found["axe"], found["refused"], found["focus"]) == ([], True, "form.hosts")
