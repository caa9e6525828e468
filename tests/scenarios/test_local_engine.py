"""Every scenario of this repository on the local engine: the shipped workflows', and the tests'."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path

import pytest

from cli.scenarios.cases import Played
from cli.scenarios.files import Loaded, Loader, Named
from cli.scenarios.play import Surroundings, play
from cli.scenarios.reading import read_draft
from cli.scenarios.text import differences
from compiler.check.program import Kind, every_step
from compiler.diagnostics import Diagnostics
from compiler.source import Source

ROOT = Path(__file__).parents[2]
FOLDERS = ("workflows", "tests/scenarios/everyday", "tests/scenarios/language")
FILES = [
    path.relative_to(ROOT)
    for folder in FOLDERS
    for path in sorted((ROOT / folder).glob("*.test.yaml"))
]
STATUSES = {"succeeded", "failed", "timed_out", "rejected", "skipped", "cancelled"}
REASONS = {"condition", "upstream_failed", "upstream_skipped"}
ERRORS = {
    "ArtifactNotFound", "OutputMissing", "ProgramNotFound", "ScriptFailed", "StepTimedOut",
    "TooManyItems", "TestSuiteError", "RolloutFailed", "ServiceUnavailable",
}  # fmt: skip


def names(file: Path) -> list[str]:
    """Return the names of a file's cases."""
    source = Source(file.as_posix(), (ROOT / file).read_text(encoding="utf-8"))
    draft = read_draft(ROOT / file, source, Diagnostics(source))
    assert draft is not None, file
    return [case.name for _, case in draft.cases]


CASES = [(file, name) for file in FILES for name in names(file)]


@pytest.fixture(scope="session")
def loader() -> Loader:
    return Loader()


@pytest.fixture(scope="session")
def project(tmp_path_factory) -> Path:
    """Return a copy of the project in no git tree: the source of steps is one small folder."""
    root = tmp_path_factory.mktemp("project")
    shutil.copy(ROOT / "stepsmith.yaml", root)
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, root / folder)
    return root


@cache
def loaded(loader_: Loader, path: Path) -> Loaded:
    found, said = loader_.load(Named(path))
    assert found is not None, said
    return found


def played(loader_: Loader, path: Path, name: str) -> tuple[Loaded, Played]:
    file = loaded(loader_, path)
    (case,) = (case for case in file.cases if case.name == name)
    return file, play(case, file.subject, Surroundings(path.parent))


@pytest.mark.parametrize(("file", "name"), CASES, ids=lambda part: str(getattr(part, "name", part)))
def test_all_is_as_expected(file, name, loader, project):
    scenario, it = played(loader, project / file, name)
    assert differences(scenario.scenario.source, it.differences, colour=False) == ""


def test_every_shipped_workflow_has_a_scenario(loader, project):
    files = (project / "workflows").glob("*.yaml")
    workflows = {path for path in files if not path.name.endswith(".test.yaml")}
    tested = {
        loaded(loader, project / file).scenario.workflow
        for file in FILES
        if file.parent.name == "workflows"
    }
    assert workflows == tested


def test_every_kind_status_reason_and_error_occurs(loader, project):
    every = [loaded(loader, project / file) for file in FILES]
    programs = [one.subject.program for one in every]
    kinds = {type(step.kind) for program in programs for step in every_step(program.steps)}
    assert {kind.__name__ for kind in kinds} == set(str(Kind).split(" | "))
    expected = [one for file in every for case in file.cases for one in case.expect if one.step]
    assert {one.value for one in expected if one.aspect == "status"} == STATUSES
    assert {one.value for one in expected if one.aspect == "reason"} == REASONS
    errors = {one.value for one in expected if one.aspect == "error" and one.names == ("type",)}
    assert errors >= ERRORS


def test_the_same_case_gives_the_same_record_byte_for_byte(loader, project):
    path = project / "workflows/deploy_application.test.yaml"
    name = "bob approves on the third day, after the lead was reminded"
    first, second = (json.dumps(played(loader, path, name)[1].record) for _ in range(2))
    assert first == second
