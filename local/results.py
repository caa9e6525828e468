"""Stored results of a run's steps, as records read them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

    from protocol.payloads import Json


@dataclass(frozen=True, slots=True)
class ResultRow:
    """What is stored of a step: how far it got, and what it gave or failed with."""

    status: str  # begun, succeeded, failed or in_doubt (failed, but it may have had its effect)
    attempt: int
    started_at: str
    last_started_at: str
    completed_at: str | None
    outputs: Mapping[str, Json]
    error_type: str | None
    error_message: str | None
    status_code: int | None
    error_details: list[Json] = field(default_factory=list)


def rows_of(dynamodb: DynamoDBClient, table: str, run: str) -> dict[str, ResultRow]:
    """Return the stored results of a run by the paths of the steps."""
    pages = dynamodb.get_paginator("query").paginate(
        TableName=table,
        KeyConditionExpression="#run = :run",
        ExpressionAttributeNames={"#run": "run"},
        ExpressionAttributeValues={":run": {"S": run}},
    )
    return {item["step"]["S"]: _row(item) for page in pages for item in page["Items"]}


def _row(item: Mapping[str, AttributeValueTypeDef]) -> ResultRow:
    envelope = json.loads(item["envelope"]["S"]) if "envelope" in item else {}
    return ResultRow(
        status=item["status"]["S"],
        attempt=int(item["attempt"]["N"]),
        started_at=item["started_at"]["S"],
        last_started_at=item["attempt_started_at"]["S"],
        completed_at=_text(item, "completed_at"),
        outputs=envelope.get("outputs", {}),
        error_type=_text(item, "error_type"),
        error_message=_text(item, "error_message"),
        status_code=int(item["status_code"]["N"]) if "status_code" in item else None,
        error_details=json.loads(_text(item, "error_details") or "[]"),
    )


def _text(item: Mapping[str, AttributeValueTypeDef], name: str) -> str | None:
    return item[name]["S"] if name in item else None
