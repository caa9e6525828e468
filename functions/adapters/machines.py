"""The stage's state machines, on Step Functions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.ports import Execution
from protocol.names import machine_name

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

RUNNING = frozenset({"RUNNING", "PENDING_REDRIVE"})
"""Statuses of executions that are not over."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where a stage's machines are: what their ARNs begin with (`arn:...:stateMachine:`).

    Runs are started through the `alias`, where there is one, so that they keep their version.
    """

    stage: str
    prefix: str
    alias: str = ""

    def machine(self, reference: str) -> str:
        """Return the ARN by which runs of a reference are started."""
        plain = self.prefix + machine_name(self.stage, reference)
        return f"{plain}:{self.alias}" if self.alias else plain

    def execution(self, reference: str, name: str) -> str:
        """Return the ARN of an execution, which does not tell how it was started."""
        prefix = self.prefix.replace(":stateMachine:", ":execution:")
        return f"{prefix}{machine_name(self.stage, reference)}:{name}"


class StepFunctionsMachines:
    """`functions.ports.Machines` on Step Functions."""

    def __init__(self, client: SFNClient, addresses: Addresses) -> None:
        self._client = client
        self._addresses = addresses

    def start(self, reference: str, name: str, text: str) -> bool:
        """Start an execution; False where its name is taken by one that is not just this one.

        https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html
        """
        try:
            self._client.start_execution(
                stateMachineArn=self._addresses.machine(reference), name=name, input=text
            )
        except ClientError as error:
            if error.response["Error"]["Code"] != "ExecutionAlreadyExists":
                raise
            return False
        return True

    def describe(self, reference: str, name: str) -> Execution | None:
        """Return an execution; None where there is none of that name."""
        arn = self._addresses.execution(reference, name)
        try:
            found = self._client.describe_execution(executionArn=arn)
        except ClientError as error:
            if error.response["Error"]["Code"] != "ExecutionDoesNotExist":
                raise
            return None
        status = found["status"]
        return Execution(
            status="RUNNING" if status in RUNNING else status,
            started_at=found["startDate"],
            stopped_at=found.get("stopDate"),
            output=json.loads(found["output"]) if found.get("output") else None,
            error=found.get("error"),
            cause=found.get("cause"),
        )
