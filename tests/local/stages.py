"""Local stages of workflows written in a test."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent
from typing import Any

from cli.here.laid import laid
from cli.here.people import directory_of
from cli.project.manifests import workflows
from cli.project.project import Project, Projects
from local.clock import Clock
from local.people import People
from local.server.events import Request, answer_of, event_of
from local.stage.setting import Setting
from local.stage.stage import Stage

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
ALICE, BOB = "alice@example.com", "bob@example.com"
_PATIENCE_SECONDS = 60.0  # however slow the machine: only what fails waits as long
SETTINGS = "stages: {local: {approvers: [alice@example.com, bob@example.com]}}\n"


@dataclass(frozen=True, slots=True)
class Answered:
    """What the API answered."""

    status: int
    headers: dict[str, str]
    body: Any


@dataclass(frozen=True, slots=True)
class Caller:
    """Calls the API of a stage for somebody."""

    stage: Stage
    person: str | None = BOB

    def page(self, target: str) -> int:
        """Return the status of a page."""
        request = Request("GET", target, {"host": "localhost"})
        return answer_of(self.stage.answer(event_of(request, self.person))).status

    def get(self, path: str) -> Answered:
        return self._call("GET", path)

    def post(self, path: str, body: Any = None, **headers: str) -> Answered:
        return self._call("POST", path, json.dumps(body or {}).encode(), headers)

    def _call(self, method: str, path: str, body: bytes = b"", headers: Any = None) -> Answered:
        named = {name.lower().replace("_", "-"): value for name, value in (headers or {}).items()}
        if body:
            named = {"content-type": "application/json", **named}
        request = Request(method, path, {"host": "localhost", **named}, body)
        answer = answer_of(self.stage.answer(event_of(request, self.person)))
        found = {name.lower(): value for name, value in answer.headers}
        return Answered(answer.status, found, json.loads(answer.body or b"null"))

    def run(self, workflow: str, **inputs: Any) -> str:
        """Start a run and return its id, without waiting for its end."""
        path = f"/api/workflows/{workflow}/run"
        return str(self.post(path, inputs, Prefer="respond-async").headers["x-run-id"])

    def until(self, holds: Callable[[], Any], what: str = "it") -> Any:
        """Return the first true value that a look gives; between two, all have a turn."""
        latest = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < latest:
            found = holds()
            if found:
                return found
            time.sleep(0.01)
        raise AssertionError(f"{what} did not come")

    def record(self, run: str) -> Any:
        """Return the record of a run that is over, waiting for it."""

        def over() -> Any:
            found = self.get(f"/api/runs/{run}").body
            return found if found.get("status") in ("succeeded", "failed", "cancelled") else None

        return self.until(over, f"the end of {run}")

    def task(self, step: str, run: str = "") -> Any:
        """Return the open task of a step, of a run if one is named, waiting for it."""

        def there() -> Any:
            items = self.get(f"/api/tasks?status=open&run={run}").body["items"]
            return next((one for one in items if one["step_id"] == step), None)

        return self.until(there, f"the task of '{step}'")


def project(folder: Path, settings: str = SETTINGS, **texts: str) -> Project:
    """Write a project of workflows, by the names of their files, and open it."""
    (folder / "workflows").mkdir(parents=True, exist_ok=True)
    file = folder / "stepsmith.yaml"
    file.write_text(settings, encoding="utf-8")
    for name, text in texts.items():
        path = folder / "workflows" / f"{name}.yaml"
        path.write_text(dedent(text), encoding="utf-8")
    return Projects().of(file)


@contextmanager
def staged(
    folder: Path,
    setting: Setting | None = None,
    clock: Clock | None = None,
    settings: str = SETTINGS,
    **texts: str,
) -> Iterator[Caller]:
    """Have a stage with workflows at work, in jumping time from the new year on."""
    here = project(folder, settings, **texts)
    given = setting or Setting(people=People(directory_of(here)), source=folder)
    with Stage(given, clock or Clock(NEW_YEAR)) as stage:
        stage.lay(laid(workflows(here), here), here.actions.asked())
        yield Caller(stage)
