"""Commands on a deployed stage: where it is, whose requests they are, and runs on it."""

from __future__ import annotations

import json
import re

import pytest

from cli.reach.client import Asked, Reach, Refused, Reply
from cli.reach.deployed import OUTPUTS, TOKEN
from local.server.server import Server, Site
from tests.cli.calling import call, write
from tests.cli.reaching import town_in
from tests.local.stages import BOB

PROJECT = """
    stages:
      prod: {region: eu-central-1}
      ops: {region: eu-central-1, auth: iam}
"""
AUTHENTICATED = {TOKEN: "t0ken"}


class Api:
    """An API that remembers who called what, and has one workflow."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str, str | None]] = []

    def __call__(self, event):
        http = event["requestContext"]["http"]
        authorization = event["headers"].get("authorization")
        self.seen.append((http["method"], http["path"], authorization))
        return {"statusCode": 200, "body": json.dumps({"items": [], "next": None})}


@pytest.fixture
def api(tmp_path, monkeypatch):
    """A stage `prod` that is deployed; its address is in the outputs of the deployment."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "stepsmith.yaml", PROJECT)
    api = Api()
    with Server() as server:
        server.serve(Site(api))
        outputs = {f"stepsmith-{name}": {"ApiUrl": f"{server.url}/api"} for name in ("prod", "ops")}
        write(tmp_path / OUTPUTS, json.dumps(outputs))
        yield api


def test_a_token_of_a_login_goes_with_each_request(api):
    ended = call("runs", "--on", "prod", environ=AUTHENTICATED)
    assert (ended.code, ended.err) == (0, "no runs\n")
    assert api.seen == [("GET", "/api/runs", "Bearer t0ken")]


def test_without_a_token_it_is_said_how_to_give_one(api):
    ended = call("tasks", "--on", "prod")
    assert (ended.code, api.seen) == (2, [])
    assert f"set {TOKEN}" in ended.err


def test_requests_to_a_stage_with_iam_are_signed(api):
    """https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html."""
    assert call("runs", "--on", "ops").code == 0
    ((_, _, authorization),) = api.seen
    assert re.match(
        r"AWS4-HMAC-SHA256 Credential=testing/\d{8}/eu-central-1/execute-api/aws4_request, "
        r"SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*, Signature=[0-9a-f]{64}$",
        authorization,
    )


def test_an_address_will_do_but_a_token_is_sent_to_no_other_machine_in_the_clear(api):
    assert call("runs", "--on", "http://example.com", environ=AUTHENTICATED).code == 2
    address = json.loads(OUTPUTS.read_text())["stepsmith-prod"]["ApiUrl"].removesuffix("/api")
    assert call("runs", "--on", address, environ=AUTHENTICATED).code == 0
    assert len(api.seen) == 1


@pytest.mark.usefixtures("api")
def test_a_stage_that_there_is_not_is_told():
    ended = call("runs", "--on", "prd")
    assert (ended.code, "'prod'" in ended.err) == (2, True)
    person = call("approve", "review", "--on", "prod", "--as", "alice@example.com")
    assert (person.code, "you are who has logged in" in person.err) == (2, True)


@pytest.mark.usefixtures("api")
def test_where_a_stage_is_cloudformation_knows(monkeypatch):
    address = json.loads(OUTPUTS.read_text())["stepsmith-prod"]["ApiUrl"]
    OUTPUTS.unlink()
    outputs = [{"OutputKey": "ApiUrl", "OutputValue": address}]
    asked = []

    class Client:
        def __init__(self, service, region_name):
            asked.append((service, region_name))

        def describe_stacks(self, **named):
            asked.append(named)
            return {"Stacks": [{"Outputs": outputs}]}

    monkeypatch.setattr("boto3.client", Client)
    assert call("runs", "--on", "prod", environ=AUTHENTICATED).code == 0
    assert asked == [("cloudformation", "eu-central-1"), {"StackName": "stepsmith-prod"}]
    outputs.clear()
    foreign = call("runs", "--on", "prod", environ=AUTHENTICATED)
    assert (foreign.code, "has no output 'ApiUrl'" in foreign.err) == (2, True)


# --- answers -------------------------------------------------------------------------------------


class Says:
    """A stage that gives one answer."""

    place = "there"

    def __init__(self, status: int, body: object) -> None:
        self._reply = Reply(status, {}, json.dumps(body).encode())

    def send(self, asked: Asked) -> Reply:
        del asked
        return self._reply

    def as_person(self, person: str) -> Says:
        del person
        return self


@pytest.mark.parametrize(
    ("status", "code"),
    [(400, 2), (401, 2), (403, 1), (404, 2), (409, 1), (410, 1), (422, 1), (500, 3)],
)
def test_a_problem_is_told_with_its_places_and_an_exit_code(status, code):
    problem = {
        "detail": "the inputs are not as the contract says",
        "errors": [
            {"pointer": "/who", "detail": "is missing"},
            {"parameter": "limit", "detail": "x"},
        ],
        "request_id": "r-1",
    }
    with pytest.raises(Refused) as refused:
        Reach(Says(status, problem)).get("/api/runs")
    assert refused.value.code == code
    assert str(refused.value).splitlines() == [
        "the inputs are not as the contract says",
        "  /who: is missing",
        "  limit: x",
        "  its request id is r-1",
    ]


def test_what_is_no_problem_document_is_told_as_it_is():
    with pytest.raises(Refused, match='the stage answered 502: "bad gateway"'):
        Reach(Says(502, "bad gateway")).get("/api/runs")


# --- runs ----------------------------------------------------------------------------------------


@pytest.fixture
def town(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "stepsmith.yaml", PROJECT)
    with town_in(tmp_path / "town") as town:
        yield town


@pytest.fixture
def address(town):
    return json.loads((town.keep / "address.json").read_text())["url"]


def test_a_run_on_a_stage_is_held_against_its_contract_and_followed(town, address):
    town.bob.stage.clock.set_pace(None)
    wrong = call("run", "welcome", "--on", address)
    assert (wrong.code, "input 'mail' is missing" in wrong.err) == (2, True)
    ended = call("run", "welcome", "--on", address, "--input", "mail=eve@example.com")
    assert (ended.code, "welcome succeeded in 1 h" in ended.out) == (0, True)
    assert "✓ hold  succeeded" in ended.err
    assert town.bob.get("/api/runs").body["items"][0]["started_by"] == BOB


def test_a_run_may_be_left_alone(town, address):
    ended = call("run", "review", "--on", address, "--detach", "--format", "json")
    started = json.loads(ended.out)
    assert (ended.code, started["status"]) == (0, "running")
    assert town.bob.task("ask", started["run_id"])


@pytest.mark.usefixtures("town")
def test_a_workflow_that_is_not_there_is_told_with_those_that_are(address):
    ended = call("run", "rewiew", "--on", address)
    assert (ended.code, "there are 'review', 'welcome'" in ended.err) == (2, True)
    as_file = call("run", "workflows/review.yaml", "--on", address)
    assert (as_file.code, "named by its id; there are 'review'" in as_file.err) == (2, True)
    here_only = call("run", "review", "--on", address, "--until", "ask")
    assert (here_only.code, "--until is for runs on this machine" in here_only.err) == (2, True)
