"""The templates hold against cdk-nag's AWS Solutions and against cfn-lint."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from aws_cdk import App, Stack, Validations
from aws_cdk import aws_s3 as s3
from cdk_nag import AwsSolutionsChecks

from cdk import nag
from cdk.model import Application
from cli.app import add_stack, new_app
from tests.cdk.synthesis import Templates, application_in, synthesised, write_project

EVERY_KIND = """\
name: every kind
trigger:
  - {type: git-push, repository: github.com/org/app}
  - {type: schedule, rate: 15m}
  - {type: event, event: asked}
  - {type: event, pattern: {source: [aws.s3], detail-type: [Object Created]}}
  - {type: queue, queue: orders}
  - {type: http}
  - {type: database, table: orders, operations: [insert]}
steps:
  - {id: look, action: "aws:dynamodb:query", inputs: {TableName: orders}}
  - {id: tell, action: notify, inputs: {to: ops@example.com, message: hello}}
  - {id: mail, action: send-transactional-email,
     inputs: {template: welcome, recipient: a@example.com, subject: hi}}
  - {id: out, action: deploy-to-kubernetes, inputs: {manifest: a.yaml, image: "a:1"}}
  - {id: wait, type: wait, event: paid, timeout: 1h}
  - {id: say, run: git status, compensate: {run: echo undone}}
"""
EVERYTHING = """{
  account: "123456789012", region: eu-central-1, sender: no-reply@example.com, chat: chat-hook,
  alarms: [ops@example.com], clusters: [shop], retention: 30d, architecture: x86_64,
  streams: {orders: "arn:aws:dynamodb:eu-central-1:123456789012:table/orders/stream/2026-01-01"},
  domain: {name: flows.example.com,
    certificate: "arn:aws:acm:eu-central-1:123456789012:certificate/a"}}"""


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Application:
    """A project with all there is: kinds of steps and triggers, settings of a stage."""
    root = Path(tmp_path_factory.mktemp("everything"))
    return application_in(write_project(root, {"all": EVERY_KIND}, EVERYTHING), root / "stubs")


def findings(app: App) -> set[str]:
    """Synthesise an app under the rules of AWS Solutions and return what they find."""
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    try:
        app.synth()
    except RuntimeError as error:
        return set(re.findall(r"AwsSolutions-\w+\S*", str(error))) or {str(error)}
    return set()


def test_a_finding_without_a_reason_is_told(tmp_path: Path):
    app = new_app(tmp_path)
    s3.Bucket(Stack(app, "Open"), "Bucket")

    assert findings(app) == {"AwsSolutions-S1'", "AwsSolutions-S10'"}


def test_no_finding_of_the_shipped_stage_is_left_without_a_reason(
    shipped: Application, tmp_path: Path
):
    app = new_app(tmp_path)
    add_stack(app, shipped)

    assert findings(app) == set()


def test_the_report_lists_what_is_left_and_why(shipped: Application, tmp_path: Path):
    app = new_app(tmp_path)
    add_stack(app, shipped)
    app.synth()

    found = nag.left(tmp_path)
    assert ("AwsSolutions-APIG4", "the signature is checked over the raw body") in found
    assert all(reason.strip() for _, reason in found)
    assert nag.report(found).endswith("left, each said why")


def test_nor_of_a_stage_with_everything(everything: Application, tmp_path: Path):
    app = new_app(tmp_path)
    add_stack(app, everything)

    assert findings(app) == set()


def lint(templates: Templates) -> str:
    """Return what cfn-lint says of templates."""
    paths = sorted(templates.folder.glob("*.template.json"))
    done = subprocess.run(
        ["cfn-lint", *map(str, paths)],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def test_cloudformation_would_take_the_templates(everything: Application, tmp_path: Path):
    """Of a stage in which every kind of resource is; the shipped one has some of them."""
    assert lint(synthesised(everything, tmp_path)) == ""


def test_queues_and_streams_of_others_are_read_and_may_be(everything: Application, tmp_path: Path):
    root = synthesised(everything, tmp_path).root
    text = json.dumps(root["Resources"])

    mappings = [
        one["Properties"]
        for one in root["Resources"].values()
        if one["Type"] == "AWS::Lambda::EventSourceMapping"
    ]
    [stream] = [one for one in mappings if "orders" in str(one) and "FilterCriteria" in one]
    assert json.loads(stream["FilterCriteria"]["Filters"][0]["Pattern"]) == {
        "eventName": ["INSERT"]
    }
    assert len(mappings) == 7
    assert text.count("table/orders/stream/2026-01-01") == 2  # the mapping, and the role
    assert text.count(":orders") == 2
