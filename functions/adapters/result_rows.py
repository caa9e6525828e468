"""Stored results of a run's steps from their table, as records read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.domain.records.rows import ResultRow, row_from

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoResultRows:
    """`functions.ports.ResultRows` on the DynamoDB table of results."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._client = client
        self._table = table

    def of_run(self, run_id: str) -> dict[str, ResultRow]:
        """Return the stored results of a run by the paths of the steps."""
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression="#run = :run",
            ExpressionAttributeNames={"#run": "run"},
            ExpressionAttributeValues={":run": {"S": run_id}},
            ConsistentRead=True,
        )
        return {item["step"]["S"]: row_from(item) for page in pages for item in page["Items"]}
