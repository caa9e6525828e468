"""Executions and their histories, on Step Functions.

DescribeExecution and GetExecutionHistory are throttled per account; the client that is given
tries again, more patiently than others do.
https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html#service-limits-api-action-throttling-general
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.domain.records.executions import RUNNING, Execution, machine_of
from functions.domain.records.said import parsed

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

    from functions.domain.records.timeline import Event

MOST_EVENTS = 1000
"""In one answer:
https://docs.aws.amazon.com/step-functions/latest/apireference/API_GetExecutionHistory.html"""
_ABSENT = frozenset({"ExecutionDoesNotExist", "InvalidArn"})


class StepFunctionsHistories:
    """`functions.record_ports.Histories` on Step Functions."""

    def __init__(self, client: SFNClient) -> None:
        self._client = client

    def describe(self, arn: str) -> Execution | None:
        """Return an execution with its input and output; None where there is none."""
        try:
            found = self._client.describe_execution(executionArn=arn)
        except ClientError as error:
            if error.response["Error"]["Code"] not in _ABSENT:
                raise
            return None
        given = parsed(found.get("input"))
        stopped = found.get("stopDate")
        status = found["status"]
        return Execution(
            arn=found["executionArn"],
            machine=machine_of(found["executionArn"]),
            name=found["name"],
            status=RUNNING if status == "PENDING_REDRIVE" else status,
            started_at=_whole(found["startDate"]),
            completed_at=None if stopped is None else _whole(stopped),
            input=given if isinstance(given, dict) else {},
            output=parsed(found.get("output")),
            error=found.get("error"),
            cause=found.get("cause"),
        )

    def events(self, arn: str) -> Iterator[Event]:
        """Return an execution's history, from its beginning."""
        pages = self._client.get_paginator("get_execution_history").paginate(
            executionArn=arn,
            includeExecutionData=True,
            PaginationConfig={"PageSize": MOST_EVENTS},
        )
        for page in pages:
            yield from page["events"]


def _whole(moment: datetime) -> datetime:
    """Return a moment in whole milliseconds, as events of a changed status tell it."""
    utc = moment.astimezone(UTC)
    return utc.replace(microsecond=utc.microsecond // 1000 * 1000)
