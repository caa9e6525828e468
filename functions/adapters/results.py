"""Results of steps in DynamoDB: one item per step of a run, each change one conditional write.

Key: `run` (partition) and `step` (sort), so that a run's results are one query.
"""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.adapters.conditional import in_the_way, is_own
from functions.domain.stored import AGAIN, BEGUN, FAILED, IN_DOUBT, SUCCEEDED, UNDONE
from functions.ports import Attempt, Claim, Claimed, Failure, Finished, InDoubt, InProgress, Place
from protocol.payloads import Envelope
from protocol.tables import RESULTS_KEPT

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

_FREE = "attribute_not_exists(#status) OR #status IN (:failed, :undone, :again)"
_FREE_OR_CUT_OFF = f"{_FREE} OR #status = :in_doubt OR (#status = :begun AND lease < :now)"
_OVER = "#status = :succeeded AND claim = :over"
_LET_GO = frozenset({FAILED, UNDONE, AGAIN})
_NOTHING_THERE = frozenset({BEGUN, UNDONE, AGAIN})
_OF_THE_ATTEMPT_BEFORE = (
    *("error_type", "error_message", "error_details", "status_code", "failed_outputs"),
    *("completed_at", "envelope", "recheck", "was", "undoing"),
)


class DynamoResults:
    """`functions.ports.Results` on a DynamoDB table."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._client = client
        self._table = table

    def claim(
        self, place: Place, attempt: Attempt, *, repeatable: bool, over: Finished | None = None
    ) -> Claim:
        """Take the step for an attempt, unless it is finished, held by another or in doubt."""
        claim = str(uuid.uuid4())
        condition, values = _condition(attempt, over, repeatable=repeatable)
        try:
            taken = self._client.update_item(
                TableName=self._table,
                Key=_key(place),
                UpdateExpression=(
                    "SET #status = :begun, claim = :claim, lease = :lease, "
                    "attempt = if_not_exists(attempt, :none) + :one, "
                    "attempt_started_at = :at, started_at = if_not_exists(started_at, :at), "
                    "run_attempt = :run_attempt, fingerprint = :fingerprint, "
                    "repeatable = :repeatable, ends = :ends "
                    f"REMOVE {', '.join(_OF_THE_ATTEMPT_BEFORE)}"
                ),
                ConditionExpression=condition,
                ExpressionAttributeNames={"#status": "status"},
                ExpressionAttributeValues={
                    ":begun": {"S": BEGUN},
                    ":claim": {"S": claim},
                    ":none": {"N": "0"},
                    ":one": {"N": "1"},
                    ":lease": {"N": _millis(attempt.lease)},
                    ":at": {"S": attempt.started_at.isoformat()},
                    ":run_attempt": {"N": str(attempt.run_attempt)},
                    ":fingerprint": {"S": attempt.fingerprint},
                    ":repeatable": {"BOOL": repeatable},
                    ":ends": ends_of(attempt.lease),
                    **values,
                },
                ReturnValues="UPDATED_NEW",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except ClientError as error:
            stored = in_the_way(error)
            if not is_own(stored, claim, "claim"):
                if over is not None and stored["status"]["S"] in _LET_GO:
                    return self.claim(place, attempt, repeatable=repeatable)
                return _taken(stored, attempt.started_at)
        else:
            stored = taken["Attributes"]
        return Claimed(claim, int(stored["attempt"]["N"]))

    def carried_out(self, run: str, step: str, run_attempt: int) -> bool:
        """Return whether a step, or an item of it, was claimed in an attempt of its run."""
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression="#run = :run AND begins_with(step, :step)",
            ProjectionExpression="step, run_attempt",
            ExpressionAttributeNames={"#run": "run"},
            ExpressionAttributeValues={":run": {"S": run}, ":step": {"S": step}},
            ConsistentRead=True,
        )
        return any(
            item["step"]["S"].partition("/")[0] == step
            and int(item.get("run_attempt", {"N": "1"})["N"]) == run_attempt
            for page in pages
            for item in page["Items"]
        )

    def read(self, place: Place) -> Finished | Failure | None:
        """Return what is stored of a step's last attempt; None while there is nothing."""
        found = self._client.get_item(TableName=self._table, Key=_key(place), ConsistentRead=True)
        item = found.get("Item")
        if item is None or item["status"]["S"] in _NOTHING_THERE:
            return None
        if item["status"]["S"] == SUCCEEDED:
            envelope: Envelope = json.loads(item["envelope"]["S"])
            return Finished(envelope)
        code = item.get("status_code")
        return Failure(
            item["error_type"]["S"],
            item["error_message"]["S"],
            None if code is None else int(code["N"]),
            json.loads(item["failed_outputs"]["S"]),
            tuple(json.loads(item["error_details"]["S"])) if "error_details" in item else (),
            item["status"]["S"] == IN_DOUBT,
        )

    def finish(self, place: Place, claim: str, envelope: Envelope) -> None:
        """Store the result of a claimed step; a claim that was taken over changes nothing."""
        self._close(
            place,
            claim,
            SUCCEEDED,
            {
                "envelope": {"S": json.dumps(envelope, ensure_ascii=False)},
                "completed_at": {"S": envelope["timestamp"]},
            },
        )

    def fail(self, place: Place, claim: str, failure: Failure, at: datetime) -> None:
        """Store how a claimed attempt failed and let go of the step, unless it is in doubt."""
        values: dict[str, AttributeValueTypeDef] = {
            "error_type": {"S": failure.type},
            "error_message": {"S": failure.message},
            "failed_outputs": {"S": json.dumps(dict(failure.outputs), ensure_ascii=False)},
            "completed_at": {"S": at.isoformat()},
        }
        if failure.status_code is not None:
            values["status_code"] = {"N": str(failure.status_code)}
        if failure.details:
            details = json.dumps(list(failure.details), ensure_ascii=False)
            values["error_details"] = {"S": details}
        self._close(place, claim, IN_DOUBT if failure.in_doubt else FAILED, values)

    def _close(
        self, place: Place, claim: str, status: str, values: dict[str, AttributeValueTypeDef]
    ) -> None:
        settings = ", ".join(f"{name} = :{name}" for name in values)
        try:
            self._client.update_item(
                TableName=self._table,
                Key=_key(place),
                UpdateExpression=f"SET #status = :status, {settings} REMOVE lease",
                ConditionExpression="claim = :claim AND #status = :begun",
                ExpressionAttributeNames={"#status": "status"},
                ExpressionAttributeValues={
                    ":status": {"S": status},
                    ":claim": {"S": claim},
                    ":begun": {"S": BEGUN},
                    **{f":{name}": value for name, value in values.items()},
                },
            )
        except ClientError as error:
            if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
                raise


