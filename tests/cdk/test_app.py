"""A project's `app.py`: what `cdk` runs, what it says of mistakes, what it does without."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from cdk.packaging.libraries import installed
from cli.app import application
from cli.console import Misuse
from cli.deployment import Undeployable, deployment, project_in
from cli.packing import archives, packed
from cli.project.compile_file import Refused
from tests.architecture.project import ROOT
from tests.cdk.synthesis import templates_in, write_project

HELLO = "name: hello\nsteps:\n  - {id: hello, run: echo hello}\n"
CDK = ROOT / "node_modules" / ".bin" / "cdk"
MOST_SECONDS = 20
"""Of processor time, for `cdk synth` of the shipped project."""


def text_of(error: pytest.ExceptionInfo[BaseException]) -> str:
    """Return what a person is told."""
    return str(error.value)


# --- mistakes -------------------------------------------------------------------------------------


def test_without_a_stage_the_first_to_deploy_to_is_meant(tmp_path: Path):
    root = write_project(tmp_path, {"hello": HELLO})
    (root / "stepsmith.yaml").write_text("stages: {local: {}, beta: {}, prod: {}}\n")

    assert project_in(root, None).stage == "beta"
    assert project_in(root, "prod").stage == "prod"


@pytest.mark.parametrize(
    ("settings", "stage", "told"),
    [
        ("stages: {}\n", None, "stepsmith.yaml names no stage"),
        ("stages: {dev: {}}\n", "local", "'local' is this machine's"),
        ("stages: {dev: {}}\n", "dve", "there is no stage 'dve'\ndid you mean 'dev'?"),
    ],
)
def test_a_stage_that_cannot_be_deployed_is_told(
    tmp_path: Path, settings: str, stage: str | None, told: str
):
    root = write_project(tmp_path, {"hello": HELLO})
    (root / "stepsmith.yaml").write_text(settings)

    with pytest.raises(Misuse) as error:
        project_in(root, stage)

    assert told in text_of(error)


def test_a_folder_that_is_no_project_is_told(tmp_path: Path):
    with pytest.raises(Misuse, match=r"there is no stepsmith\.yaml"):
        project_in(tmp_path, None)


def test_mistakes_in_workflows_are_shown_at_their_places(tmp_path: Path):
    root = write_project(tmp_path, {"hello": HELLO + "colour: red\n"})

    with pytest.raises(Refused) as error:
        deployment(project_in(root, None))

    assert "error[unknown-key]" in text_of(error)
    assert "hello.yaml:4:1" in text_of(error)


def test_a_stage_deploys_the_workflows_it_lists_and_what_they_call(tmp_path: Path):
    parent = "name: parent\nsteps:\n  - {id: call, type: subworkflow, workflow: hello}\n"
    others = {"hello": HELLO, "parent": parent, "other": HELLO.replace("name: hello", "name: x")}
    root = write_project(tmp_path, others, "{workflows: [parent]}")

    found = deployment(project_in(root, None))

    assert [one.reference for one in found.workflows] == ["hello", "parent"]
    assert found.manifests.keys() == {"hello", "parent"}


def test_a_listed_workflow_that_is_not_there_is_told(tmp_path: Path):
    root = write_project(tmp_path, {"hello": HELLO}, "{workflows: [helo]}")

    with pytest.raises(Undeployable) as error:
        deployment(project_in(root, None))

    assert text_of(error) == "the stage 'dev' lists 'helo', which is none\ndid you mean 'hello'?"


def test_a_table_whose_stream_is_not_known_is_told(tmp_path: Path):
    trigger = "trigger: {type: database, table: orders}\n"
    root = write_project(tmp_path, {"hello": HELLO + trigger})

    with pytest.raises(Undeployable) as error:
        deployment(project_in(root, None))

    assert "the stream of the table 'orders', which workflows/hello.yaml listens to" in text_of(
        error
    )
    assert "stages.dev.streams" in text_of(error)


def test_libraries_that_were_not_fetched_are_told_and_how_to(tmp_path: Path):
    root = write_project(tmp_path, {"hello": HELLO})

    with pytest.raises(Undeployable) as error:
        archives(deployment(project_in(root, None)))

    assert "libraries are not there" in text_of(error)
    assert "stepsmith build --stage dev" in text_of(error)


def test_what_cdk_shows_of_a_mistake_is_that_alone(tmp_path: Path):
    root = write_project(tmp_path, {"hello": HELLO + "colour: red\n"})
    (root / "app.py").write_text((ROOT / "app.py").read_text())

    done = subprocess.run(
        [sys.executable, "app.py"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )

    assert done.returncode == 1
    assert done.stderr.startswith("error[unknown-key]")
    assert "Traceback" not in done.stderr


# --- what it makes --------------------------------------------------------------------------------


def test_archives_hold_what_the_project_adds(tmp_path: Path):
    own = """\
