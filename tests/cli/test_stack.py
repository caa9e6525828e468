"""`stepsmith dev --stack`, without a deployment: who calls, and what is deployed when."""

from __future__ import annotations

import io
import json
import os
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli.console import Console, Misuse
from cli.project.manifests import workflows
from cli.project.project import Projects
from cli.stack.deploy import Deployer, NotDeployed
from cli.stack.once import _chosen
from cli.stack.people import Logins, Way, way
from cli.stack.stack import Options, _loop
from cli.stack.up import Talk, timings
from cli.tools import Tools
from local.server.events import Answer, Request
from local.server.server import Server, Site
from tests.cli.calling import write

ALICE = "alice@example.com"


# --- who calls -----------------------------------------------------------------------------------


class Pool:
    """A user pool whose tokens say who they are of, and how many there were."""

    exceptions = SimpleNamespace(UsernameExistsException=KeyError)

    def __init__(self) -> None:
        self.people: list[str] = []
        self.given = 0

    def admin_create_user(self, Username: str, **_: Any) -> None:  # noqa: N803
        if Username in self.people:
            raise KeyError
        self.people.append(Username)

    def admin_set_user_password(self, **_: Any) -> None:
        pass

    def initiate_auth(self, AuthParameters: Any, **_: Any) -> Any:  # noqa: N803
        self.given += 1
        token = f"{AuthParameters['USERNAME']} {self.given}"
        return {"AuthenticationResult": {"IdToken": token, "ExpiresIn": self.seconds}}

    seconds = 3600


def test_a_person_logs_in_once_and_again_when_the_token_is_about_to_end():
    pool = Pool()
    logins = Logins(pool, "pool", "client")

    assert [logins.token(ALICE) for _ in range(2)] == [f"{ALICE} 1"] * 2
    pool.seconds = 30  # less than is left for a request
    assert logins.token("bob@example.com") == "bob@example.com 2"
    assert logins.token("bob@example.com") == "bob@example.com 3"
    assert pool.people == [ALICE, "bob@example.com"]


@pytest.fixture
def stage():
    """An API that tells what it was asked, and the way to it."""
    asked: list[Request] = []

    def answer(request: Request, person: str | None) -> Answer:
        del person
        asked.append(request)
        return Answer(203, (("X-Told", "yes"), ("Connection", "close")), b"told")

    with Server() as server:
        server.serve(Site(None, forward=answer))
        port = int(server.url.rpartition(":")[2])
        outputs = {"UserPool": "p", "UserPoolClient": "c", "ApiUrl": f"{server.url}/api"}
        yield asked, way("dev", outputs, port, Pool())


def test_a_request_goes_on_with_the_token_of_whoever_calls(stage):
    asked, there = stage
    headers = {"cookie": "stepsmith-as=x", "host": "127.0.0.1:1", "x-mine": "1"}

    answer = there.forward(Request("POST", "/api/x%2Fy?q=1", headers, b"body"), ALICE)

    assert (answer.status, answer.body, ("X-Told", "yes") in answer.headers) == (203, b"told", True)
    (came,) = asked
    assert (came.method, came.target, came.body) == ("POST", "/api/x%2Fy?q=1", b"body")
    assert came.headers["authorization"] == f"Bearer {ALICE} 1"
    assert came.headers["host"] == there.host
    assert (came.headers["x-mine"], "cookie" in came.headers) == ("1", False)


def test_nobody_and_whoever_brings_a_token_are_left_as_they_are(stage):
    asked, there = stage

    there.forward(Request("GET", "/api/runs"), None)
    there.forward(Request("GET", "/api/runs", {"authorization": "Bearer mine"}), ALICE)

    assert [one.headers.get("authorization") for one in asked] == [None, "Bearer mine"]


def test_the_pages_are_told_that_nobody_has_to_log_in(stage):
    asked, there = stage

    settings = json.loads(there.forward(Request("GET", "/console.json"), ALICE).body)

    assert (settings, asked) == ({"auth": "local", "stage": "dev"}, [])


def test_a_ministack_that_is_gone_is_told_of():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        nobody = Way(probe.getsockname()[1], "x", "dev", Logins(Pool(), "p", "c"))

    answer = nobody.forward(Request("GET", "/api/runs"), None)

    assert (answer.status, b"ministack" in answer.body) == (502, True)


