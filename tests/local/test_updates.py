"""moto's updates of items, made quick: what becomes of an item, or is refused, stays the same."""

from __future__ import annotations

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from local.repairs import updates

REGION = "us-east-1"
ITEM = {
    "id": {"S": "a"},
    "text": {"S": "x"},
    "count": {"N": "3"},
    "names": {"SS": ["a", "b"]},
    "list": {"L": [{"S": "0"}, {"S": "1"}, {"S": "2"}]},
    "map": {"M": {"inner": {"N": "1"}, "list": {"L": [{"N": "5"}]}}},
}


@pytest.fixture
def table(monkeypatch):
    """Make a function that carries an update out, on an item and on none; quickly or as moto."""
    with mock_aws():
        dynamodb = boto3.client("dynamodb", region_name=REGION)

        def carried_out(update, names, values, condition, *, quick):
            if quick:
                updates.install()
            else:
                as_moto(monkeypatch)
            return [tried(dynamodb, item, update, names, values, condition) for item in (ITEM, {})]

        yield carried_out
    updates.install()


def as_moto(monkeypatch):
    """Put back what the repair replaced."""
    for (owner, name, _), before in zip(updates.CHANGES, updates.MOTO, strict=True):
        if before is not None:
            monkeypatch.setattr(owner, name, before)
        elif name in vars(owner):
            monkeypatch.delattr(owner, name)


def tried(dynamodb, item, update, names, values, condition):
    """Return the item that an update leaves and what it answers, or how it is refused."""
    dynamodb.create_table(
        TableName="t",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    try:
        if item:
            dynamodb.put_item(TableName="t", Item=item)
        more = {"ExpressionAttributeNames": names} if names else {}
        more |= {"ExpressionAttributeValues": values} if values else {}
        more |= {"ConditionExpression": condition} if condition else {}
        try:
            found = dynamodb.update_item(
                TableName="t",
                Key={"id": {"S": "a"}},
                UpdateExpression=update,
                ReturnValues="ALL_OLD",
                **more,
            ).get("Attributes")
        except ClientError as error:
            found = str(error)
        return found, dynamodb.scan(TableName="t")["Items"]
    finally:
        dynamodb.delete_table(TableName="t")


@pytest.mark.parametrize(
    ("update", "names", "values", "condition"),
    [
        ("SET text = :x, #c = #c + :n", {"#c": "count"}, {":x": "y", ":n": 4}, ""),
        ("SET text = if_not_exists(text, :x), b = if_not_exists(b, :x)", {}, {":x": "y"}, ""),
        ("SET map.inner = :n, map.list[0] = :x, map.fresh = :x", {}, {":n": 2, ":x": "y"}, ""),
        ("SET #m.#i = #m.#i - :n", {"#m": "map", "#i": "inner"}, {":n": 9}, ""),
        ("SET #l = list_append(#l, :l), other = :n", {"#l": "list"}, {":l": [7], ":n": 1}, ""),
        ("REMOVE #l[0], #l[2], text", {"#l": "list"}, {}, ""),
        ("SET a = :n REMOVE #l[1] ADD #c :n", {"#l": "list", "#c": "count"}, {":n": 1}, ""),
        ("ADD #n :s, hits :n DELETE other :s", {"#n": "names"}, {":s": {"c"}, ":n": 2}, ""),
        ("DELETE #n :s", {"#n": "names"}, {":s": {"a", "c"}}, ""),
        ("SET text = :x", {}, {":x": "y"}, "attribute_exists(text)"),
        ("SET text = :x", {}, {":x": "y"}, "attribute_not_exists(id)"),
        # What is refused, and what is refused only once there is an item.
        ("SET text = :x, text = :x", {}, {":x": "y"}, ""),
        ("SET map = :x, map.inner = :x", {}, {":x": "y"}, ""),
        ("SET id = :x", {}, {":x": "y"}, ""),
        ("SET text = :x SET fresh = :x", {}, {":x": "y"}, ""),
        ("SET text = :missing", {}, {":x": "y"}, ""),
        ("SET text = fresh", {}, {}, ""),
        ("SET fresh.inner = :x", {}, {":x": "y"}, ""),
        ("SET text = text + :n", {}, {":n": 1}, ""),
        ("ADD text :n", {}, {":n": 1}, ""),
        ("DELETE #c :s", {"#c": "count"}, {":s": {"a"}}, ""),
        ("SET text = :x, unused = :x", {"#u": "unused"}, {":x": "y"}, ""),
        ("SET text :x", {}, {":x": "y"}, ""),
        ("SET", {}, {}, ""),
        ("", {}, {}, ""),
    ],
)  # fmt: skip
def test_it_comes_to_the_same(table, update, names, values, condition):
    given = {name: typed(value) for name, value in values.items()}

    expected = table(update, names, given, condition, quick=False)
    found = table(update, names, given, condition, quick=True)
    again = table(update, names, given, condition, quick=True)

    assert found == expected
    assert again == expected, "what is kept of an expression is not changed by its use"


def typed(value):
    """Return a value as DynamoDB takes it."""
    match value:
        case str():
            return {"S": value}
        case int():
            return {"N": str(value)}
        case set():
            return {"SS": sorted(value)}
        case _:
            return {"L": [typed(one) for one in value]}
