"""`stepsmith doctor`: what is there, what is not, and what to do about it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from cli.bootstrap import PARAMETER
from cli.doctor import text as output
from cli.doctor.machine import Check, Machine, checks
from cli.doctor.stage import stage_checks
from cli.project.project import Projects
from cli.tools import Tools
from tests.cli.calling import call, write

REGION = "eu-central-1"
WORKFLOW = """\
name: Release
trigger: {type: http, secret: hook}
steps: [{id: a, run: "echo ${{ secrets.TOKEN }}"}]
"""


class Fake(Tools):
    """Programs that are there, by their versions."""

    def __init__(self, root: Path, versions: Mapping[str, str]) -> None:
        super().__init__(root, {})
        self._versions: Mapping[str, str]
        object.__setattr__(self, "_versions", versions)

    def find(self, name: str) -> Path | None:
        return Path("/bin", name) if name in self._versions else None

    def version(self, name: str) -> str | None:
        return self._versions.get(name)


WHOLE = {"bash": "5.2", "git": "2.40", "node": "22.1.0", "cdk": "2.1100.0"}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine that lacks nothing, in a folder without a project."""
    return Machine(
        root=None,
        tools=Fake(tmp_path, WHOLE),
        environ={},
        free=lambda _: True,
        requirements=lambda: ["boto3>=1.44", "moto[s3]==5.2.5", 'aws-cdk-lib>=2; extra == "x"'],
        installed={"boto3": "1.50.0", "moto": "5.2.5", "aws-cdk-lib": "2.300.0"}.get,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a workflow that reads two secrets."""
    write(tmp_path / "stepsmith.yaml", f"stages: {{dev: {{region: {REGION}}}}}\n")
    write(tmp_path / "workflows" / "release.yaml", WORKFLOW)
    return tmp_path


def _by_name(found: list[Check]) -> dict[str, Check]:
    return {one.name: one for one in found}


def _missing(machine: Machine, *, for_deploy: bool = False) -> list[str]:
    found = checks(machine, for_deploy=for_deploy)
    return [one.name for one in found if one.state == "missing"]


def test_nothing_is_missing_on_a_machine_that_has_all(machine: Machine):
    assert _missing(machine, for_deploy=True) == []


@pytest.mark.parametrize(
    ("lacks", "missing", "for_deploy"),
    [
        ({"git"}, ["git"], ["git"]),
        ({"bash"}, ["bash"], ["bash"]),
        ({"cdk"}, [], ["CDK command"]),
        ({"node"}, [], ["Node", "CDK command"]),
    ],
)
def test_what_only_deployments_need_is_missing_only_for_them(
    machine: Machine, lacks: set[str], missing: list[str], for_deploy: list[str]
):
    tools = Fake(machine.tools.root, {k: v for k, v in WHOLE.items() if k not in lacks})
    without = replace(machine, tools=tools)

    assert _missing(without) == missing
    assert _missing(without, for_deploy=True) == for_deploy


@pytest.mark.parametrize(
    ("changed", "name", "said"),
    [
        ({"python": (3, 10, 1)}, "Python", "3.10.1, but 3.11 or later is needed"),
        (
            {"installed": {"boto3": "1.43.9", "moto": "5.2.6"}.get},
            "packages",
            "boto3 is 1.43.9, but >=1.44 is needed; moto is 5.2.6, but ==5.2.5 is needed",
        ),
        ({"installed": {"boto3": "1.44"}.get}, "packages", "moto is not there"),
        ({"free": lambda _: False}, "port 8321", "it is taken, and so are the 49 after it"),
    ],
)
def test_what_will_not_do_is_told_with_the_reason(machine, changed, name, said):
    found = _by_name([*checks(replace(machine, **changed))])[name]

    assert (found.state, found.told) == ("missing", said)
    assert found.todo


def test_a_taken_port_is_fine_as_long_as_another_is_free(machine: Machine):
    found = _by_name([*checks(replace(machine, free=lambda port: port > 8323))])["port 8321"]

    assert (found.state, found.told) == ("ok", "it is taken; stepsmith dev takes 8324")


def test_an_old_node_will_not_do(machine: Machine):
    old = replace(machine, tools=Fake(machine.tools.root, {**WHOLE, "node": "18.2.0"}))

    assert _by_name([*checks(old)])["Node"].told == "it is 18.2.0, but 20 is needed"


def test_secrets_are_looked_for_in_the_environment_and_in_the_projects_file(
    machine: Machine, project: Path
):
    write(project / ".secrets", "hook=from the file\n")

    found = _by_name([*checks(replace(machine, root=project))])

    assert found["workflows"].told == "1, without mistakes"
    assert found["secret hook"].state == "ok"
    assert (found["secret TOKEN"].state, found["secret TOKEN"].needed_for) == ("idle", "release")
    with_token = replace(machine, root=project, environ={"TOKEN": "x"})
    assert _by_name([*checks(with_token)])["secret TOKEN"].state == "ok"


def test_mistakes_in_settings_and_workflows_count_as_missing(machine: Machine, project: Path):
    write(project / "workflows" / "wrong.yaml", "steps: [{id: a, rnu: x}]\n")
    write(project / "stepsmith.yaml", "stages: {dev: {region: nowhere}}\n")

    found = _by_name([*checks(replace(machine, root=project))])

    assert "nowhere" in found["stepsmith.yaml"].told
    assert found["workflows"].told == "1 of 2 have mistakes: workflows/wrong.yaml"


def test_tools_of_the_project_and_of_the_python_come_first(tmp_path: Path):
    own = tmp_path / "node_modules" / ".bin" / "cdk"
    write(own, "#!/bin/sh\necho 9.8.7 '(build 1)'\n").chmod(0o755)

    tools = Tools(tmp_path, {"PATH": "/usr/bin:/bin"})

    assert (tools.find("cdk"), tools.version("cdk")) == (own, "9.8.7")
    assert tools.find("python") == Path(sys.executable).parent / "python"
    assert tools.version("no-such-program") is None


def test_the_command_ends_with_1_where_something_is_missing(
    project: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(project)
    write(project / "workflows" / "release.yaml", "steps: [{id: a, rnu: x}]\n")

    ended = call("doctor", environ={"PATH": "/usr/bin:/bin"})
    told = json.loads(call("doctor", "--format", "json", environ={"PATH": "/usr/bin:/bin"}).out)

    assert ended.code == 1
    assert "✗ workflows" in ended.out
    assert told["ok"] is False
    assert {"name", "state", "told", "todo", "needed_for"} == {*told["checks"][0]}


def test_people_read_what_is_needed_for_what_and_what_to_do():
    told = output.render(
        [
            Check("git", "missing", "it is not on the PATH", "install git", "sources"),
            Check("Python", "ok", "3.13.0"),
        ],
        colour=False,
    )

    assert told == (
        "✗ git     it is not on the PATH\n"
        "          needed for sources\n"
        "          install git\n"
        "✓ Python  3.13.0\n"
        "1 missing\n"
    )


# --- a stage -------------------------------------------------------------------------------------


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch):
    """Credentials of an account that nothing is in."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    with mock_aws():
        yield boto3.Session(region_name=REGION)


class _Session:
    """A session with stacks that are said here: moto's need more than is installed."""

    def __init__(self, session: boto3.Session, status: str | None, project: str) -> None:
        self._session = session
        self._status = status
        self.deployed_by = project
        self.region_name = session.region_name
        self.get_credentials = session.get_credentials

    def client(self, service: str, **options: Any) -> Any:
        return self if service == "cloudformation" else self._session.client(service, **options)

    def describe_stacks(self, **asked: str) -> Any:
        if self._status is None:
            message = f"{asked} does not exist"
            raise ClientError(
                {"Error": {"Code": "ValidationError", "Message": message}}, "DescribeStacks"
            )
        said = f"Stepsmith: the workflows of {self.deployed_by}, stage dev"
        return {"Stacks": [{"StackStatus": self._status, "Description": said}]}


def _stage(
    project: Path, session: boto3.Session, status: str | None = None, by: str | None = None
) -> dict[str, Check]:
    session = cast("boto3.Session", _Session(session, status, by or project.name))
    return _by_name([*stage_checks(Projects("dev").of(project / "stepsmith.yaml"), session)])


def test_an_account_that_the_cdk_has_never_been_in_is_told_how_to_begin(project, session):
    found = _stage(project, session)

    assert found["credentials"].state == "ok"
    assert found["account"].state == "missing"
    assert found["account"].todo == f"npx cdk bootstrap aws://123456789012/{REGION}"


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (None, "idle"),
        ("UPDATE_COMPLETE", "ok"),
        ("ROLLBACK_COMPLETE", "missing"),
        ("CREATE_FAILED", "missing"),
    ],
)
def test_a_stack_that_failed_is_deployed_again(project, session, status, state):
    session.client("ssm").put_parameter(Name=PARAMETER, Value="30", Type="String")

    assert _stage(project, session, status)["stack"].state == state


