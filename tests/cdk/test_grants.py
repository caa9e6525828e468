"""Each function may do what its adapters call, and no more: read off their source."""

from __future__ import annotations

import json
import re

import pytest

from cdk.model import CORE, Application
from cdk.packaging.functions import action, core
from protocol.tables import TABLES
from tests.cdk.calls import calls_of
from tests.cdk.synthesis import Templates, allowed, of_type

BY_LAMBDA = {
    "dynamodb:DescribeStream",
    "dynamodb:GetRecords",
    "dynamodb:GetShardIterator",
    "sqs:DeleteMessage",
    "sqs:GetQueueAttributes",
    "sqs:ReceiveMessage",
}
"""What Lambda itself does by a function's role, where it reads for it."""
ALWAYS = {
    "logs:CreateLogStream",
    "logs:PutLogEvents",
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
