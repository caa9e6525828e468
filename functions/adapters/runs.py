"""Records of runs in DynamoDB, large ones in S3.

Key: `run` (partition) and `part` (sort). Of a run there are `run` (its item, written only over
the version it was made from), `given#NNNN` and `record#NNNN` of each attempt, `known#NAME` for
each execution that belongs to it, and `once#WHAT` for what is done once. Lists come from
indexes of the first kind; `open` has those that a sweep has to look at.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, cast

from botocore.exceptions import ClientError

from functions.adapters.conditional import WRITER, in_the_way, is_own, new_mark
from functions.adapters.run_items import (
    KEPT_DAYS,
    LISTED,
    NEW,
    OPEN,
    ends_at,
    item_from,
    packed,
    packed_item,
)
from functions.record_ports import Kept, Known, NoSuchPlace, RunsPage, Sought

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef
    from mypy_boto3_s3 import S3Client

    from functions.domain.records.item import RunItem
    from functions.domain.records.shape import RunRecord
    from functions.ports import Clock
    from protocol.payloads import Json

LARGEST = 380_000
"""Bytes of a compressed record in the table, whose items hold 400 KB."""
_MOST_PAGES, _MOST_AT_ONCE = 4, 1_000
"""Queries for one page of a list, and what one reads, where filters leave few of it."""
_ABSENT = frozenset({"NoSuchKey", "404"})


class DynamoRuns:
    """`functions.record_ports.Runs` on a DynamoDB table and a bucket."""

    def __init__(
        self,
        client: DynamoDBClient,
        table: str,
        bucket: Callable[[], tuple[S3Client, str]],
        clock: Clock,
        days: int = KEPT_DAYS,
    ) -> None:
        self._client = client
        self._table = table
        self._bucket = bucket
        self._clock = clock
        self._days = days

    def get(self, run_id: str) -> RunItem | None:
        """Return what is known of a run, as the last write left it."""
        item = self._read(run_id, "run")
        return None if item is None else item_from(item)

    def change(
        self, run_id: str, wish: Callable[[RunItem | None], RunItem | None]
    ) -> RunItem | None:
        """Change a run's item and return what is stored then."""
        stored = self.get(run_id)
        while True:
            wanted = wish(stored)
            if wanted is None or wanted == stored:
                return stored
            written = replace(wanted, version=wanted.version + 1)
            other = self._write(written, 0 if stored is None else stored.version)
            if other is None:
                return written
            stored = other

    def _write(self, item: RunItem, before: int) -> RunItem | None:
        """Write an item over a version; return what is stored where that is another."""
        condition: Any = {"ConditionExpression": NEW}
        if before:
            condition = {
                "ConditionExpression": "version = :before",
                "ExpressionAttributeValues": {":before": {"N": str(before)}},
            }
        mark = new_mark()
        own = {"ends": ends_at(self._clock, self._days), WRITER: {"S": mark}}
        try:
            self._client.put_item(
                TableName=self._table,
                Item={**packed_item(item), **own},
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
                **condition,
            )
        except ClientError as error:
            stored = in_the_way(error)
            return None if is_own(stored, mark) else item_from(stored)
        return None

    def listed(self, sought: Sought, limit: int, after: Mapping[str, str] | None) -> RunsPage:
        """Return runs that nobody called, the newest first, or in the order of their ids."""
        query, left = _query_for(sought)
        found: list[Mapping[str, AttributeValueTypeDef]] = []
        start: Any = {name: {"S": value} for name, value in (after or {}).items()}
        if start and start.keys() != _names(query):
            raise NoSuchPlace
        # Where filters leave few of what a query reads, more is read at once.
        asked = min(_MOST_AT_ONCE, limit * (1 + 4 * left))
        for _ in range(_MOST_PAGES):
            page = self._page(query, asked, start)
            found += page["Items"]
            start = page.get("LastEvaluatedKey")
            if start is None or len(found) >= limit:
                break
        shown = found[:limit]
        if len(found) > limit:
            start = _place_of(shown[-1], query)
        place = {name: value["S"] for name, value in start.items()} if start else None
        return RunsPage([json.loads(one["summary"]["S"]) for one in shown], place)

    def _page(self, query: Any, limit: int, start: Any) -> Any:
        more = {"ExclusiveStartKey": start} if start else {}
        try:
            return self._client.query(TableName=self._table, Limit=limit, **query, **more)
        except ClientError as error:
            if not start or error.response["Error"]["Code"] != "ValidationException":
                raise
            raise NoSuchPlace from None  # a place of another list, or one made up

    def unsettled(self, limit: int) -> list[RunItem]:
        """Return runs that go on, or whose end asks for more, those not looked at longest first."""
        page = self._client.query(
            TableName=self._table,
            IndexName="open",
            KeyConditionExpression="#open = :open",
            ExpressionAttributeNames={"#open": "open"},
            ExpressionAttributeValues={":open": {"S": OPEN}},
            Limit=limit,
        )
        found = (self.get(item["run"]["S"]) for item in page["Items"])
        return [item for item in found if item is not None and not item.settled]

    def give(self, run_id: str, attempt: int, given: Mapping[str, Json]) -> None:
        """Keep what an attempt was started with."""
        body = self._body(run_id, f"given-{attempt}", given)
        self._put(run_id, f"given#{attempt:04}", NEW, None, **body)

    def given(self, run_id: str, attempt: int) -> Mapping[str, Json] | None:
        """Return what an attempt was started with; None where it is not kept."""
        item = self._read(run_id, f"given#{attempt:04}")
        return None if item is None else self._opened(item)

    def keep(self, kept: Kept) -> None:
        """Keep the record of an attempt that is over, unless one is kept that knows more."""
        run_id, attempt = kept.record["run_id"], kept.record["run_attempt"]
        over: AttributeValueTypeDef = {"N": str(kept.over)}
        body = self._body(run_id, f"record-{attempt}-{kept.over}", kept.record)
        self._put(
            run_id,
            f"record#{attempt:04}",
            "attribute_not_exists(#over) OR #over <= :over",
            {"over": over},
            **body,
        )

    def kept(self, run_id: str, attempt: int) -> Kept | None:
        """Return the record of an attempt; None where none is kept."""
        item = self._read(run_id, f"record#{attempt:04}")
        record = None if item is None else self._opened(item)
        if item is None or record is None:
            return None
        return Kept(cast("RunRecord", record), int(item["over"]["N"]))

    def know(self, run_id: str, known: Known) -> None:
        """Keep that an execution belongs to a run."""
        self._put(run_id, f"known#{known.name}", NEW, known={"S": packed(asdict(known))})

    def known(self, run_id: str) -> list[Known]:
        """Return the executions that belong to a run, of all its attempts."""
        found = self._parts(run_id, "known#")
        return [Known(**json.loads(item["known"]["S"])) for item in found]

    def claim(self, run_id: str, what: str) -> bool:
        """Take on something that is to be done once for a run; False where it was taken on."""
        mark = new_mark()
        try:
            self._client.put_item(
                TableName=self._table,
                Item=self._part(run_id, f"once#{what}", outcome={"S": ""}, writer={"S": mark}),
                ConditionExpression=NEW,
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except ClientError as error:
            return is_own(in_the_way(error), mark)
        return True

    def note(self, run_id: str, what: str, outcome: str) -> None:
        """Keep what came of something taken on."""
        self._put(run_id, f"once#{what}", None, outcome={"S": outcome})

    def noted(self, run_id: str) -> Mapping[str, str]:
        """Return what was taken on for a run, and what came of it."""
        found = self._parts(run_id, "once#")
        return {item["part"]["S"].removeprefix("once#"): item["outcome"]["S"] for item in found}

    def _read(self, run_id: str, part: str) -> dict[str, AttributeValueTypeDef] | None:
        found = self._client.get_item(
            TableName=self._table,
            Key={"run": {"S": run_id}, "part": {"S": part}},
            ConsistentRead=True,
        )
        return found.get("Item")

    def _parts(self, run_id: str, prefix: str) -> list[dict[str, AttributeValueTypeDef]]:
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression="#run = :run AND begins_with(part, :prefix)",
            ExpressionAttributeNames={"#run": "run"},
            ExpressionAttributeValues={":run": {"S": run_id}, ":prefix": {"S": prefix}},
            ConsistentRead=True,
        )
        return [item for page in pages for item in page["Items"]]

    def _put(
        self,
        run_id: str,
        part: str,
        condition: str | None,
        held: dict[str, AttributeValueTypeDef] | None = None,
        **fields: AttributeValueTypeDef,
    ) -> bool:
        """Write a part of a run; return False where the condition does not hold.

        `held` are fields that the condition speaks of.
        """
        held = held or {}
        checks: Any = {"ConditionExpression": condition} if condition else {}
        if held:
            checks["ExpressionAttributeNames"] = {f"#{name}": name for name in held}
            checks["ExpressionAttributeValues"] = {f":{name}": held[name] for name in held}
        item = self._part(run_id, part, **held, **fields)
        try:
            self._client.put_item(TableName=self._table, Item=item, **checks)
        except ClientError as error:
            if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
                raise
            return False
        return True

    def _part(
        self, run_id: str, part: str, **fields: AttributeValueTypeDef
    ) -> dict[str, AttributeValueTypeDef]:
        ends = ends_at(self._clock, self._days)
        return {"run": {"S": run_id}, "part": {"S": part}, "ends": ends, **fields}

    def _body(
        self, run_id: str, name: str, value: Mapping[str, Any] | RunRecord
    ) -> dict[str, AttributeValueTypeDef]:
        """Return the fields that hold a value, compressed; a large one goes into the bucket."""
        body = zlib.compress(packed(value).encode())
        if len(body) <= LARGEST:
            return {"body": {"B": body}}
        client, bucket = self._bucket()
        key = f"runs/{run_id}/{name}.json.z"
        client.put_object(Bucket=bucket, Key=key, Body=body)
        return {"kept": {"S": key}}

    def _opened(self, item: Mapping[str, AttributeValueTypeDef]) -> Mapping[str, Json] | None:
        if "body" in item:
            body: Any = item["body"]["B"]
        else:
            client, bucket = self._bucket()
            try:
                body = client.get_object(Bucket=bucket, Key=item["kept"]["S"])["Body"].read()
            except ClientError as error:
                if error.response["Error"]["Code"] not in _ABSENT:
                    raise
                return None
        value: Mapping[str, Json] = json.loads(
            zlib.decompress(body).decode("utf-8", "surrogatepass")
        )
        return value


