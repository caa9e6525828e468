"""Sixty workflows with two triggers each: no cycle, and nothing above a limit of AWS."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cdk.synthesis import (
    MACHINE,
    ROLE,
    Templates,
    application_in,
    of_type,
    synthesised,
    write_project,
)

COUNT = 60
MOST_RESOURCES = 500
MOST_BYTES = 1_000_000
"""Of a template: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html"""
MOST_OF_A_ROLE = 10_240
"""Characters of a role's inline policies, without blanks:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html"""
MOST_OF_A_QUEUE = 65_536
"""https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-policies.html"""


def workflow(number: int) -> str:
    """Return a workflow with two triggers that calls the one before it and undoes a step."""
    call = f"- {{id: call, type: subworkflow, workflow: w{number - 1}}}" if number % 7 else ""
    return f"""\
name: w{number}
trigger:
  - {{type: event, event: asked.{number}}}
  - {{type: schedule, cron: "{number % 60} 6 * * 1-5", timezone: Europe/Berlin}}
steps:
  - {{id: say, run: 'echo {number}', compensate: {{run: 'echo undone'}}}}
  - {{id: review, type: manual, title: Fine?, assignees: [a@example.com]}}
  - {{id: put, action: "aws:dynamodb:putItem",
     inputs: {{TableName: t{number}, Item: {{id: {{S: x}}}}}}}}
  {call}
"""


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Templates:
    """The templates of all of them."""
    root = Path(tmp_path_factory.mktemp("many"))
    write_project(root, {f"w{number}": workflow(number) for number in range(COUNT)})
    return synthesised(application_in(root, root / "stubs"), root / "out")


def test_all_of_them_are_there(many: Templates):
    assert len(many.workflows) == COUNT
    assert len(many.of_type(MACHINE)) == 2 * COUNT
    assert len(many.of_type("AWS::Events::Rule")) == COUNT + 3  # three of `records`
    assert len(many.of_type("AWS::Scheduler::Schedule")) == COUNT


def test_no_stack_is_near_its_limit(many: Templates):
    assert len(many.root["Resources"]) < MOST_RESOURCES // 2
    for template in many.all():
        assert len(template["Resources"]) < MOST_RESOURCES // 2
        assert len(json.dumps(template)) < MOST_BYTES // 2
        assert len(template.get("Parameters", {})) <= 200
        assert len(template.get("Outputs", {})) <= 200


def test_stacks_do_not_wait_for_each_other_in_a_circle(many: Templates):
    needs = {
        name: {other for other in many.root["Resources"] if _refers(stack, other)} - {name}
        for name, stack in of_type(many.root, "AWS::CloudFormation::Stack").items()
    }
    stacks = set(needs)
    done: set[str] = set()
    while done != stacks:
        ready = {name for name in stacks - done if needs[name] & stacks <= done}
        assert ready, f"these wait for each other: {sorted(stacks - done)}"
        done |= ready


def _refers(value: Any, name: str) -> bool:
    return f'"{name}"' in json.dumps(value["Properties"])


def test_policies_stay_small(many: Templates):
    for template in many.all():
        for role in of_type(template, ROLE).values():
            text = json.dumps(role["Properties"].get("Policies", ()), separators=(",", ":"))
            assert len(text) < MOST_OF_A_ROLE
        for policy in of_type(template, "AWS::SQS::QueuePolicy").values():
            text = json.dumps(policy["Properties"]["PolicyDocument"], separators=(",", ":"))
            # However many rules there are, they are let in by one statement.
            assert len(text) < MOST_OF_A_QUEUE // 10
    permissions = of_type(many.root, "AWS::Lambda::Permission")
    assert len(permissions) == 4  # three rules of `records`, and the API


def test_events_carry_the_name_of_their_trigger(many: Templates):
    template = many.workflows["w3"]
    [rule] = of_type(template, "AWS::Events::Rule").values()
    [schedule] = of_type(template, "AWS::Scheduler::Schedule").values()

    target = rule["Properties"]["Targets"][0]
    made = target["InputTransformer"]["InputTemplate"]
    assert made == '{"trigger":"w3.w3-event","event":<aws.events.event.json>}'
    assert schedule["Properties"]["ScheduleExpression"] == "cron(3 6 ? * MON-FRI *)"
    assert schedule["Properties"]["ScheduleExpressionTimezone"] == "Europe/Berlin"
    given = json.loads(schedule["Properties"]["Target"]["Input"])
    assert given == {
        "trigger": "w3.w3-schedule",
        "event": {"scheduled_time": "<aws.scheduler.scheduled-time>"},
    }
