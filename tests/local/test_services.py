"""Direct calls of services: parameters, results and errors are named as on AWS."""

from __future__ import annotations

import json

import boto3
import pytest

from local.engine import REGION, Engine, EngineFault
from local.repairs.services import java_name


def call(resource, arguments, prepare=None):
    """Return how a machine of one Task ends: its output, or its error."""
    state = {
        "Type": "Task",
        "Resource": f"arn:aws:states:::{resource}",
        "Arguments": arguments,
        "End": True,
    }
    machine = {"QueryLanguage": "JSONata", "StartAt": "A", "States": {"A": state}}
    with Engine({}) as engine:
        if prepare is not None:
            prepare()
        engine.create({"M": machine}, {})
        finished = engine.execute("M", {})
    return finished.output if finished.status == "SUCCEEDED" else finished.error


def table():
    boto3.client("dynamodb", region_name=REGION).create_table(
        TableName="tbl",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
    )


ITEM = {"pk": {"S": "a"}, "f": {"Bool": True}, "n": {"Nul": True}, "l": {"Ss": ["x"]}}


def test_values_of_dynamodb_are_spelled_as_in_java_in_direct_calls():
    def prepare():
        table()
        item = {"pk": {"S": "a"}, "f": {"BOOL": True}, "n": {"NULL": True}, "l": {"SS": ["x"]}}
        boto3.client("dynamodb", region_name=REGION).put_item(TableName="tbl", Item=item)

    key = {"TableName": "tbl", "Key": {"pk": {"S": "a"}}}
    assert call("aws-sdk:dynamodb:getItem", key, prepare)["Item"] == ITEM
    stored = call("dynamodb:getItem", key, prepare)["Item"]
    assert (stored["f"], stored["n"]) == ({"BOOL": True}, {"NULL": True})


def test_what_is_put_with_java_s_names_arrives():
    put = call("aws-sdk:dynamodb:putItem", {"TableName": "tbl", "Item": ITEM}, table)
    assert "SdkHttpMetadata" not in put


@pytest.mark.parametrize(
    ("resource", "arguments", "error"),
    [
        ("aws-sdk:s3:getObject", {"Bucket": "none", "Key": "k"}, "S3.NoSuchBucketException"),
        (
            "aws-sdk:dynamodb:getItem",
            {"TableName": "none", "Key": {"pk": {"S": "a"}}},
            "DynamoDb.ResourceNotFoundException",
        ),
        (
            "dynamodb:getItem",
            {"TableName": "none", "Key": {"pk": {"S": "a"}}},
            "DynamoDB.ResourceNotFoundException",
        ),
        (
            "aws-sdk:sfn:describeExecution",
            {"ExecutionArn": "arn:aws:states:us-east-1:123456789012:execution:M:none"},
            "Sfn.ExecutionDoesNotExistException",
        ),
        ("aws-sdk:sfn:sendTaskFailure", {"TaskToken": "none"}, "Sfn.InvalidTokenException"),
    ],
)
def test_an_error_is_named_after_the_service_s_client_in_java(resource, arguments, error):
    assert call(resource, arguments) == error


@pytest.mark.parametrize(
    ("name", "java"),
    [
        ("DynamoDB", "DynamoDb"),
        ("S3", "S3"),
        ("SFN", "Sfn"),
        ("Secrets Manager", "SecretsManager"),
        ("EventBridge", "EventBridge"),
        ("SESv2", "SesV2"),
        ("executionArn", "ExecutionArn"),
        ("NULL", "Nul"),
        ("BOOL", "Bool"),
    ],
)
def test_names_are_spelled_as_the_sdk_for_java_does(name, java):
    assert java_name(name) == java


@pytest.mark.parametrize(
    "resource", ["aws-sdk:dynamodb:putThing", "aws-sdk:nothing:putItem", "nothing:putItem"]
)
def test_an_operation_that_there_is_not_is_refused_when_the_machine_is_created(resource):
    with pytest.raises(EngineFault, match="refused"):
        call(resource, {})


def test_events_that_were_put_are_kept_with_their_time():
    entry = {"EventBusName": "default", "Source": "s", "DetailType": "d", "Detail": {"a": 1}}
    machine = {
        "QueryLanguage": "JSONata",
        "StartAt": "W",
        "States": {
            "W": {"Type": "Wait", "Seconds": 60, "Next": "A"},
            "A": {
                "Type": "Task",
                "Resource": "arn:aws:states:::events:putEvents",
                "Arguments": {"Entries": [entry]},
                "End": True,
            },
        },
    }
    with Engine({}) as engine:
        engine.create({"M": machine}, {})
        finished = engine.execute("M", {})
        (put,) = engine.published
    assert json.loads(put["Detail"]) == {"a": 1}
    assert put["Time"] == finished.completed_at.isoformat(timespec="milliseconds")
