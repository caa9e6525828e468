"""Task tokens in DynamoDB, in a table of their own: who may read tasks need not read these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from functions.ports import Clock

_KEPT_SECONDS = 400 * 24 * 3600
"""Longer than an execution can last (a year)."""


class DynamoTaskTokens:
    """`functions.ports.TaskTokens` on a DynamoDB table with the key `task`."""

    def __init__(self, client: DynamoDBClient, table: str, clock: Clock) -> None:
        self._client = client
        self._table = table
        self._clock = clock

    def keep(self, task_id: str, token: str, order: int) -> None:
        """Keep a token, unless one of a higher order is kept."""
        try:
            self._client.put_item(
                TableName=self._table,
                Item={
                    "task": {"S": task_id},
                    "waiting": {"S": token},
                    "order": {"N": str(order)},
                    "ends": {"N": str(int(self._clock.now().timestamp()) + _KEPT_SECONDS)},
                },
                ConditionExpression="attribute_not_exists(task) OR #order <= :order",
                ExpressionAttributeNames={"#order": "order"},
                ExpressionAttributeValues={":order": {"N": str(order)}},
            )
        except ClientError as error:
            if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
                raise

    def get(self, task_id: str) -> str | None:
        """Return the token that waits; None while nothing does."""
        found = self._client.get_item(
            TableName=self._table, Key={"task": {"S": task_id}}, ConsistentRead=True
        )
        item = found.get("Item")
        return None if item is None else item["waiting"]["S"]
