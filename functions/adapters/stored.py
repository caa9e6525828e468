"""All stored results of a run, from the table of results."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING

from functions.domain.stored import StoredResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef


class DynamoStoredResults:
    """`functions.ports.StoredResults` on a DynamoDB table."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._client = client
        self._table = table

    def of_run(self, run: str) -> list[StoredResult]:
        """Return the stored results of a run."""
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression="#run = :run",
            ExpressionAttributeNames={"#run": "run"},
            ExpressionAttributeValues={":run": {"S": run}},
            ConsistentRead=True,
        )
        return [_result(item) for page in pages for item in page["Items"]]


def _result(item: Mapping[str, AttributeValueTypeDef]) -> StoredResult:
    envelope = json.loads(item["envelope"]["S"]) if "envelope" in item else {}
    failed = json.loads(item["failed_outputs"]["S"]) if "failed_outputs" in item else {}
    at = item.get("completed_at", item["attempt_started_at"])["S"]
    error = None
    if "error_type" in item:
        error = (item["error_type"]["S"], item["error_message"]["S"])
    return StoredResult(
        path=item["step"]["S"],
        status=item["status"]["S"],
        at=datetime.fromisoformat(at),
        outputs=envelope.get("outputs", failed),
        refs=envelope.get("refs", {}),
        error=error,
        child=envelope.get("child"),
    )