def _query_for(sought: Sought) -> tuple[Any, int]:
    """Return the query that finds the fewest runs, and how many filters are left beside its key."""
    index, name, key = "time", "listed", LISTED
    if sought.prefix:
        index = "ids"
    elif sought.status in ("running", "paused"):
        index, name, key = "status", "status", sought.status
    elif sought.starter:
        index, name, key = "starter", "starter", sought.starter
    elif sought.workflow:
        index, name, key = "workflow", "workflow", sought.workflow
    elif sought.status:
        index, name, key = "status", "status", sought.status
    names, values = {"#key": name}, {":key": {"S": key}}
    condition = "#key = :key"
    if sought.prefix:
        condition += " AND begins_with(#run, :prefix)"
        names["#run"], values[":prefix"] = "run", {"S": sought.prefix}
    wanted = {"workflow": sought.workflow, "status": sought.status, "starter": sought.starter}
    left = {one: value for one, value in wanted.items() if value is not None and one != name}
    query: dict[str, Any] = {
        "IndexName": index,
        "KeyConditionExpression": condition,
        "ExpressionAttributeNames": names | {f"#{one}": one for one in left},
        "ExpressionAttributeValues": values | {f":{one}": {"S": left[one]} for one in left},
        "ScanIndexForward": index == "ids",
    }
    if left:
        query["FilterExpression"] = " AND ".join(f"#{one} = :{one}" for one in left)
    return query, len(left)


def _place_of(
    item: Mapping[str, AttributeValueTypeDef], query: Mapping[str, Any]
) -> dict[str, AttributeValueTypeDef]:
    """Return the key of an item in the index of a query."""
    return {name: item[name] for name in _names(query)}


def _names(query: Mapping[str, Any]) -> set[str]:
    """Return the attributes that a place in the index of a query has."""
    index = query["IndexName"]
    own = {"time": "listed", "ids": "listed"}.get(index, index)
    return {"run", "part", own, *(() if index == "ids" else ("started_at",))}
