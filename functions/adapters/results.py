"""Results of steps in DynamoDB: one item per step of a run, each change one conditional write.

Key: `run` (partition) and `step` (sort), so that a run's results are one query.
"""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from botocore.exceptions import ClientError

from functions.ports import Attempt, Claim, Claimed, Failure, Finished, InDoubt, InProgress, Place
from protocol.payloads import Envelope

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

BEGUN, SUCCEEDED, FAILED, IN_DOUBT = "begun", "succeeded", "failed", "in_doubt"

_FREE = "attribute_not_exists(#status) OR #status = :failed"
_FREE_OR_CUT_OFF = f"{_FREE} OR #status = :in_doubt OR (#status = :begun AND lease < :now)"


class DynamoResults:
    """`functions.ports.Results` on a DynamoDB table."""

    def __init__(self, client: DynamoDBClient, table: str) -> None:
        self._client = client
        self._table = table

    def claim(self, place: Place, attempt: Attempt, *, repeatable: bool) -> Claim:
        """Take the step for an attempt, unless it is finished, held by another or in doubt."""
        claim = str(uuid.uuid4())
        try:
            taken = self._client.update_item(
                TableName=self._table,
                Key=_key(place),
                UpdateExpression=(
                    "SET #status = :begun, claim = :claim, lease = :lease, "
                    "attempt = if_not_exists(attempt, :none) + :one, "
                    "attempt_started_at = :at, started_at = if_not_exists(started_at, :at) "
                    "REMOVE error_type, error_message, error_details, status_code, "
                    "failed_outputs, completed_at"
                ),
                ConditionExpression=_FREE_OR_CUT_OFF if repeatable else _FREE,
                ExpressionAttributeNames={"#status": "status"},
                ExpressionAttributeValues={
                    ":begun": {"S": BEGUN},
                    ":failed": {"S": FAILED},
                    ":claim": {"S": claim},
                    ":none": {"N": "0"},
                    ":one": {"N": "1"},
                    ":lease": {"N": _millis(attempt.lease)},
                    ":at": {"S": attempt.started_at.isoformat()},
                    **(_again(attempt) if repeatable else {}),
                },
                ReturnValues="UPDATED_NEW",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except ClientError as error:
            if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
                raise
            response = cast("dict[str, dict[str, AttributeValueTypeDef]]", error.response)
            return _taken(response["Item"], attempt.started_at)
        return Claimed(claim, int(taken["Attributes"]["attempt"]["N"]))

    def read(self, place: Place) -> Finished | Failure | None:
        """Return what is stored of a step's last attempt; None while there is nothing."""
        found = self._client.get_item(TableName=self._table, Key=_key(place), ConsistentRead=True)
        item = found.get("Item")
        if item is None or item["status"]["S"] == BEGUN:
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


def _key(place: Place) -> dict[str, AttributeValueTypeDef]:
    return {"run": {"S": place.run}, "step": {"S": place.path}}


def _again(attempt: Attempt) -> dict[str, AttributeValueTypeDef]:
    return {":now": {"N": _millis(attempt.started_at)}, ":in_doubt": {"S": IN_DOUBT}}


def _taken(item: dict[str, AttributeValueTypeDef], now: datetime) -> Claim:
    if item["status"]["S"] == SUCCEEDED:
        envelope: Envelope = json.loads(item["envelope"]["S"])
        return Finished(envelope)
    if item["status"]["S"] == IN_DOUBT:
        return InDoubt(item["attempt_started_at"]["S"], item["error_message"]["S"])
    until = datetime.fromtimestamp(int(item["lease"]["N"]) / 1000, UTC)
    if until > now:
        return InProgress(until)
    return InDoubt(item["attempt_started_at"]["S"])


def _millis(moment: datetime) -> str:
    return str(int(moment.timestamp() * 1000))