# --- what is deployed ----------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a workflow that asks, one that builds and one that wants inputs."""
    write(tmp_path / "stepsmith.yaml", "stages: {dev: {}}\n")
    for name, text in {
        "asks": "name: asks\nsteps: [{id: a, type: manual, assignees: [a@example.com]}]\n",
        "builds": "name: builds\nsteps: [{id: a, run: git status}]\n",
        "wants": "name: wants\ninputs: {x: string}\nsteps: [{id: a, run: echo}]\n",
    }.items():
        write(tmp_path / "workflows" / f"{name}.yaml", text)
    return tmp_path


def _deployer(project: Path, script: str) -> Deployer:
    """Return a deployer whose `cdk` is a script of the test."""
    write(project / "node_modules" / ".bin" / "cdk", f"#!/bin/sh\n{script}\n").chmod(0o755)
    found = Projects("dev").of(project / "stepsmith.yaml")
    folder = project / "files"
    folder.mkdir()
    environ = {"PATH": os.defpath, "AWS_PROFILE": "mine", "CDK_DEFAULT_ACCOUNT": "1", "HOME": "/"}
    variables = {"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}
    return Deployer(found, folder, "000000000000", "eu-central-1", variables,
                    Tools(project, environ))  # fmt: skip


def test_nothing_leads_to_an_account_of_whoever_deploys(project: Path):
    script = (
        'env >> files/env; echo "$@" >> files/calls\n'
        'case $1 in deploy) echo \'{"stepsmith-dev": {"ApiUrl": "x"}}\' > files/outputs.json;; esac'
    )
    deployer = _deployer(project, script)

    assert deployer.begin() == {"ApiUrl": "x"}

    environment = (project / "files" / "env").read_text()
    assert "AWS_PROFILE" not in environment
    assert "CDK_DEFAULT_ACCOUNT" not in environment
    assert "AWS_ENDPOINT_URL=http://127.0.0.1:1" in environment
    assert "AWS_SHARED_CREDENTIALS_FILE=/dev/null" in environment
    calls = (project / "files" / "calls").read_text().splitlines()
    assert sorted(one.split()[0] for one in calls) == ["bootstrap", "deploy", "synth"]
    assert any("-c stage=dev -c here=1" in one for one in calls)
    assert {*deployer.took} == {"bootstrapped", "synthesised", "deployed"}


def test_the_end_of_what_the_cdk_said_is_shown_where_it_failed(project: Path):
    deployer = _deployer(project, 'case $1 in synth) echo "no such stage"; exit 1;; esac')

    with pytest.raises(NotDeployed, match="the project was not synthesised:\nno such stage"):
        deployer.begin()


def test_what_has_changed_is_deployed_again_and_what_has_mistakes_is_not(project: Path):
    said, deployed = io.StringIO(), []
    file = project / "workflows" / "asks.yaml"

    def again() -> None:
        deployed.append(file.read_text())
        if "wrong" in deployed[-1]:
            raise NotDeployed("it has mistakes")

    texts = iter(["name: asks too\n", None, "wrong\n"])

    def wait() -> None:
        try:
            text = next(texts)
        except StopIteration:
            raise KeyboardInterrupt from None
        if text is not None:
            file.write_text(text)

    up: Any = SimpleNamespace(
        talk=Talk(Console(said, said, io.StringIO(), {})),
        deployer=SimpleNamespace(again=again, took={"deployed": 1.25}),
    )
    _loop(Options(project), wait, up)

    assert deployed == ["name: asks too\n", "wrong\n"]
    assert said.getvalue().splitlines() == [
        "↻ deploying what has changed",
        "  deployed 1.2 s",
        "↻ deploying what has changed",
        "it has mistakes",
    ]


def test_once_takes_a_workflow_that_runs_by_itself(project: Path):
    found = workflows(Projects("dev").of(project / "stepsmith.yaml"))

    assert _chosen("", found) == "asks"
    assert _chosen("wants", found) == "wants"
    with pytest.raises(Misuse, match="there is no workflow 'ask'"):
        _chosen("ask", found)
    with pytest.raises(Misuse, match="no workflow of the project runs by itself"):
        _chosen("", [one for one in found if one.manifest["id"] != "asks"])


def test_times_are_told_in_the_order_in_which_they_were_taken():
    assert timings({"started": 1.0, "ran": 12.345}) == "started 1.0 s, ran 12.3 s"
