"""Each function may do what its adapters call, and no more: read off their source."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cdk.model import CORE, Application
from cdk.packaging.builds import code_of_builds
from cdk.packaging.functions import action, core
from protocol.tables import TABLES
from tests.cdk.calls import calls_of
from tests.cdk.synthesis import (
    Templates,
    allowed,
    application_in,
    listed,
    of_type,
    statements,
    synthesised,
    write_project,
)

BUILT = ("build-artifact", "run-tests")
SECRETS = """
name: Secrets
steps:
  - {id: built, action: build-artifact, env: {TOKEN: "${{ secrets.BUILT }}"}}
  - {id: called, run: echo, env: {TOKEN: "${{ secrets.CALLED }}"}}
"""
BY_LAMBDA = {
    "dynamodb:DescribeStream",
    "dynamodb:GetRecords",
    "dynamodb:GetShardIterator",
    "dynamodb:ListStreams",
    "sqs:DeleteMessage",
    "sqs:GetQueueAttributes",
    "sqs:ReceiveMessage",
}
"""What Lambda itself does by a function's role, where it reads for it."""
ALWAYS = {
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "xray:GetSamplingRules",
    "xray:GetSamplingTargets",
    "xray:PutTelemetryRecords",
    "xray:PutTraceSegments",
}
BESIDE = {"s3:ListBucket"}
"""What comes with the right to read files."""
IN_SOME_STAGES = {"secretsmanager:GetSecretValue", "ses:SendEmail", "dynamodb:PutItem"}
"""What is allowed where a stage has secrets or a sender, and what it does without a sender."""


def needed(name: str) -> dict[str, set[str]]:
    """Return the actions that a function needs, by table, others under the empty text."""
    code = core(name) if name in CORE else action(name.removeprefix("action-"))
    return calls_of(code)


def tables_of(templates: Templates) -> dict[str, str]:
    """Return what `protocol.tables` calls each table, by its name in the template."""
    found = {}
    for name in of_type(templates.root, "AWS::DynamoDB::Table"):
        words = re.sub(r"^Tables|[0-9A-F]{8}$", "", name)
        found[name] = re.sub(r"(?<!^)(?=[A-Z])", "-", words).lower()
    assert set(found.values()) == set(TABLES)
    return found


def names(shipped: Application) -> list[str]:
    """Return all functions."""
    return [*CORE, *(f"action-{one.name}" for one in shipped.actions)]


def test_a_function_that_reads_streams_may_all_that_lambda_asks_for(templates: Templates):
    """Else the stream is not even connected: the mapping is refused while deploying.

    https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-create-package.html
    """
    asked = {f"dynamodb:{verb}" for verb in ("DescribeStream", "GetRecords", "GetShardIterator")}
    for name in ("records", "wake"):
        rights = allowed(templates, name)

        assert asked <= set(rights)
        assert rights["dynamodb:ListStreams"] == ["*"]


def test_mails_are_sent_as_the_sender_and_as_nobody_else(templates: Templates):
    """Also from the sandbox, where SES asks for the right on the recipient's identity as well."""
    found = [
        (role, one)
        for role in of_type(templates.root, "AWS::IAM::Role").values()
        for one in statements(role)
        if "ses:SendEmail" in listed(one["Action"])
    ]

    assert len(found) == 4  # api, records, tasks, and the action
    for _, one in found:
        assert one["Condition"] == {"StringEquals": {"ses:FromAddress": "stepsmith@example.com"}}
        text = json.dumps(one["Resource"])
        assert ":identity/*" in text
        assert ":configuration-set/*" in text


def test_machines_may_ask_for_the_rules_by_which_traces_are_sampled(templates: Templates):
    for template in templates.workflows.values():
        for role in of_type(template, "AWS::IAM::Role").values():
            actions = {action for one in statements(role) for action in listed(one["Action"])}
            if role["Properties"]["AssumeRolePolicyDocument"]["Statement"][0]["Principal"] == {
                "Service": "states.amazonaws.com"
            }:
                assert {
                    *("xray:GetSamplingRules", "xray:GetSamplingTargets"),
                    *("xray:PutTelemetryRecords", "xray:PutTraceSegments"),
                } <= actions


def test_nothing_is_allowed_that_is_not_called(templates: Templates, shipped: Application):
    for name in names(shipped):
        rights = set(allowed(templates, name))
        called = set().union(*needed(name).values())
        send = {"sqs:SendMessage"} if rights & BY_LAMBDA else set()  # of what it could not read

        assert rights <= called | ALWAYS | BESIDE | BY_LAMBDA | send, name


def test_what_is_called_is_allowed(templates: Templates, shipped: Application):
    for name in names(shipped):
        rights = set(allowed(templates, name))
        called = set().union(*needed(name).values())

        assert called - rights <= IN_SOME_STAGES, name


def test_each_table_is_open_to_whoever_works_on_it(templates: Templates, shipped: Application):
    tables = tables_of(templates)
    for name in names(shipped):
        found: dict[str, set[str]] = {}
        for verb, resources in allowed(templates, name).items():
            text = json.dumps(resources)
            for logical, table in tables.items():
                if f'"{logical}", "Arn"' in text and verb not in BY_LAMBDA:
                    found.setdefault(table, set()).add(verb)
        wanted = {table: verbs for table, verbs in needed(name).items() if table}
        if name.startswith("action-"):  # a stage with a sender keeps no mails
            wanted.pop("outbox", None)

        assert found == wanted, name


def test_a_build_may_do_what_its_actions_call_and_reads_no_others_secrets(
    templates: Templates, tmp_path: Path
):
    """All that builds can be sent to carry out, in one archive, need no more than scripts do."""
    role = build_role(templates)
    called = set().union(*calls_of(code_of_builds(BUILT)).values())
    own = {"logs:CreateLogStream", "logs:PutLogEvents", "s3:GetObjectVersion"}

    assert set(role) - own - BESIDE <= called
    assert called - set(role) <= IN_SOME_STAGES

    write_project(tmp_path, {"secrets": SECRETS})
    found = synthesised(application_in(tmp_path, tmp_path / "stubs"), tmp_path / "out")
    read = json.dumps(build_role(found)["secretsmanager:GetSecretValue"])
    assert ("/BUILT-" in read, "/CALLED-" in read) == (True, False)
    (function,) = allowed(found, "action-run")["secretsmanager:GetSecretValue"]
    assert ("/BUILT-" in json.dumps(function), "/CALLED-" in json.dumps(function)) == (False, True)


def build_role(templates: Templates) -> dict[str, list[Any]]:
    """Return what builds may do, and on what."""
    (project,) = of_type(templates.root, "AWS::CodeBuild::Project").values()
    role = templates.root["Resources"][project["Properties"]["ServiceRole"]["Fn::GetAtt"][0]]
    found: dict[str, list[Any]] = {}
    for one in statements(role):
        for verb in listed(one["Action"]):
            found.setdefault(verb, []).extend(listed(one["Resource"]))
    return found


@pytest.mark.parametrize("service", ["mail", "topics", "clusters"])
def test_actions_bring_the_services_that_they_ask_for(service: str):
    from cdk.packaging.functions import OUR_ROOT

    adapters = {"clusters": "kubernetes"}
    module = f"functions.adapters.{adapters.get(service, service)}"
    for path in sorted((OUR_ROOT / "functions" / "actions").glob("[a-z]*.py")):
        text = path.read_text(encoding="utf-8")
        if "name=" not in text or path.stem == "catalogue":
            continue
        asks = f"services.{service}(" in text
        brings = module in action(path.stem.replace("_", "-")).traced().modules

        assert asks is brings, path.stem
