"""A stage deployed by the CDK's own command to ministack, once for all tests in this folder.

Everything goes by `stepsmith dev --stack`'s own way. Without Node or ministack's environment
(`make setup` has both) the tests are skipped.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cli.console import Console
from cli.reach.client import Reach, Refused, at
from cli.reach.http import OverHttp, as_person
from cli.reach.record import is_over
from cli.stack.stack import Options, _tell, served
from cli.stack.up import Up
from local.ministack.server import is_made, usual_folder
from tests.browser.conftest import chromium, visit
from tests.docs.pages import blocks

__all__ = ["chromium", "visit"]

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NODE = ROOT / "node_modules" / ".bin"
ALICE, BOB, CAROL, DAVE = (f"{one}@example.com" for one in ("alice", "bob", "carol", "dave"))
"""Alice and Dave are asked, Bob starts runs, and Carol has nothing to do with any of it."""
_LOOK_SECONDS = 0.1
_LONGEST = 60.0


@dataclass(frozen=True, slots=True)
class Stage:
    """The stage: its project's folder, and ways to it. `ministack` is what AWS is here."""

    up: Up
    project: Path
    said: io.StringIO

    def api(self, person: str = BOB) -> Reach:
        """Return the API as somebody calls it."""
        return Reach(OverHttp(self.up.url, "the stage", as_person(person)), is_local=True)

    def client(self, service: str) -> Any:
        """Return boto3's client of a service."""
        return self.up.client(service)

    def run(self, workflow: str, person: str = BOB, **inputs: Any) -> str:
        """Start a run and return its id."""
        target = at("workflows", workflow, "run")
        started, reply = self.api(person).post(target, inputs, Prefer="respond-async")
        assert reply.status == 202
        return str(started["run_id"])

    def record(self, run: str) -> Any:
        """Return what the API tells of a run; what an event has started is known a moment later."""

        def ask() -> Any:
            try:
                return self.api().get(at("runs", run))
            except Refused as refused:
                if refused.status == 404:
                    return None
                raise

        return self.wait(ask, bool)

    def over(self, run: str) -> Any:
        """Return the record of a run when it is over."""
        return self.wait(lambda: self.record(run), is_over)

    def task(self, run: str) -> Any:
        """Return the task of a run that somebody has to answer, as soon as there is one."""

        def ask() -> Any:
            record = self.record(run)
            assert not is_over(record), json.dumps(record)
            return self.api(ALICE).get(at("tasks"), run=run, status="open")["items"]

        return self.wait(ask, bool)[0]

    def wait(self, ask: Callable[[], Any], until: Callable[[Any], Any]) -> Any:
        """Ask until something holds of the answer; real time passes on ministack."""
        end = time.monotonic() + _LONGEST
        while True:
            found = ask()
            if until(found):
                return found
            if time.monotonic() > end:
                pytest.fail(f"after {_LONGEST:.0f} s it is still {found}")
            time.sleep(_LOOK_SECONDS)


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The project in `project/`, deployed, with the workflow of the tutorial."""
    if not (NODE / "cdk").exists():
        pytest.skip("there is no Node with the project's packages")
    if not is_made(usual_folder()):
        pytest.skip("there is no environment of ministack")
    project = tmp_path_factory.mktemp("stack") / "project"
    shutil.copytree(HERE / "project", project)
    (project / "workflows" / "publish.yaml").write_text(_of_the_tutorial(), encoding="utf-8")
    said = io.StringIO()
    environ = {**os.environ, "PATH": os.pathsep.join((str(NODE), os.environ["PATH"]))}
    console = Console(said, said, io.StringIO(), environ)
    options = Options(root=project, port=0, person=BOB)
    with served(options, console) as up:
        _tell(up)
        yield Stage(up, project, said)


def _of_the_tutorial() -> str:
    """Return the workflow that the tutorial ends with."""
    page = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    written = [one for one in blocks(page) if one.says.get("file") == "workflows/publish.yaml"]
    return written[-1].text
