"""Latches in DynamoDB: one item per latch, one UpdateItem per call.

DynamoDB applies the updates of one item one after the other and returns the item as each left
it, so the update that completes a latch is the first whose answer is complete.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/WorkingWithItems.html
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from functions.domain.latch import Arrival, Latch, Waiting
from functions.domain.texts import sound

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

    from functions.ports import Clock

_SIGNAL = "signal:"
_KEPT_SECONDS = 400 * 24 * 3600
"""Longer than an execution can last (a year)."""


class DynamoLatches:
    """`functions.ports.Latches` on a DynamoDB table with the key `latch`."""

    def __init__(self, client: DynamoDBClient, table: str, clock: Clock) -> None:
        self._client = client
        self._table = table
        self._clock = clock

    def arrive(self, key: str, producer: str, arrival: Arrival) -> Latch:
        """Write a producer's signal and return the latch as it is then."""
        return self._write(key, _SIGNAL + producer, _packed_arrival(arrival))

    def wait(self, key: str, waiting: Waiting) -> Latch:
        """Write who waits (a new token replaces an old one); return the latch as it is then."""
        return self._write(key, "waiting", _packed_waiting(waiting))

    def read(self, key: str) -> Latch:
        """Return the latch as it is; one without anything where nothing was written."""
        found = self._client.get_item(
            TableName=self._table, Key={"latch": {"S": key}}, ConsistentRead=True
        )
        return _latch(found.get("Item", {}))

    def _write(self, key: str, attribute: str, value: str) -> Latch:
        written = self._client.update_item(
            TableName=self._table,
            Key={"latch": {"S": key}},
            UpdateExpression="SET #written = :value, expires_at = :expires",
            ExpressionAttributeNames={"#written": attribute},
            ExpressionAttributeValues={
                ":value": {"S": value},
                ":expires": {"N": str(int(self._clock.now().timestamp()) + _KEPT_SECONDS)},
            },
            ReturnValues="ALL_NEW",
        )
        return _latch(written["Attributes"])


def _latch(item: dict[str, AttributeValueTypeDef]) -> Latch:
    waiting = item.get("waiting")
    return Latch(
        waiting=None if waiting is None else _waiting(waiting["S"]),
        arrivals={
            name.removeprefix(_SIGNAL): _arrival(value["S"])
            for name, value in item.items()
            if name.startswith(_SIGNAL)
        },
    )


def _packed_arrival(arrival: Arrival) -> str:
    # In UTF-8, by which the compiler counts: in ASCII, text of other scripts takes three times as
    # much, and more than an item holds.
    values = [arrival.status, arrival.counts, arrival.bad, sound(dict(arrival.values))]
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _arrival(text: str) -> Arrival:
    status, counts, bad, values = json.loads(text)
    return Arrival(status, counts, tuple(bad), values)


def _packed_waiting(waiting: Waiting) -> str:
    return json.dumps(
        [waiting.token, waiting.producers, waiting.guard, waiting.bad, waiting.counting]
    )


def _waiting(text: str) -> Waiting:
    token, producers, guard, bad, counting = json.loads(text)
    return Waiting(token, tuple(producers), guard, tuple(bad), counting)
