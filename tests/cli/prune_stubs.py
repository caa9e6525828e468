"""An account that answers what it is told beforehand, held to boto's own model of each call."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import boto3
from botocore.stub import Stubber

from cli.prune.account import Account
from tests.cli.prune_town import machine

RELEASE = machine("release")
OLD = machine("old")
NESTED = "arn:aws:cloudformation:eu-central-1:123456789012:stack/nested/1"
THEN = datetime(2026, 1, 1, tzinfo=UTC)


class Stubs:
    """Clients that answer what they are told beforehand, in this order, and nothing else."""

    def __init__(self) -> None:
        self._stubbers: dict[str, Stubber] = {}
        self.clients: dict[str, Any] = {}
        for service in ("stepfunctions", "lambda", "cloudformation"):
            client = boto3.client(
                service,
                region_name="eu-central-1",
                aws_access_key_id="none",
                aws_secret_access_key="none",
            )
            self.clients[service] = client
            self._stubbers[service] = Stubber(client)
            self._stubbers[service].activate()

    def answer(self, service: str, operation: str, answer: dict[str, Any], **asked: Any) -> None:
        self._stubbers[service].add_response(operation, answer, asked)

    def refuse(self, service: str, operation: str, code: str, message: str = "no") -> None:
        self._stubbers[service].add_client_error(operation, code, message)

    def all_asked(self) -> None:
        for stubber in self._stubbers.values():
            stubber.assert_no_pending_responses()

    @property
    def account(self) -> Account:
        return Account("prod", "the stage", self.clients.__getitem__)


def at_rest(stubs: Stubs, status: str = "UPDATE_COMPLETE") -> None:
    stack = {"StackName": "stepsmith-prod", "CreationTime": THEN, "StackStatus": status}
    stubs.answer(
        "cloudformation", "describe_stacks", {"Stacks": [stack]}, StackName="stepsmith-prod"
    )


def resource(kind: str, place: str, status: str = "CREATE_COMPLETE") -> dict[str, Any]:
    return {
        "LogicalResourceId": "One",
        "ResourceType": kind,
        "PhysicalResourceId": place,
        "LastUpdatedTimestamp": THEN,
        "ResourceStatus": status,
    }


def in_stack(stubs: Stubs) -> None:
    """The root has a function and a nested stack; a machine is on the nested one's second page."""
    call = ("cloudformation", "list_stack_resources")
    root = [
        resource("AWS::Lambda::Function", "stepsmith-prod-Run"),
        resource("AWS::CloudFormation::Stack", NESTED),
    ]
    stubs.answer(*call, {"StackResourceSummaries": root}, StackName="stepsmith-prod")
    gone = [resource("AWS::StepFunctions::StateMachine", OLD, "DELETE_SKIPPED")]
    stubs.answer(*call, {"StackResourceSummaries": gone, "NextToken": "2"}, StackName=NESTED)
    there = [resource("AWS::StepFunctions::StateMachine", RELEASE)]
    stubs.answer(*call, {"StackResourceSummaries": there}, StackName=NESTED, NextToken="2")


def listed(arn: str) -> dict[str, Any]:
    name = arn.rpartition(":")[2]
    return {"stateMachineArn": arn, "name": name, "type": "STANDARD", "creationDate": THEN}


def tagged(stubs: Stubs, arn: str, stage: str) -> None:
    tags = [{"key": "stepsmith:stage", "value": stage}]
    stubs.answer("stepfunctions", "list_tags_for_resource", {"tags": tags}, resourceArn=arn)


def versions(stubs: Stubs, arn: str, *pages: list[int]) -> None:
    """Answer with the versions of a machine, page by page."""
    for at, page in enumerate(pages):
        found = [
            {"stateMachineVersionArn": f"{arn}:{number}", "creationDate": THEN} for number in page
        ]
        answer: dict[str, Any] = {"stateMachineVersions": found}
        if at + 1 < len(pages):
            answer["nextToken"] = f"page {at + 1}"
        asked = {"nextToken": f"page {at}"} if at else {}
        stubs.answer(
            "stepfunctions", "list_state_machine_versions", answer, stateMachineArn=arn, **asked
        )


def aliased(stubs: Stubs, arn: str, *numbers: int) -> None:
    """Answer with the alias of a machine, which means these versions in equal shares."""
    live = f"{arn}:live"
    found = [{"stateMachineAliasArn": live, "creationDate": THEN}]
    stubs.answer(
        "stepfunctions",
        "list_state_machine_aliases",
        {"stateMachineAliases": found},
        stateMachineArn=arn,
    )
    ways = [
        {"stateMachineVersionArn": f"{arn}:{number}", "weight": 100 // len(numbers)}
        for number in numbers
    ]
    stubs.answer(
        "stepfunctions",
        "describe_state_machine_alias",
        {"name": "live", "routingConfiguration": ways},
        stateMachineAliasArn=live,
    )


def execution(arn: str, name: str, number: int | None) -> dict[str, Any]:
    found = {
        "executionArn": f"{arn.replace(':stateMachine:', ':execution:')}:{name}",
        "stateMachineArn": arn,
        "name": name,
        "status": "RUNNING",
        "startDate": THEN,
    }
    return found if number is None else {**found, "stateMachineVersionArn": f"{arn}:{number}"}


def opened(stubs: Stubs, arn: str, running: dict[str, int | None], redrive: dict[str, int]) -> None:
    """Answer with open executions, those that run one a page."""
    call = ("stepfunctions", "list_executions")
    names = list(running)
    for at, name in enumerate(names or [""]):
        found = [execution(arn, name, running[name])] if name else []
        answer: dict[str, Any] = {"executions": found}
        if at + 1 < len(names):
            answer["nextToken"] = f"page {at + 1}"
        asked = {"nextToken": f"page {at}"} if at else {}
        stubs.answer(*call, answer, stateMachineArn=arn, statusFilter="RUNNING", **asked)
    found = [execution(arn, name, number) for name, number in redrive.items()]
    stubs.answer(*call, {"executions": found}, stateMachineArn=arn, statusFilter="PENDING_REDRIVE")


def no_functions(stubs: Stubs) -> None:
    stubs.answer("lambda", "list_functions", {"Functions": []})


def machines(stubs: Stubs, *arns: str) -> None:
    stubs.answer(
        "stepfunctions", "list_state_machines", {"stateMachines": [listed(one) for one in arns]}
    )
