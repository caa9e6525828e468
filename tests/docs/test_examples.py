"""The examples: workflows as people run them, each with scenarios that hold."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from cli.project.project import workflow_files
from tests.cli.calling import call
from tests.docs.pages import ROOT

EXAMPLES = ROOT / "examples"
SCENARIOS = sorted((EXAMPLES / "workflows").glob("*.test.yaml"))


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """Return a copy in no git tree: the source of the steps is one small folder."""
    return Path(shutil.copytree(EXAMPLES, tmp_path_factory.mktemp("copy") / "examples"))


def test_nothing_is_said_about_any_of_them():
    ended = call("validate", EXAMPLES / "workflows", "--format", "json")

    assert json.loads(ended.out)["diagnostics"] == []


def test_each_has_scenarios():
    """Those that others call are played with their callers."""
    workflows = {file.stem for file in (EXAMPLES / "workflows").glob("*.yaml")}

    assert {file.name.removesuffix(".test.yaml") for file in SCENARIOS} == {
        name for name in workflows if not name.endswith(".test")
    }


def test_each_is_in_the_table():
    named = re.findall(
        r"\]\((workflows/[\w/]+\.yaml)\)", (EXAMPLES / "README.md").read_text("utf-8")
    )

    there = [file.relative_to(EXAMPLES).as_posix() for file in workflow_files(EXAMPLES)]
    assert sorted(named) == sorted(there)


@pytest.mark.slow
@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: file.name.removesuffix(".test.yaml"))
def test_it_goes_as_its_scenarios_say(file, project, monkeypatch):
    monkeypatch.chdir(project)

    ended = call("test", f"workflows/{file.name}")

    assert ended.code == 0, ended.out + ended.err
