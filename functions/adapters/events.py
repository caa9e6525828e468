"""Events in DynamoDB: one item per event that could start a run, and one per event noted.

Key: `id`. A delivery is one write that needs no condition: every field is set unless it is there,
and what comes back tells whose the event is. Indexes, the newest last: `time` (`all` is the same
in all events), `workflow`, `outcome`, and `source`, the event's own identity.

DynamoDB deletes items some days after their `ends` and until then still returns them, so whether
an event counts as known is told by `expires_at`, and `ends` only makes room:
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.adapters.conditional import in_the_way, is_own
from functions.adapters.event_items import ALL, claim_of, content_of, event_from, item_of, shown
from functions.domain.events import CLAIMED, FAILED, WAITING, Event, Sought
from functions.domain.moments import stamp
from functions.event_ports import Became, Page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef, QueryInputTypeDef

    from functions.event_ports import Bodies

    Item = dict[str, AttributeValueTypeDef]

_INDEX = {"time": "all", "workflow": "workflow", "outcome": "outcome", "source": "source_id"}
"""The indexes by their keys; all are sorted by `received_at`."""
_ROUNDS = 10
"""Queries for one page at most: a page may be short, and the next one goes on."""
_SCANNED = 100
"""Items read at least by one of them."""


class DynamoEvents:
    """`functions.event_ports.Events` on a DynamoDB table."""

    def __init__(self, client: DynamoDBClient, table: str, bodies: Bodies) -> None:
        self._client = client
        self._table = table
        self._bodies = bodies

    def receive(self, event: Event) -> Event:
        """Keep an event unless its id is known, and count the delivery; return what is kept."""
        fields = self._fields(event)
        settings = ", ".join(f"#{name} = if_not_exists(#{name}, :{name})" for name in fields)
        written = self._client.update_item(
            TableName=self._table,
            Key=_key(event.event_id),
            UpdateExpression=f"SET {settings} ADD #deliveries :one",
            ExpressionAttributeNames=_names(*fields, "deliveries"),
            ExpressionAttributeValues={**_values(fields), ":one": {"N": "1"}},
            ReturnValues="ALL_NEW",
        )
        return event_from(written["Attributes"])

    def take_over(self, kept: Event, claim: str, lease: datetime) -> Event | None:
        """Claim an event that nobody holds; None where somebody else did first."""
        fields: Item = {
            "claim": {"S": claim_of(claim, lease)},
            "outcome": {"S": CLAIMED},
        }
        taken = self._change(kept, fields, remove=("error",), whole=True)
        return None if taken is None else event_from(taken)

    def renew(self, kept: Event, event: Event) -> Event | None:
        """Claim a key again whose time is over, and keep the old event under another id."""
        now = replace(event, number=kept.number + 1)
        # The delivery that is just being counted is the new one's.
        old_id, before = f"{kept.event_id}-{kept.number}", kept.deliveries - 1
        old = replace(kept, event_id=old_id, deliveries=before)
        try:
            self._client.transact_write_items(
                TransactItems=[
                    {"Put": {"TableName": self._table, "Item": self._whole(old)}},
                    {
                        "Put": {
                            "TableName": self._table,
                            "Item": self._whole(now),
                            "ConditionExpression": _UNCHANGED,
                            "ExpressionAttributeNames": _names("claim", "outcome"),
                            "ExpressionAttributeValues": _as_read(kept),
                        }
                    },
                ]
            )
        except ClientError as error:
            if error.response["Error"]["Code"] != "TransactionCanceledException":
                raise
            return None
        return now

    def settle(self, event: Event, became: Became) -> bool:
        """Write what became of a claimed event; False where the claim was taken over."""
        fields: Item = {"outcome": {"S": became.outcome}, **shown(event)}
        if became.run_id is not None:
            fields["run_id"] = {"S": became.run_id}
        if became.problems:
            fields["problems"] = {"S": json.dumps(became.problems)}
        if became.error is not None:
            fields["error"] = {"S": became.error}
        return self._change(event, fields) is not None

    def bury(self, event: Event) -> Event:
        """Keep an event that the queue has given up, unless its run was started after all."""
        fields = self._fields(event)
        always = ("outcome", "error", "claim")
        settings = ", ".join(
            f"#{name} = :{name}" if name in always else f"#{name} = if_not_exists(#{name}, :{name})"
            for name in fields
        )
        open_ones: Item = {":claimed": {"S": CLAIMED}, ":failed": {"S": FAILED}}
        try:
            written = self._client.update_item(
                TableName=self._table,
                Key=_key(event.event_id),
                UpdateExpression=f"SET {settings} ADD #deliveries :one",
                ConditionExpression="attribute_not_exists(id) OR #outcome IN "
                "(:claimed, :failed, :outcome)",
                ExpressionAttributeNames=_names(*fields, "deliveries"),
                ExpressionAttributeValues={**_values(fields), **open_ones, ":one": {"N": "1"}},
                ReturnValues="ALL_NEW",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except ClientError as error:
            return event_from(in_the_way(error))
        return event_from(written["Attributes"])

    def get(self, event_id: str) -> Event | None:
        """Return an event with what was sent, but for a body that lies in the bucket."""
        found = self._client.get_item(
            TableName=self._table, Key=_key(event_id), ConsistentRead=True
        ).get("Item")
        if found is None or "outcome" not in found:
            return None
        return event_from(found)

    def listed(self, sought: Sought, limit: int, after: tuple[str, str] | None = None) -> Page:
        """Return events without what was sent, the newest first; a new one may be missing."""
        index, value = _index_for(sought)
        conditions, values = _filters(sought, index)
        more: QueryInputTypeDef = self._query(index, value)
        more["ScanIndexForward"] = False
        more["Limit"] = max(limit, _SCANNED) if conditions else limit
        if conditions:
            more["FilterExpression"] = " AND ".join(conditions.values())
            more["ExpressionAttributeNames"] = _names(_INDEX[index], *conditions)
            more["ExpressionAttributeValues"] = {":value": {"S": value}, **values}
        found: list[Event] = []
        for _ in range(_ROUNDS):
            if after is not None:
                more["ExclusiveStartKey"] = _place(after, index, value)
            answer = self._client.query(**more)
            found += map(event_from, answer["Items"])
            if len(found) >= limit:
                found = found[:limit]
                is_last = len(answer["Items"]) == len(found) and "LastEvaluatedKey" not in answer
                last = found[-1]
                return Page(found, None if is_last else (last.event_id, stamp(last.received_at)))
            if "LastEvaluatedKey" not in answer:
                return Page(found)
            read = answer["LastEvaluatedKey"]
            after = (read["id"]["S"], read["received_at"]["S"])
        return Page(found, after)

    def found(self, source_id: str) -> list[Event]:
        """Return the events of one identity, without what was sent; a new one may be missing."""
        return list(self._all(self._query("source", source_id)))

    def waiting(self, workflow_id: str) -> list[Event]:
        """Return all that wait for a workflow, without what was sent, the oldest first."""
        of_workflow = self._query("outcome", WAITING)
        of_workflow["FilterExpression"] = "#workflow = :workflow"
        of_workflow["ExpressionAttributeNames"] = _names("outcome", "workflow")
        of_workflow["ExpressionAttributeValues"] = {
            ":value": {"S": WAITING},
            ":workflow": {"S": workflow_id},
        }
        return list(self._all(of_workflow))

    def _query(self, index: str, value: str) -> QueryInputTypeDef:
        key = _INDEX[index]
        return {
            "TableName": self._table,
            "IndexName": index,
            "KeyConditionExpression": f"#{key} = :value",
            "ExpressionAttributeNames": _names(key),
            "ExpressionAttributeValues": {":value": {"S": value}},
        }

    def _all(self, query: QueryInputTypeDef) -> Iterator[Event]:
        while True:
            answer = self._client.query(**query)
            yield from map(event_from, answer["Items"])
            if "LastEvaluatedKey" not in answer:
                return
            query["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def _fields(self, event: Event) -> Item:
        """Return an event's attributes; puts what was sent into the bucket where it is large.

        One that is claimed shows in lists when something has become of it: that is one write to
        the indexes for most events, not two.
        """
        fields = item_of(event) | content_of(event, self._bodies)
        return fields if event.outcome == CLAIMED else fields | shown(event)

    def _whole(self, event: Event) -> Item:
        deliveries: Item = {"deliveries": {"N": str(event.deliveries)}}
        return _key(event.event_id) | self._fields(event) | deliveries

    def _change(
        self, kept: Event, fields: Item, remove: tuple[str, ...] = (), *, whole: bool = False
    ) -> Item | None:
        """Change an event as it was read; None where it has changed since.

        Returns what is kept then if the `whole` of it is wanted, else nothing.
        """
        settings = ", ".join(f"#{name} = :{name}" for name in fields)
        removed = f" REMOVE {', '.join(f'#{name}' for name in remove)}" if remove else ""
        try:
            written = self._client.update_item(
                TableName=self._table,
                Key=_key(kept.event_id),
                UpdateExpression=f"SET {settings}{removed}",
                ConditionExpression=_UNCHANGED,
                ExpressionAttributeNames=_names(*{*fields, *remove, "claim", "outcome"}),
                ExpressionAttributeValues={**_values(fields), **_as_read(kept)},
                ReturnValues="ALL_NEW" if whole else "NONE",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except ClientError as error:
            stored, claim = in_the_way(error), fields.get("claim", {}).get("S", "")
            return stored if claim and is_own(stored, claim, "claim") else None
        return written.get("Attributes", {})


_UNCHANGED = "#claim = :claim_read AND #outcome = :outcome_read"


def _as_read(kept: Event) -> Item:
    return {
        ":claim_read": {"S": claim_of(kept.claim, kept.lease)},
        ":outcome_read": {"S": kept.outcome},
    }


def _index_for(sought: Sought) -> tuple[str, str]:
    if sought.workflow_id is not None:
        return "workflow", sought.workflow_id
    if sought.outcome is not None:
        return "outcome", sought.outcome
    return "time", ALL


def _filters(sought: Sought, index: str) -> tuple[dict[str, str], Item]:
    """Return what the index does not tell apart, by attribute."""
    conditions: dict[str, str] = {}
    values: Item = {}
    if sought.outcome is not None and index != "outcome":
        conditions["outcome"] = "#outcome = :outcome"
        values[":outcome"] = {"S": sought.outcome}
    if sought.duplicates:
        conditions["deliveries"] = "#deliveries > :one"
        values[":one"] = {"N": "1"}
    return conditions, values


def _place(after: tuple[str, str], index: str, value: str) -> Item:
    return {"id": {"S": after[0]}, "received_at": {"S": after[1]}, _INDEX[index]: {"S": value}}


def _key(event_id: str) -> Item:
    return {"id": {"S": event_id}}


def _names(*attributes: str) -> dict[str, str]:
    return {f"#{name}": name for name in attributes}


def _values(fields: Item) -> Item:
    return {f":{name}": value for name, value in fields.items()}
