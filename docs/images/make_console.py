"""Photograph the console: runs, a running and a failed run, the inbox, a start form.

    python docs/images/make_console.py

A stage of `stepsmith dev` runs an example meanwhile. Needs Chromium and the Node tools of
`make setup`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PERSON = "alice@example.com"
PROJECT = {
    "stepsmith.yaml": "stages: {local: {approvers: [alice@example.com, bob@example.com]}}\n",
    "workflows/release.yaml": """\
name: Release the shop
description: Builds, tests on two platforms, asks, deploys and tells people.
inputs:
  version: {type: string, required: true, description: "What is released, as 1.2.3"}
  region: {type: string, enum: [eu-central-1, us-east-1], default: eu-central-1}
  replicas: {type: integer, default: 2, minimum: 1}
  announce: {type: boolean, default: true, description: Tell the newsletter}
steps:
  - id: build
    run: sleep 1; echo "image=shop:${{ inputs.version }}" >> "$GITHUB_OUTPUT"
    outputs: {image: ""}
    depends_on: []
  - id: unit_tests
    run: sleep 1; echo "412 passed"
    depends_on: [build]
  - id: scan
    run: |
      sleep 0.5
      if [ "${{ inputs.version }}" = 2.13.1 ]; then
        echo "CVE-2026-0001 in libexample 1.2" >&2
        exit 1
      fi
    depends_on: [build]
  - id: review
    type: manual
    title: Release ${{ inputs.version }} to ${{ inputs.region }}?
    description: ${{ steps.build.outputs.image }} is on staging since today.
    assignees: [alice@example.com, bob@example.com]
    due_in: 8h
    depends_on: [unit_tests, scan]
  - id: deploy
    run: sleep 0.5; echo deployed
    depends_on: [review]
  - id: announce
    run: echo announced
    condition: ${{ inputs.announce }}
    depends_on: [deploy]
  - id: page_on_call
    run: echo paged
    condition: failure()
    depends_on: [deploy]
""",
}


def main() -> None:
    """Run the example and take the pictures."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("there is no Chromium on the PATH")
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        for name, text in PROJECT.items():
            (project / name).parent.mkdir(exist_ok=True)
            (project / name).write_text(text, encoding="utf-8")
        said = project / "said.txt"
        command = [sys.executable, "-c", "from cli.main import entry; entry()", "dev",
                   "--port", "18400", "--as", "carol@example.com"]  # fmt: skip
        with said.open("w") as out:
            process = subprocess.Popen(command, cwd=project, stdout=out, stderr=out)
        try:
            _photograph(_address(said), chromium)
        finally:
            process.terminate()
            process.wait(20)


def _photograph(base: str, chromium: str) -> None:
    for version in ("2.12.0", "2.13.0"):
        _decide(base, _start(base, version))
    failed = _start(base, "2.13.1")
    running = _start(base, "2.14.0")
    _until(base, running, lambda run: any(one["status"] == "waiting" for one in run["steps"]))
    _until(base, failed, lambda run: run["status"] == "failed")
    task = next(one for one in _get(base, running)["steps"] if one["status"] == "waiting")
    told = {
        "person": PERSON,
        "folder": str(HERE),
        "pages": {
            "runs": "/#/runs",
            "running": f"/#/runs/{running}",
            "failed": f"/#/runs/{failed}?step=scan",
            "inbox": "/#/tasks",
            "task": f"/#/tasks/{task['task_id']}",
            "start": "/#/workflows/release_the_shop",
        },
    }
    script = [str(ROOT / "tests/browser/run.mjs"), str(HERE / "console.mjs"), base]
    subprocess.run(
        ["node", *script, json.dumps(told)],
        cwd=ROOT,
        env={**os.environ, "CHROMIUM": chromium},
        check=True,
        stdout=subprocess.DEVNULL,
    )


def _start(base: str, version: str) -> str:
    found = _call(
        f"{base}/api/workflows/release_the_shop/run",
        {"version": version},
        {"Prefer": "respond-async"},
    )
    return str(found["run_id"])


def _decide(base: str, run: str) -> None:
    record = _until(base, run, lambda one: bool(one.get("tasks")))
    answer = {"status": "approved", "comments": "fine"}
    _call(f"{base}/api/tasks/{record['tasks'][0]}/status", answer, {})


def _until(base: str, run: str, holds: Any) -> Any:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        record = _get(base, run)
        if holds(record):
            return record
        time.sleep(0.2)
    raise SystemExit(f"the run {run} does not get there")


def _get(base: str, run: str) -> Any:
    with urllib.request.urlopen(f"{base}/api/runs/{run}") as answer:  # noqa: S310
        return json.load(answer)


def _call(url: str, body: object, headers: dict[str, str]) -> Any:
    given = {"Content-Type": "application/json", **headers}
    if "/tasks/" in url:
        given["Cookie"] = "stepsmith-as=alice@example.com"
    request = urllib.request.Request(url, json.dumps(body).encode(), given)  # noqa: S310
    with urllib.request.urlopen(request) as answer:  # noqa: S310
        return json.load(answer)


def _address(said: Path) -> str:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        found = re.search(r"http://127\.0\.0\.1:\d+", said.read_text())
        if found:
            return found[0]
        time.sleep(0.05)
    raise SystemExit(said.read_text())


if __name__ == "__main__":
    main()
