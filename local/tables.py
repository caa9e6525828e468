"""The tables of a stage, in moto: as `protocol.tables` says, under their names of a local stage."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from protocol.tables import TABLES, Table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def table_name(name: str) -> str:
    """Return the whole name of a table by what it is called after the stage's name."""
    return f"stepsmith-local-{name}"


def create_tables(
    dynamodb: DynamoDBClient, names: Iterable[str], streams: Collection[str] | None = None
) -> None:
    """Create tables; with `streams`, of theirs only these."""
    for name in names:
        table = TABLES[name]
        has_stream = table.stream and (streams is None or name in streams)
        dynamodb.create_table(**_described(table_name(name), table, has_stream=has_stream))


def _described(name: str, table: Table, *, has_stream: bool) -> Any:
    keys = [*table.keys, *(key for index in table.indexes.values() for key in index.keys)]
    described: dict[str, Any] = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": key, "AttributeType": "S"} for key in dict.fromkeys(keys)
        ],
        "KeySchema": _schema(table.keys),
    }
    if table.indexes:
        described["GlobalSecondaryIndexes"] = [
            {
                "IndexName": index,
                "KeySchema": _schema(it.keys),
                "Projection": _projection(it.carries),
            }
            for index, it in table.indexes.items()
        ]
    if has_stream:
        described["StreamSpecification"] = {
            "StreamEnabled": True,
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        }
    return described


def _schema(keys: tuple[str, ...]) -> list[dict[str, str]]:
    kinds = ("HASH", "RANGE")
    return [{"AttributeName": key, "KeyType": kinds[place]} for place, key in enumerate(keys)]


def _projection(carries: tuple[str, ...] | None) -> dict[str, Any]:
    if carries is None:
        return {"ProjectionType": "ALL"}
    if not carries:
        return {"ProjectionType": "KEYS_ONLY"}
    return {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(carries)}
