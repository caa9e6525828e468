"""moto's answers, written quickly: what they hold is what moto puts into them."""

from __future__ import annotations

import json
from typing import Any

import boto3
import pytest
from moto import mock_aws
from moto.core import serialize, utils

from local.repairs import serializing

REGION = "us-east-1"
_quick: Any = serializing._pick
_moto: Any = serializing._moto_call
ITEM = {
    "id": {"S": "a"},
    "n": {"N": "3"},
    "map": {"M": {"S": {"S": "in a map"}, "list": {"L": [{"BOOL": False}, {"NULL": True}]}}},
    "bytes": {"B": b"x"},
    "set": {"SS": ["a", "b"]},
    "none": {"M": {}},
}


def answers() -> list[Any]:
    """Ask several services, of several protocols, what makes them write answers of many shapes."""
    with mock_aws():
        dynamodb = boto3.client("dynamodb", region_name=REGION)
        made = dynamodb.create_table(
            TableName="t",
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
        )
        dynamodb.put_item(TableName="t", Item=ITEM)
        sqs = boto3.client("sqs", region_name=REGION)
        queue = sqs.create_queue(QueueName="q")["QueueUrl"]
        sqs.send_message(QueueUrl=queue, MessageBody="x")
        s3 = boto3.client("s3", region_name=REGION)
        s3.create_bucket(Bucket="bucket")
        s3.put_object(Bucket="bucket", Key="k", Body=b"x")
        sns = boto3.client("sns", region_name=REGION)
        sns.create_topic(Name="t")
        iam = boto3.client("iam", region_name=REGION)
        iam.create_role(RoleName="r", AssumeRolePolicyDocument="{}", Path="/")
        events = boto3.client("events", region_name=REGION)
        events.put_rule(Name="r", EventPattern='{"source": ["x"]}')
        found = [
            made["TableDescription"]["KeySchema"],
            dynamodb.describe_table(TableName="t")["Table"]["AttributeDefinitions"],
            dynamodb.get_item(TableName="t", Key={"id": {"S": "a"}})["Item"],
            dynamodb.get_item(TableName="t", Key={"id": {"S": "b"}}).get("Item"),
            dynamodb.scan(TableName="t", Select="COUNT")["Count"],
            [one["Body"] for one in sqs.receive_message(QueueUrl=queue)["Messages"]],
            [one["Key"] for one in s3.list_objects_v2(Bucket="bucket")["Contents"]],
            sns.list_topics()["Topics"],
            [(one["RoleName"], one["Path"]) for one in iam.list_roles()["Roles"]],
            events.list_rules()["Rules"],
        ]
    return json.loads(json.dumps(found, default=str))


def test_services_answer_the_same(monkeypatch):
    monkeypatch.setattr(serialize.AttributePicker, "__call__", _quick)
    quick = answers()
    monkeypatch.setattr(serialize.AttributePicker, "__call__", _moto)
    assert quick == answers()
    assert quick[2]["map"] == ITEM["map"]


def member(name: str, alias: str | None = None) -> Any:
    """Return a member of RDS's `DBInstance`, as moto hands it on; with a name of the protocol."""
    structure: Any = utils.get_service_model("rds").shape_for("DBInstance")
    shape = structure.members[name]
    shape.parent = structure
    if alias is not None:
        shape.serialization = {"name": alias}
    return shape


def asked(obj: Any, key: str, shape: Any) -> Any:
    return serialize.AttributePickerContext(
        obj=obj, key=key, shape=shape, operation_model=None, service_model=None, key_path="x"
    )


@pytest.mark.parametrize(
    "found",
    [
        {"DBInstanceIdentifier": 1, "Identifier": 2},
        {"Identifier": 2, "identifier": 3},
        {"db_instance_identifier": 4},
        {"id": 5},
        {"DBInstanceIdentifier": None, "id": 5},
        {"DBInstanceIdentifier": 0},
        {},
    ],
    ids=str,
)
@pytest.mark.parametrize("picker", [serialize.AttributePicker, serialize.XFormedAttributePicker])
@pytest.mark.parametrize("transformers", [None, {"DBInstanceIdentifier": lambda value: [value]}])
def test_a_member_is_found_under_the_same_names(found, picker, transformers):
    for given in (found, type("Answer", (dict,), {})(found)):  # a plain dictionary, and another
        context = asked(given, "DBInstanceIdentifier", member("DBInstanceIdentifier", "id"))
        made = picker(response_transformers=transformers)
        for _ in range(2):  # the second time by the names that are kept
            assert _quick(made, context) == _moto(made, context)


def test_a_path_is_followed():
    made = serialize.AttributePicker()
    for key in ("a.b", "a.c", "x.y"):
        context = asked({"a": {"b": 1}}, key, member("Engine"))
        assert _quick(made, context) == _moto(made, context)
