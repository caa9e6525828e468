"""Queries of tables give what moto's own do; see `local.repairs.queries`."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import boto3
from moto.dynamodb.models.table import Table

from local.engine import REGION, Engine
from local.repairs import queries

NAMES = ("run", "part", "group", "sort")
INDEXES = {"sorted": ("group", "sort"), "by-key": ("group", "run"), "unsorted": ("sort",)}


def schema(names):
    kinds = ("HASH", "RANGE")
    return [{"AttributeName": name, "KeyType": kinds[at]} for at, name in enumerate(names)]


def filled(chance):
    """Return a client whose table holds sixty items, some of them in no index."""
    client = boto3.client("dynamodb", region_name=REGION)
    client.create_table(
        TableName="items",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in NAMES],
        KeySchema=schema(NAMES[:2]),
        GlobalSecondaryIndexes=[
            {"IndexName": name, "KeySchema": schema(keys), "Projection": {"ProjectionType": "ALL"}}
            for name, keys in INDEXES.items()
        ],
    )
    for number in range(60):
        item = {
            "run": {"S": f"{chance.choice('abcdef')}{chance.randint(0, 3)}"},
            "part": {"S": chance.choice("xyz")},
            "n": {"N": str(number)},
        }
        if chance.random() < 0.8:
            item["group"] = {"S": chance.choice("gh")}
        if chance.random() < 0.8:
            item["sort"] = {"S": chance.choice("1234") + chance.choice("ab")}
        client.put_item(TableName="items", Item=item)
    return client


def asked(chance):
    """Return a query: of the table or an index, with or without a condition and a filter."""
    index = chance.choice([None, *INDEXES])
    key, *more = INDEXES[index] if index else NAMES[:2]
    names, values = {"#k": key}, {":k": {"S": chance.choice(["g", "h", "1a", "2b", "a1", "zz"])}}
    condition = "#k = :k"
    if more and chance.random() < 0.6:
        names["#s"], values[":a"] = more[0], {"S": chance.choice(["a", "1", "2", "x", "y"])}
        test = chance.choice(["begins_with(#s, :a)", "#s > :a", "#s <= :a", "#s BETWEEN :a AND :b"])
        if ":b" in test:
            values[":b"] = {"S": "~"}
        condition += f" AND {test}"
    query = {
        "TableName": "items",
        "Limit": chance.choice([1, 3, 7, 100]),
        "ScanIndexForward": chance.random() < 0.5,
        "KeyConditionExpression": condition,
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }
    if index:
        query["IndexName"] = index
    if chance.random() < 0.3:
        query["FilterExpression"] = "n > :n"
        values[":n"] = {"N": "20"}
    return query


def pages(client, query):
    """Return all pages of a query."""
    found: list[Any] = []
    start: dict[str, Any] = {}
    while True:
        page = client.query(**query, **start)
        found.append((page["Items"], page["Count"], page["ScannedCount"]))
        if "LastEvaluatedKey" not in page:
            return found
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def test_a_query_gives_the_pages_that_moto_gives(monkeypatch):
    chance = random.Random(3)
    with Engine({}):
        client = filled(chance)
        wanted = [asked(chance) for _ in range(120)]
        ours = [*map(partial(pages, client), wanted)]
        monkeypatch.setattr(Table, "query", queries._moto_query)
        monkeypatch.setattr(Table, "all_items", queries._moto_all_items)
        assert [*map(partial(pages, client), wanted)] == ours
    assert sum(len(items) for found in ours for items, *_ in found) > 200
