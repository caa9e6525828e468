"""What people and other systems come in by, and what tells them that something is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from protocol import environment
from tests.cdk.synthesis import (
    HELLO,
    Templates,
    application_in,
    function,
    of_type,
    synthesised,
    write_project,
)

# --- the API ------------------------------------------------------------------------------------


def test_only_the_routes_with_keys_of_their_own_need_no_login(templates: Templates):
    routes = [
        one["Properties"] for one in of_type(templates.root, "AWS::ApiGatewayV2::Route").values()
    ]
    open_ = {one["RouteKey"] for one in routes if one["AuthorizationType"] == "NONE"}

    assert open_ == {
        "ANY /tasks/{proxy+}",
        "GET /",
        "GET /api/openapi.json",
        "GET /{proxy+}",
        "POST /api/callbacks/{token}",
        "POST /api/webhooks/{trigger}",
    }
    assert {one["AuthorizationType"] for one in routes} == {"NONE", "JWT"}


def test_neither_paths_nor_queries_are_logged(templates: Templates):
    [stage] = of_type(templates.root, "AWS::ApiGatewayV2::Stage").values()
    form = stage["Properties"]["AccessLogSettings"]["Format"]

    assert "$context.routeKey" in form
    assert "$context.path" not in form
    assert "query" not in form.lower()


def test_all_routes_are_throttled_and_the_open_ones_more(templates: Templates):
    [stage] = of_type(templates.root, "AWS::ApiGatewayV2::Stage").values()
    usual = stage["Properties"]["DefaultRouteSettings"]["ThrottlingRateLimit"]
    routes = stage["Properties"]["RouteSettings"]

    assert len(routes) == 6
    assert all(0 < one["ThrottlingRateLimit"] < usual for one in routes.values())


def test_nobody_makes_an_account_for_oneself(templates: Templates):
    [pool] = of_type(templates.root, "AWS::Cognito::UserPool").values()

    assert pool["Properties"]["AdminCreateUserConfig"] == {"AllowAdminCreateUserOnly": True}
    assert pool["DeletionPolicy"] == "Retain"


OIDC = "{auth: oidc, oidc: {issuer: https://login.example.com/, audience: [api, web]}}"


@pytest.mark.parametrize(
    ("stage", "kinds", "login"),
    [
        (OIDC, {"NONE", "JWT"}, {"type": "oidc", "issuer": "https://login.example.com/"}),
        ("{auth: iam}", {"NONE", "AWS_IAM"}, {"type": "iam"}),
    ],
)
def test_a_stage_may_ask_others_who_somebody_is(
    tmp_path: Path, stage: str, kinds: set[str], login: dict[str, str]
):
    project = write_project(tmp_path, {"hello": HELLO}, stage)
    found = synthesised(application_in(project, tmp_path / "stubs"), tmp_path / "out")

    routes = of_type(found.root, "AWS::ApiGatewayV2::Route").values()
    assert {one["Properties"]["AuthorizationType"] for one in routes} == kinds
    assert of_type(found.root, "AWS::Cognito::UserPool") == {}
    told = function(found, "api")["Properties"]["Environment"]["Variables"][environment.LOGIN]
    assert login.items() <= json.loads(told).items()
    for one in of_type(found.root, "AWS::ApiGatewayV2::Authorizer").values():
        assert one["Properties"]["JwtConfiguration"] == {
            "Audience": ["api", "web"],
            "Issuer": "https://login.example.com/",  # as tokens spell it, to the last slash
        }


def test_a_domain_takes_the_place_of_the_apis_own_address(tmp_path: Path):
    arn = "arn:aws:acm:eu-central-1:123456789012:certificate/x"
    stage = f'{{domain: {{name: flows.example.com, certificate: "{arn}"}}}}'
    project = write_project(tmp_path, {"hello": HELLO}, stage)
    found = synthesised(application_in(project, tmp_path / "stubs"), tmp_path / "out")

    [api] = of_type(found.root, "AWS::ApiGatewayV2::Api").values()
    assert api["Properties"]["DisableExecuteApiEndpoint"] is True
    variables = function(found, "tasks")["Properties"]["Environment"]["Variables"]
    assert variables[environment.API] == "https://flows.example.com"
    assert "DomainTarget" in found.root["Outputs"]


# --- what people are told -----------------------------------------------------------------------


def test_alarms_tell_by_mail(tmp_path: Path):
    project = write_project(tmp_path, {"hello": HELLO}, "{alarms: [ops@example.com]}")
    found = synthesised(application_in(project, tmp_path / "stubs"), tmp_path / "out")

    alarms = of_type(found.root, "AWS::CloudWatch::Alarm").values()
    [topic] = of_type(found.root, "AWS::SNS::Topic")
    assert len(alarms) == 6
    for alarm in alarms:
        assert alarm["Properties"]["AlarmActions"] == [{"Ref": topic}]
        assert alarm["Properties"]["TreatMissingData"] == "notBreaching"
    [mail] = of_type(found.root, "AWS::SNS::Subscription").values()
    assert mail["Properties"]["Endpoint"] == "ops@example.com"


def test_outputs_say_where_everything_is_and_what_github_is_told(templates: Templates):
    outputs = templates.root["Outputs"]

    assert {"ApiUrl", "ConsoleUrl", "WebhookUrl", "UserPool", "UserPoolClient"} <= outputs.keys()
    github = {name: one for name, one in outputs.items() if name.startswith("GitHub")}
    assert len(github) == 2
    for one in github.values():
        assert "stepsmith/prod/github-webhook" in one["Description"]
        assert "/api/webhooks/" in json.dumps(one["Value"])
