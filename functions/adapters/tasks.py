"""Tasks in DynamoDB: one item per task, written only over the version it was made from.

Key: `id` (partition) and `part` (sort). A task is `TASK_ID / task`; what was tried in vain on it
`TASK_ID / audit#...`; which tasks a run has `run#RUN / TASK_ID`, and that an attempt of it is
over `run#RUN / ended#ATTEMPT`. Index `queue`: by `KIND#open` or `KIND#closed` and `due`; steps and
pauses, which people decide, are one kind there, `people`. What waits for events, and what has come,
lies beside: `functions.adapters.event_waits`.

The stream of the table wakes executions (`functions.handlers.wake`): of an item whose `status`
left `pending`, or whose `nudges` went up.
"""

from __future__ import annotations

import re
import time
import uuid
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from functions.adapters.conditional import WRITER, in_the_way, is_own, new_mark
from functions.adapters.event_waits import DynamoEventWaits
from functions.adapters.task_items import entry_from, packed, task_from
from functions.api_ports import Listed
from functions.domain.task import PEOPLE_DECIDE, Entry, Kind, Task
from functions.domain.task_answers import stamp

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef, QueryInputTypeDef

QUEUE = "queue"
_ID = re.compile(r"[0-9a-f]{32}")
_TASK = "task"
_MOST_AUDITED = 200
"""Lines of what was tried in vain that are read: whoever is refused may try for ever."""
_KEPT_SECONDS = 400 * 24 * 3600
"""After the end; longer than an execution can last (a year)."""