def ends_of(changed: datetime) -> AttributeValueTypeDef:
    """Return when a result that is changed at a time is deleted, if nothing changes it again."""
    return {"N": str(int((changed + timedelta(days=RESULTS_KEPT)).timestamp()))}


def _key(place: Place) -> dict[str, AttributeValueTypeDef]:
    return {"run": {"S": place.run}, "step": {"S": place.path}}


def _condition(
    attempt: Attempt, over: Finished | None, *, repeatable: bool
) -> tuple[str, dict[str, AttributeValueTypeDef]]:
    """Return when a step may be claimed, with the values that this speaks of."""
    if over is not None:
        return _OVER, {":succeeded": {"S": SUCCEEDED}, ":over": {"S": over.claim}}
    values: dict[str, AttributeValueTypeDef] = {
        ":failed": {"S": FAILED},
        ":undone": {"S": UNDONE},
        ":again": {"S": AGAIN},
    }
    if not repeatable:
        return _FREE, values
    values |= {":now": {"N": _millis(attempt.started_at)}, ":in_doubt": {"S": IN_DOUBT}}
    return _FREE_OR_CUT_OFF, values


def _taken(item: dict[str, AttributeValueTypeDef], now: datetime) -> Claim:
    if item["status"]["S"] == SUCCEEDED:
        envelope: Envelope = json.loads(item["envelope"]["S"])
        if "recheck" not in item:
            return Finished(envelope)
        steps = tuple(json.loads(item["recheck"]["S"]))
        return Finished(envelope, steps, item["fingerprint"]["S"], item["claim"]["S"])
    if item["status"]["S"] == IN_DOUBT:
        return InDoubt(item["attempt_started_at"]["S"], item["error_message"]["S"])
    until = datetime.fromtimestamp(int(item["lease"]["N"]) / 1000, UTC)
    if until > now:
        return InProgress(until)
    return InDoubt(item["attempt_started_at"]["S"])


def _millis(moment: datetime) -> str:
    return str(int(moment.timestamp() * 1000))
