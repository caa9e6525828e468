"""AWS operations by the names of Step Functions, with parameters as it spells them."""

from __future__ import annotations

import pytest

from cli.project.operations import operation, permission_prefix
from compiler.check import Nearest, OperationModel


def test_an_operation_has_its_parameters_in_pascal_case():
    found = operation("ecs", "runTask")

    assert isinstance(found, OperationModel)
    properties = found.inputs["properties"]
    assert isinstance(properties, dict)
    assert {"Cluster", "TaskDefinition"} <= set(properties)
    assert found.inputs["required"] == ["TaskDefinition"]
    assert found.inputs["additionalProperties"] is False


def test_shapes_that_hold_themselves_end_somewhere():
    """An attribute of DynamoDB is a list of attributes."""
    found = operation("dynamodb", "putItem")

    assert isinstance(found, OperationModel)
    assert found.inputs["required"] == ["TableName", "Item"]


def test_results_may_have_more_than_is_known():
    found = operation("sqs", "sendMessage")

    assert isinstance(found, OperationModel)
    assert "additionalProperties" not in found.outputs


@pytest.mark.parametrize(
    ("service", "name"),
    [
        ("sfn", "startExecution"),
        ("cloudwatchlogs", "putLogEvents"),
        ("eventbridge", "putEvents"),
        ("cognitoidentityprovider", "adminGetUser"),
        ("elasticloadbalancingv2", "createRule"),
    ],
)
def test_services_are_called_as_the_sdk_for_java_calls_them(service: str, name: str):
    assert isinstance(operation(service, name), OperationModel)


@pytest.mark.parametrize(
    ("service", "near"),
    [
        ("stepfunctions", "sfn"),
        ("logs", "cloudwatchlogs"),
        ("cognito-idp", "cognitoidentityprovider"),
        ("DynamoDB", "dynamodb"),
        ("dynamdb", "dynamodb"),
        ("xyzzy", None),
    ],
)
def test_another_name_of_a_service_is_answered_with_the_right_one(service: str, near: str | None):
    assert operation(service, "list") == Nearest(service=near)


@pytest.mark.parametrize("name", ["putitem", "PutItem", "putItems"])
def test_a_mistyped_operation_is_answered_with_the_nearest(name: str):
    assert operation("dynamodb", name) == Nearest(service="dynamodb", operation="putItem")


@pytest.mark.parametrize(
    ("service", "prefix"),
    [("sfn", "states"), ("cloudwatchlogs", "logs"), ("dynamodb", "dynamodb"), ("own", "own")],
)
def test_iam_has_names_of_its_own(service: str, prefix: str):
    assert permission_prefix(service) == prefix