class DynamoTasks:
    """`functions.ports.Tasks` and `functions.api_ports.TaskList` on a DynamoDB table."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._client = client
        self._table = table
        self.waits = DynamoEventWaits(client, table)

    def create(self, task: Task) -> Task:
        """Write a new task; return what is stored, which may be an earlier call's."""
        # First that the run has it: whoever closes the run's tasks then looks for it, or this
        # call sees that the run is over. Either way none is left open.
        self._put(_run(task.place.run_id), task.task_id, ends=_end_of(task))
        stored = self._write(task, "attribute_not_exists(id)", {})
        return task if stored is None else stored

    def get(self, task_id: str) -> Task | None:
        """Return a task as the last write left it; None for what cannot be a task's id."""
        if not _ID.fullmatch(task_id):
            return None
        found = self._client.get_item(
            TableName=self._table, Key=_key(task_id, _TASK), ConsistentRead=True
        )
        item = found.get("Item")
        return None if item is None else task_from(item["task"]["S"])

    def replace(self, task: Task) -> Task | None:
        """Write a changed task if nobody changed it in between; else return what is stored."""
        before: dict[str, AttributeValueTypeDef] = {":before": {"N": str(task.version)}}
        written = replace(task, version=task.version + 1)
        return self._write(written, "#version = :before", before)

    def nudge(self, task_id: str) -> None:
        """Have an ended task wake its execution once more."""
        self._client.update_item(
            TableName=self._table,
            Key=_key(task_id, _TASK),
            UpdateExpression="ADD nudges :one",
            ConditionExpression="attribute_exists(id)",
            ExpressionAttributeValues={":one": {"N": "1"}},
        )

    def audit(self, task_id: str, entry: Entry) -> None:
        """Keep a line about something that changed nothing."""
        part = f"audit#{stamp(entry.at)}#{uuid.uuid4()}"
        expires = str(int(entry.at.timestamp()) + _KEPT_SECONDS)
        self._put(task_id, part, entry={"S": packed(entry)}, ends={"N": expires})

    def audited(self, task_id: str) -> list[Entry]:
        """Return the last lines kept with `audit`, the oldest first."""
        found = self._client.query(
            TableName=self._table,
            KeyConditionExpression="id = :id AND begins_with(part, :prefix)",
            ExpressionAttributeValues={":id": {"S": task_id}, ":prefix": {"S": "audit#"}},
            ConsistentRead=True,
            ScanIndexForward=False,
            Limit=_MOST_AUDITED,
        )
        return [entry_from(item["entry"]["S"]) for item in reversed(found["Items"])]

    def end(self, run_id: str, run_attempt: int) -> None:
        """Note that an attempt of a run is over: tasks that still open then are closed."""
        ends: AttributeValueTypeDef = {"N": str(int(time.time()) + _KEPT_SECONDS)}
        self._put(_run(run_id), f"ended#{run_attempt}", ends=ends)

    def has_ended(self, run_id: str, run_attempt: int) -> bool:
        """Return whether an attempt of a run is over."""
        found = self._client.get_item(
            TableName=self._table,
            Key=_key(_run(run_id), f"ended#{run_attempt}"),
            ConsistentRead=True,
        )
        return "Item" in found

    def of_run(self, run_id: str) -> list[Task]:
        """Return all tasks of a run, every one whose `create` has begun before."""
        parts = [item["part"]["S"] for item in self._query(_run(run_id))]
        found = [self.get(part) for part in parts if not part.startswith("ended#")]
        return [task for task in found if task is not None]

    def listed(self, kind: Kind, *, is_open: bool) -> list[Task]:
        """Return the tasks of a kind, the ones due first ahead; a new one may be missing."""
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            IndexName=QUEUE,
            KeyConditionExpression="#queue = :queue",
            ExpressionAttributeNames={"#queue": "queue"},
            ExpressionAttributeValues={":queue": {"S": _queue(kind, is_open=is_open)}},
        )
        found = [task_from(item["task"]["S"]) for page in pages for item in page["Items"]]
        return [task for task in found if task.kind == kind]

    def after(self, place: Listed, most: int) -> list[Task]:
        """Return the next tasks of people: open ones due first ahead, closed ones due last."""
        queue = _queue("manual", is_open=place.is_open)
        request: QueryInputTypeDef = {
            "TableName": self._table,
            "IndexName": QUEUE,
            "KeyConditionExpression": "#queue = :queue",
            "ExpressionAttributeNames": {"#queue": "queue"},
            "ExpressionAttributeValues": {":queue": {"S": queue}},
            "ScanIndexForward": place.is_open,
        }
        if place.task_id:
            key = _key(place.task_id, _TASK)
            request["ExclusiveStartKey"] = {**key, "queue": {"S": queue}, "due": {"S": place.due}}
        found: list[Task] = []
        while len(found) < most:
            request["Limit"] = most - len(found)
            answer = self._client.query(**request)
            found += [task_from(item["task"]["S"]) for item in answer["Items"]]
            if "LastEvaluatedKey" not in answer:
                break
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
        return found

    def _write(
        self, task: Task, condition: str, values: dict[str, AttributeValueTypeDef]
    ) -> Task | None:
        """Write a task on a condition; return what is stored where it does not hold."""
        mark = new_mark()
        fields: dict[str, AttributeValueTypeDef] = {
            WRITER: {"S": mark},
            "task": {"S": packed(task)},
            "version": {"N": str(task.version)},
            "status": {"S": task.status},
            "run": {"S": task.place.run_id},
            "workflow": {"S": task.workflow_id},
            "queue": {"S": _queue(task.kind, is_open=task.is_open)},
            "due": {"S": stamp(task.to_be_done)},
            "ends": _end_of(task),
        }
        try:
            self._client.update_item(
                TableName=self._table,
                Key=_key(task.task_id, _TASK),
                UpdateExpression="SET " + ", ".join(f"#{name} = :{name}" for name in fields),
                ConditionExpression=condition,
                ExpressionAttributeNames={f"#{name}": name for name in fields},
                ExpressionAttributeValues={
                    **{f":{name}": value for name, value in fields.items()},
                    **values,
                },
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except ClientError as error:
            # Where the condition does not hold there is an item: nothing deletes tasks.
            stored = in_the_way(error)
            if not is_own(stored, mark):
                return task_from(stored["task"]["S"])
        if task.kind == "event" and not task.is_open:
            # Only so that no event asks it for nothing: who comes there does the same.
            with suppress(BotoCoreError, ClientError):
                self.waits.over(task.task_id, task.history[-1].at)
        return None

    def _put(self, id: str, part: str, **fields: AttributeValueTypeDef) -> None:
        self._client.put_item(
            TableName=self._table, Item={"id": {"S": id}, "part": {"S": part}, **fields}
        )

    def _query(self, id: str, prefix: str = "") -> list[dict[str, AttributeValueTypeDef]]:
        condition, values = "id = :id", {":id": {"S": id}}
        if prefix:
            condition += " AND begins_with(part, :prefix)"
            values[":prefix"] = {"S": prefix}
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression=condition,
            ExpressionAttributeValues=values,
            ConsistentRead=True,
        )
        return [item for page in pages for item in page["Items"]]


def _key(id: str, part: str) -> dict[str, AttributeValueTypeDef]:
    return {"id": {"S": id}, "part": {"S": part}}


def _run(run_id: str) -> str:
    return f"run#{run_id}"


def _end_of(task: Task) -> AttributeValueTypeDef:
    return {"N": str(int(task.expires_at.timestamp()) + _KEPT_SECONDS)}


def _queue(kind: Kind, *, is_open: bool) -> str:
    name = "people" if kind in PEOPLE_DECIDE else kind
    return f"{name}#{'open' if is_open else 'closed'}"
