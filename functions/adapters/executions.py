"""Executions that are looked at, and stopped, from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.adapters.machines import RUNNING

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient


class StepFunctionsExecutions:
    """`functions.ports.Executions` on Step Functions."""

    def __init__(self, client: SFNClient) -> None:
        self._client = client

    def is_over(self, execution: str) -> bool:
        """Return whether an execution has ended; one that is not there has."""
        try:
            found = self._client.describe_execution(executionArn=execution)
        except ClientError as refused:
            if refused.response["Error"]["Code"] != "ExecutionDoesNotExist":
                raise
            return True
        return found["status"] not in RUNNING

    def stop(self, execution: str, error: str, cause: str) -> None:
        """Stop an execution; one that is over stays as it is."""
        try:
            self._client.stop_execution(executionArn=execution, error=error, cause=cause)
        except ClientError as refused:
            if refused.response["Error"]["Code"] != "ExecutionDoesNotExist":
                raise
