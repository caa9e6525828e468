"""Which executions `records` is told of, and which are counted as runs that failed."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.cdk.synthesis import Templates, of_type

STARTED_BY = "AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID"
RUN = {"run": {"id": "release-4f2a", "attempt": 1}, "inputs": {"what": "all"}}
STARTED = {**RUN, STARTED_BY: "arn:aws:states:eu-central-1:1:execution:stepsmith-prod-a:b"}
MACHINES = "arn:aws:states:eu-central-1:123456789012:stateMachine:stepsmith-prod-"


def matches(pattern: Mapping[str, Any], event: Mapping[str, Any]) -> bool:
    """Whether an event fits a pattern, as far as the patterns here go.

    https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
    """
    for key, wanted in pattern.items():
        if key == "$or":
            fits = any(matches(one, event) for one in wanted)
        elif isinstance(wanted, dict):
            fits = matches(wanted, event.get(key, {}))
        else:
            fits = key in event and any(accepts(one, event[key]) for one in wanted)
        if not fits:
            return False
    return True


def accepts(wanted: Any, value: Any) -> bool:
    match wanted:
        case {"prefix": prefix}:
            return isinstance(value, str) and value.startswith(filled(prefix))
        case {"suffix": suffix}:
            return isinstance(value, str) and value.endswith(suffix)
        case {"anything-but": {"wildcard": wildcard}}:
            return not (isinstance(value, str) and fnmatch.fnmatchcase(value, wildcard))
        case _:
            return bool(wanted == value)


def filled(value: Any) -> str:
    """Return a joined text with what CloudFormation puts into it."""
    known = {
        "AWS::Partition": "aws",
        "AWS::Region": "eu-central-1",
        "AWS::AccountId": "123456789012",
    }
    parts = value["Fn::Join"][1]
    return "".join(one if isinstance(one, str) else known[one["Ref"]] for one in parts)


def event(status: str, given: object, name: str, machine: str = "release") -> dict[str, Any]:
    """Return a status change as Step Functions tells of it."""
    detail = {
        "status": status,
        "stateMachineArn": MACHINES + machine,
        "name": name,
        "input": None if given is None else json.dumps(given),
    }
    kind = "Step Functions Execution Status Change"
    return {"source": "aws.states", "detail-type": kind, "detail": detail}


def rule(templates: Templates, name: str) -> dict[str, Any]:
    pattern: dict[str, Any] = of_type(templates.root, "AWS::Events::Rule")[name]["Properties"][
        "EventPattern"
    ]
    return pattern


@pytest.mark.parametrize("status", ["RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"])
@pytest.mark.parametrize("given", [RUN, STARTED, None])
def test_records_is_told_of_every_status_of_every_execution(
    templates: Templates, status: str, given: object
):
    one = event(status, given, "release-4f2a")

    assert matches(rule(templates, "OthersRule"), one)
    elsewhere = json.loads(json.dumps(one).replace("stepsmith-prod-", "stepsmith-dev-"))
    assert not matches(rule(templates, "OthersRule"), elsewhere)


@pytest.mark.parametrize(
    ("given", "name", "counts"),
    [
        pytest.param(RUN, "release-4f2a", True, id="a run"),
        pytest.param(RUN, "release-4f2a-2", True, id="a later attempt"),
        pytest.param(None, "release-4f2a", True, id="a run whose input is too large to tell"),
        pytest.param(STARTED, "release-4f2a-77aa", False, id="a run that was called"),
        pytest.param(STARTED, "release-4f2a-77aa-0", False, id="a chunk"),
        pytest.param(STARTED, "release-4f2a-1-close", True, id="undos and handlers"),
        pytest.param(STARTED, "release-4f2a-1-close-cut", True, id="undos of what was cut off"),
    ],
)
@pytest.mark.parametrize("status", ["FAILED", "TIMED_OUT"])
def test_a_failure_is_counted_once_where_no_run_decides_about_it(
    templates: Templates, status: str, given: object, name: str, *, counts: bool
):
    pattern = rule(templates, "FailedRule")

    assert matches(pattern, event(status, given, name)) is counts
    assert not matches(pattern, event("ABORTED", given, name))
    assert not matches(pattern, event("SUCCEEDED", given, name))


def test_the_alarm_counts_by_that_rule(templates: Templates):
    [alarm] = [
        one["Properties"]
        for one in of_type(templates.root, "AWS::CloudWatch::Alarm").values()
        if one["Properties"]["MetricName"] == "TriggeredRules"
    ]

    assert alarm["Dimensions"] == [{"Name": "RuleName", "Value": {"Ref": "FailedRule"}}]