def test_a_stack_that_was_never_made_has_to_lose_its_protection_first(project, session):
    """The CDK would delete it before it makes it anew, and is refused."""
    session.client("ssm").put_parameter(Name=PARAMETER, Value="30", Type="String")

    for status, has_to in (("ROLLBACK_COMPLETE", True), ("UPDATE_ROLLBACK_COMPLETE", False)):
        todo = _stage(project, session, status)["stack"].todo
        assert ("--no-enable-termination-protection --stack-name stepsmith-dev" in todo) is has_to


def test_a_stack_that_another_project_deployed_is_told(project, session):
    """Deployed from here, it would lose that project's workflows."""
    session.client("ssm").put_parameter(Name=PARAMETER, Value="30", Type="String")

    found = _stage(project, session, "UPDATE_COMPLETE", by="other")["stack"]

    assert found.state == "missing"
    assert found.told == (f"stepsmith-dev: deployed from 'other', and this is '{project.name}'")


def test_a_stage_has_the_secrets_that_its_workflows_read(project, session):
    session.client("ssm").put_parameter(Name=PARAMETER, Value="30", Type="String")
    secrets = session.client("secretsmanager")
    secrets.create_secret(Name="stepsmith/dev/hook", SecretString="x")
    secrets.create_secret(Name="stepsmith/dev/other", SecretString="x")

    found = _stage(project, session)

    assert (found["account"].state, found["stack"].state) == ("ok", "idle")
    assert (found["secret hook"].state, found["secret TOKEN"].state) == ("ok", "missing")
    assert "--name stepsmith/dev/TOKEN" in found["secret TOKEN"].todo
