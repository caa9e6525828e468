"""Which workflows are disabled: one item in the table of events."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from functions.event_ports import STALE

if TYPE_CHECKING:
    from datetime import datetime

    from mypy_boto3_dynamodb import DynamoDBClient

    from functions.ports import Clock

_ITEM = "switches"


class DynamoSwitches:
    """`functions.event_ports.Switches` on the table of events, read every `STALE` seconds."""

    def __init__(self, client: DynamoDBClient, table: str, clock: Clock) -> None:
        self._client = client
        self._table = table
        self._clock = clock
        self._known: tuple[datetime, frozenset[str]] | None = None

    def disabled(self) -> frozenset[str]:
        """Return the ids of the disabled workflows."""
        now = self._clock.now()
        known = self._known
        if known is None or not known[0] <= now < known[0] + timedelta(seconds=STALE):
            found = self._client.get_item(
                TableName=self._table, Key={"id": {"S": _ITEM}}, ConsistentRead=True
            )
            names = found.get("Item", {}).get("disabled", {}).get("SS", [])
            known = self._known = (now, frozenset(names))
        return known[1]

    def switch(self, workflow_id: str, *, disabled: bool) -> None:
        """Disable or enable a workflow."""
        self._client.update_item(
            TableName=self._table,
            Key={"id": {"S": _ITEM}},
            UpdateExpression=f"{'ADD' if disabled else 'DELETE'} disabled :one",
            ExpressionAttributeValues={":one": {"SS": [workflow_id]}},
        )
        self._known = None
