"""Waits for events and what has come, in the table of tasks, beside the tasks themselves.

Key: `id` and `part`. `waits / TASK_ID`: a task that waits, or is about to; `came#DETAIL_TYPE /
TIME#EVENT_ID`: an event that some wait may be for. Both are read consistently, which no index is:
whoever waits writes that before looking at what has come, and what comes is written before looking
at who waits, so that one of the two sees the other.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.domain.arrivals import KEPT, LARGEST, Came, Wait, known_as
from functions.domain.moments import stamp

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef, QueryInputTypeDef

    from functions.domain.task import Task

    Item = dict[str, AttributeValueTypeDef]

_WAITS = "waits"
_PAGES = 20
"""Pages, of 1 MB each, of what has come that are read for one wait, the newest first."""
_AFTER = timedelta(days=1)
"""How long an entry stays behind the end of its wait."""


class DynamoEventWaits:
    """`functions.event_ports.EventWaits` on the table of tasks."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._client = client
        self._table = table

    def announce(self, task: Task) -> None:
        """Have all that comes from now on look at a task."""
        self._put(
            _WAITS,
            task.task_id,
            opened_at={"S": stamp(task.opened_at)},
            subject={"S": json.dumps(task.subject, ensure_ascii=False)},
            ends=_seconds(task.expires_at + _AFTER),
        )

    def announced(self) -> list[Wait]:
        """Return what waits, or did, and nobody has noted yet that it is over."""
        request = self._of(_WAITS)
        request["FilterExpression"] = "attribute_exists(subject)"
        return [
            Wait(item["part"]["S"], json.loads(item["subject"]["S"]))
            for page in self._pages(request)
            for item in page
        ]

    def over(self, task_id: str, at: datetime) -> None:
        """Note that a wait was over at a moment, unless it has begun again since."""
        try:
            self._client.update_item(
                TableName=self._table,
                Key=_key(_WAITS, task_id),
                UpdateExpression="SET ends = :now REMOVE subject",
                ConditionExpression="opened_at <= :at",
                ExpressionAttributeValues={":now": _seconds(at), ":at": {"S": stamp(at)}},
            )
        except ClientError as error:
            if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
                raise

    def keep(self, came: Came) -> None:
        """Keep an event for waits that are still to come, if one can ask for it and have it."""
        # In ASCII: what comes from outside may hold half of a surrogate pair.
        text = json.dumps(came.event, separators=(",", ":"))
        if came.type and len(text) <= LARGEST:
            ends = _seconds(came.at + KEPT)
            part = f"{stamp(came.at)}#{came.event_id}"
            self._put(_came(came.type), part, event={"S": text}, ends=ends)

    def kept(self, type: str, since: datetime) -> list[Came]:
        """Return the events of a type that came since a moment, the oldest first.

        Of very many only the newest.
        """
        request = self._of(_came(type))
        request["KeyConditionExpression"] += " AND part >= :since"
        request["ExpressionAttributeValues"] = {
            ":id": {"S": _came(type)},
            ":since": {"S": stamp(since)},
        }
        request["ScanIndexForward"] = False
        found: list[Came] = []
        for number, page in enumerate(self._pages(request), 1):
            for item in page:
                at, _, event_id = item["part"]["S"].partition("#")
                moment = datetime.fromisoformat(at)
                found.append(Came(type, event_id, moment, json.loads(item["event"]["S"])))
            if number == _PAGES:
                break
        return found[::-1]

    def _of(self, id: str) -> QueryInputTypeDef:
        return {
            "TableName": self._table,
            "KeyConditionExpression": "id = :id",
            "ExpressionAttributeValues": {":id": {"S": id}},
            "ConsistentRead": True,
        }

    def _pages(self, request: QueryInputTypeDef) -> Iterator[list[Item]]:
        while True:
            answer = self._client.query(**request)
            yield answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def _put(self, id: str, part: str, **fields: AttributeValueTypeDef) -> None:
        self._client.put_item(TableName=self._table, Item={**_key(id, part), **fields})


def _key(id: str, part: str) -> Item:
    return {"id": {"S": id}, "part": {"S": part}}


def _came(type: str) -> str:
    return f"came#{known_as(type)}"


def _seconds(moment: datetime) -> AttributeValueTypeDef:
    return {"N": str(int(moment.timestamp()))}