from pydantic import BaseModel
from functions.domain.action import Action

class Inputs(BaseModel):
    name: str

class Outputs(BaseModel):
    greeting: str

def run(inputs, context):
    return Outputs(greeting=f"hello {inputs.name}")

ACTION = Action(name="greet", description="Greets.", inputs=Inputs, outputs=Outputs, run=run)
"""
    workflow = """\
name: greeting
steps:
  - {id: greet, action: greet, inputs: {name: Ada}}
  - {id: mail, action: send-transactional-email,
     inputs: {template: welcome, recipient: a@example.com, subject: hi}}
"""
    root = write_project(tmp_path, {"greeting": workflow}, "{approvers: [lead@example.com]}")
    for name, text in (
        ("actions/greet.py", own),
        ("actions/test_greet.py", "raise AssertionError('no test is deployed')\n"),
        ("templates/welcome.html", "<p>hello</p>\n"),
    ):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)

    found = deployment(project_in(root, None))
    made = packed(found, {"functions": installed()}, tmp_path / "out")

    def names(function: str) -> set[str]:
        import zipfile

        with zipfile.ZipFile(made[function].path) as archive:
            return set(archive.namelist())

    assert {"actions/greet.py", "functions/handlers/action.py"} <= names("action-greet")
    assert "actions/test_greet.py" not in names("action-greet")
    assert "templates/welcome.html" in names("action-send-transactional-email")
    for function in ("api", "intake", "records"):
        assert "manifests/greeting.json" in names(function)
        assert "people.json" in names(function)
    assert not {name for name in names("latches") if not name.startswith(("functions", "protocol"))}
    assert {one.name: one.file for one in found.actions}["greet"] == "actions/greet.py"


def test_cdk_synthesises_the_shipped_project_with_nothing_but_itself(tmp_path: Path):
    """No network, no Docker, no account: each would fail here, and loudly."""
    if not CDK.exists():
        pytest.skip("the CDK's command is not installed: make setup")
    try:
        archives(deployment(project_in(ROOT, "prod")))  # a second synthesis finds them packed
    except Undeployable:
        pytest.skip("the libraries of the functions are not fetched: make setup")
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    docker.write_text("#!/bin/sh\necho docker was called >&2\nexit 66\n")
    docker.chmod(0o755)
    nowhere = "http://127.0.0.1:9"
    environment = {
        "PATH": f"{docker.parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "HTTP_PROXY": nowhere,
        "HTTPS_PROXY": nowhere,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)

    done = subprocess.run(
        [CDK, "synth", "--quiet", "--output", tmp_path / "cdk.out", "-c", "stage=prod"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
    )

    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    found = templates_in(tmp_path / "cdk.out", "prod")
    assert {"build_app", "deploy_with_retry"} <= found.workflows.keys()
    assets = json.loads((tmp_path / "cdk.out" / "stepsmith-prod.assets.json").read_text())
    assert not assets.get("dockerImages")
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert took < MOST_SECONDS


def test_functions_for_this_machine_need_nothing_fetched(tmp_path: Path):
    root = write_project(tmp_path, {"hello": HELLO}, "{auth: iam, account: '123456789012'}")

    found = application(root, "dev", here=True)

    assert found.stage.account is None
    assert not found.stage.protected
    assert all(path.is_file() for path in found.code.values())
