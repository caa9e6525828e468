"""Concurrency groups in DynamoDB: an item per group in the table of latches, and one per run.

A group's item carries a version; a change that was overtaken is tried again on what is there.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.adapters.conditional import WRITER, in_the_way, is_own, new_mark
from functions.domain.lock import Claimant, Group, Turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb import DynamoDBClient

    from functions.ports import Clock

_KEPT_SECONDS = 400 * 24 * 3600
"""Longer than an execution can last (a year)."""


_PARTS = ("holders", "queue", "superseded")


class DynamoLocks:
    """`functions.ports.Locks` on a DynamoDB table with the key `latch`."""

    def __init__(self, client: DynamoDBClient, table: str, clock: Clock) -> None:
        self._client = client
        self._table = table
        self._clock = clock

    def remember(self, execution: str, name: str) -> None:
        """Note which group an execution asks for."""
        self._client.put_item(
            TableName=self._table,
            Item={
                "latch": {"S": _holder(execution)},
                "group": {"S": name},
                "expires_at": {"N": self._expires()},
            },
        )

    def group_of(self, execution: str) -> str | None:
        """Return the group that an execution asked for; None where it asked for none."""
        found = self._client.get_item(
            TableName=self._table, Key={"latch": {"S": _holder(execution)}}, ConsistentRead=True
        )
        return found["Item"]["group"]["S"] if "Item" in found else None

    def change(self, name: str, wish: Callable[[Group], Turn]) -> Turn:
        """Change a group and return what that asks for."""
        while True:
            version, group = self._read(name)
            turn = wish(group)
            if turn.group == group or self._write(name, version, turn.group):
                return turn

    def _read(self, name: str) -> tuple[int, Group]:
        found = self._client.get_item(
            TableName=self._table, Key={"latch": {"S": _group(name)}}, ConsistentRead=True
        )
        item = found.get("Item")
        if item is None:
            return 0, Group()
        stored = json.loads(item["state"]["S"])
        parts = (tuple(Claimant(**one) for one in stored.get(part, ())) for part in _PARTS)
        return int(item["version"]["N"]), Group(*parts)

    def _write(self, name: str, version: int, group: Group) -> bool:
        mark = new_mark()
        try:
            self._client.update_item(
                TableName=self._table,
                Key={"latch": {"S": _group(name)}},
                UpdateExpression=(
                    "SET #state = :state, #version = :next, expires_at = :expires, #writer = :mark"
                ),
                ConditionExpression="attribute_not_exists(#version) OR #version = :version",
                ExpressionAttributeNames={
                    "#state": "state",
                    "#version": "version",
                    "#writer": WRITER,
                },
                ExpressionAttributeValues={
                    ":state": {"S": json.dumps(asdict(group))},
                    ":version": {"N": str(version)},
                    ":next": {"N": str(version + 1)},
                    ":expires": {"N": self._expires()},
                    ":mark": {"S": mark},
                },
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except ClientError as error:
            return is_own(in_the_way(error), mark)
        return True

    def _expires(self) -> str:
        return str(int(self._clock.now().timestamp()) + _KEPT_SECONDS)


def _group(name: str) -> str:
    return f"lock#{name}"


def _holder(execution: str) -> str:
    return f"lock-of#{execution}"
