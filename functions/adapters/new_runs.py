"""Runs that are started, in their table: by whom they are, until there is news of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from functions.adapters.run_items import KEPT_DAYS, NEW, ends_at, packed_item

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from functions.domain.records.item import RunItem
    from functions.ports import Clock


class DynamoNewRuns:
    """`functions.event_ports.NewRuns` on a DynamoDB table."""

    def __init__(
        self, client: DynamoDBClient, table: str, clock: Clock, days: int = KEPT_DAYS
    ) -> None:
        self._client = client
        self._table = table
        self._clock = clock
        self._days = days

    def add(self, item: RunItem) -> None:
        """Keep the item of a run that has just been started, unless there is one."""
        first = packed_item(replace(item, version=1))
        ends = ends_at(self._clock, self._days)
        try:
            self._client.put_item(
                TableName=self._table, Item={**first, "ends": ends}, ConditionExpression=NEW
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return
