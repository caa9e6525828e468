"""All stored results of a run, from the table of results, and what is noted about them later."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from botocore.exceptions import ClientError

from functions.adapters.results import ends_of
from functions.domain.stored import (
    AGAIN,
    BEGUN,
    DONE,
    FAILED,
    IN_DOUBT,
    SUCCEEDED,
    UNDONE,
    StoredResult,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

    from protocol.payloads import Envelope


class DynamoStoredResults:
    """`functions.ports.StoredResults` on a DynamoDB table."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._client = client
        self._table = table

    def of_run(self, run: str) -> list[StoredResult]:
        """Return the stored results of a run."""
        return self._query(run, "#run = :run", {})

    def of_step(self, run: str, step: str) -> list[StoredResult]:
        """Return the stored results of a step: of its items and rounds."""
        condition = "#run = :run AND begins_with(step, :step)"
        found = self._query(run, condition, {":step": {"S": step}})
        return [result for result in found if result.place.step == step]

    def _query(
        self, run: str, condition: str, values: dict[str, AttributeValueTypeDef]
    ) -> list[StoredResult]:
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression=condition,
            ExpressionAttributeNames={"#run": "run"},
            ExpressionAttributeValues={":run": {"S": run}, **values},
            ConsistentRead=True,
        )
        return [_result(item) for page in pages for item in page["Items"]]

    def begin_undo(self, run: str, path: str) -> bool:
        """Note that a result is being undone; return whether it was undone before.

        The claim of an attempt that still goes on is taken away: what it gives is not stored.
        """
        before = self._change(
            run,
            path,
            "SET #status = :undone, was = if_not_exists(was, #status), undoing = :begun",
            "#status IN (:succeeded, :in_doubt, :begun, :failed, :again)",
            {
                ":undone": {"S": UNDONE},
                ":again": {"S": AGAIN},
                ":succeeded": {"S": SUCCEEDED},
                ":in_doubt": {"S": IN_DOUBT},
                ":begun": {"S": BEGUN},
                ":failed": {"S": FAILED},
            },
        )
        return before is not None and before.get("undoing", {}).get("S") == DONE

    def note_undone(self, run: str, path: str) -> None:
        """Note that a result is undone."""
        values: dict[str, AttributeValueTypeDef] = {":done": {"S": DONE}, ":undone": {"S": UNDONE}}
        self._change(run, path, "SET undoing = :done", "#status = :undone", values)

    def let_go(self, run: str, result: StoredResult) -> bool:
        """Let a step run again whatever its result; False where it is another one by now."""
        update = "SET #status = :new, was = if_not_exists(was, #status) REMOVE recheck, lease"
        return self._judge(run, result, update, AGAIN)

    def recheck(self, run: str, result: StoredResult, steps: Sequence[str] | None) -> bool:
        """Have a result looked at before it is given back; False where it is another one."""
        if steps is None:
            return self._judge(run, result, "REMOVE recheck", None)
        listed: dict[str, AttributeValueTypeDef] = {":steps": {"S": json.dumps([*steps])}}
        return self._judge(run, result, "SET recheck = :steps", None, listed)

    def record_done(
        self, run: str, path: str, run_attempt: int, envelope: Envelope, before: str | None
    ) -> bool:
        """Store a result that a person tells of, in the place of the claim `before`."""
        claim: dict[str, AttributeValueTypeDef] = {":before": {"S": before or ""}}
        refused = self._change(
            run,
            path,
            "SET #status = :succeeded, envelope = :envelope, completed_at = :at, claim = :claim, "
            "attempt = if_not_exists(attempt, :one), run_attempt = :run_attempt, "
            "attempt_started_at = if_not_exists(attempt_started_at, :at), "
            "started_at = if_not_exists(started_at, :at), fingerprint = :nothing "
            "REMOVE lease, recheck, was, undoing, error_type, error_message, error_details, "
            "status_code, failed_outputs",
            "claim = :before" if before else "attribute_not_exists(claim)",
            {
                ":succeeded": {"S": SUCCEEDED},
                ":envelope": {"S": json.dumps(envelope, ensure_ascii=False)},
                ":at": {"S": envelope["timestamp"]},
                ":claim": {"S": str(uuid.uuid4())},
                ":one": {"N": "1"},
                ":run_attempt": {"N": str(run_attempt)},
                ":nothing": {"S": ""},
                **(claim if before else {}),
            },
        )
        return refused is None

    def _judge(
        self,
        run: str,
        result: StoredResult,
        update: str,
        new: str | None,
        values: dict[str, AttributeValueTypeDef] | None = None,
    ) -> bool:
        """Change a result if it is still the one that was read."""
        status: dict[str, AttributeValueTypeDef] = {} if new is None else {":new": {"S": new}}
        seen: dict[str, AttributeValueTypeDef] = {
            ":seen": {"S": result.claim},
            ":was": {"S": result.status},
        }
        condition = "claim = :seen AND #status = :was"
        refused = self._change(run, result.path, update, condition, seen | status | (values or {}))
        return refused is None

    def _change(
        self,
        run: str,
        path: str,
        update: str,
        condition: str,
        values: dict[str, AttributeValueTypeDef],
    ) -> dict[str, AttributeValueTypeDef] | None:
        """Change a result; return what is stored where the condition does not hold."""
        comma = "," if update.startswith("SET ") else ""
        update = f"SET ends = :ends{comma} {update.removeprefix('SET ')}"
        whole: Any = {"ExpressionAttributeNames": {"#status": "status"}}
        if "#status" not in update + condition:
            whole = {}
        try:
            self._client.update_item(
                TableName=self._table,
                Key={"run": {"S": run}, "step": {"S": path}},
                UpdateExpression=update,
                ConditionExpression=condition,
                ExpressionAttributeValues={**values, ":ends": ends_of(datetime.now(UTC))},
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
                **whole,
            )
        except ClientError as error:
            if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
                raise
            response = cast("dict[str, dict[str, AttributeValueTypeDef]]", error.response)
            return response.get("Item", {})
        return None


def _result(item: Mapping[str, AttributeValueTypeDef]) -> StoredResult:
    envelope = json.loads(item["envelope"]["S"]) if "envelope" in item else {}
    failed = json.loads(item["failed_outputs"]["S"]) if "failed_outputs" in item else {}
    at = item.get("completed_at", item["attempt_started_at"])["S"]
    error = None
    if "error_type" in item:
        error = (item["error_type"]["S"], item["error_message"]["S"])
    lease = item.get("lease")
    return StoredResult(
        path=item["step"]["S"],
        status=item["status"]["S"],
        at=datetime.fromisoformat(at),
        outputs=envelope.get("outputs", failed),
        refs=envelope.get("refs", {}),
        error=error,
        child=envelope.get("child"),
        claim=item["claim"]["S"],
        attempt=int(item["attempt"]["N"]),
        run_attempt=int(item.get("run_attempt", {"N": "1"})["N"]),
        lease=None if lease is None else datetime.fromtimestamp(int(lease["N"]) / 1000, UTC),
        repeatable=item.get("repeatable", {"BOOL": False})["BOOL"],
        was=item["was"]["S"] if "was" in item else None,
        undo=item["undoing"]["S"] if "undoing" in item else None,
        recheck="recheck" in item,
    )
