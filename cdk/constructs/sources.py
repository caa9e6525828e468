"""What Lambda reads for functions: queues and streams, with reports of what failed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

from aws_cdk import Aws
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from cdk.constructs.triggers import sources
from cdk.model import Statement, Workflow

BATCH = 10
_REPORTS = ["ReportBatchItemFailures"]
_TRIES = 100
"""Of a record of a stream, each of them later than the one before; then it is a failure."""


class Sources(Construct):
    """Queues and streams that `intake` reads."""

    def __init__(
        self, scope: Construct, id: str, intake: lambda_.IFunction, failures: sqs.IQueue
    ) -> None:
        super().__init__(scope, id)
        self._intake = intake
        self._failures = failures

    def queue(self, id: str, arn: str) -> None:
        """Read a queue; what could not be taken in comes again by itself."""
        lambda_.CfnEventSourceMapping(
            self,
            id,
            function_name=self._intake.function_arn,
            event_source_arn=arn,
            batch_size=BATCH,
            function_response_types=_REPORTS,
        )

    def of_others(self, workflows: Sequence[Workflow], streams: Mapping[str, str]) -> None:
        """Read the queues and streams that triggers listen to, each once."""
        for source, changes in sources(workflows, streams).items():
            digest = hashlib.sha256(source.encode()).hexdigest()[:8]
            if not changes:
                self.queue(f"Queue{digest}", queue_arn(source))
                continue
            pattern = {"eventName": [*changes]} if len(changes) < len(_CHANGES) else None
            stream(self, f"Stream{digest}", source, self._intake, self._failures, pattern)


_CHANGES = ("INSERT", "MODIFY", "REMOVE")


class Streams(Construct):
    """Streams of the stage's own tables."""

    def __init__(self, scope: Construct, id: str, failures: sqs.IQueue) -> None:
        super().__init__(scope, id)
        self._failures = failures

    def read(
        self,
        id: str,
        arn: str,
        function: lambda_.IFunction,
        pattern: Mapping[str, object] | None = None,
    ) -> None:
        """Let a function read a table's stream, or what of it a pattern lets through."""
        stream(self, id, arn, function, self._failures, pattern)


def stream(
    scope: Construct,
    id: str,
    arn: str,
    function: lambda_.IFunction,
    failures: sqs.IQueue,
    pattern: Mapping[str, object] | None = None,
) -> None:
    """Read a stream: a record that fails is tried again by itself, and given up some day.

    https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-filtering.html
    """
    mapping = lambda_.CfnEventSourceMapping
    mapping(
        scope,
        id,
        function_name=function.function_arn,
        event_source_arn=arn,
        batch_size=BATCH,
        starting_position="LATEST",
        bisect_batch_on_function_error=True,
        maximum_retry_attempts=_TRIES,
        function_response_types=_REPORTS,
        destination_config=mapping.DestinationConfigProperty(
            on_failure=mapping.OnFailureProperty(destination=failures.queue_arn)
        ),
        filter_criteria=None
        if pattern is None
        else mapping.FilterCriteriaProperty(
            filters=[
                mapping.FilterProperty(pattern=json.dumps(pattern)),
            ]
        ),
    )


def queue_arn(name: str) -> str:
    """Return the ARN of a queue of this account and region, or the ARN that is given."""
    if name.startswith("arn:"):
        return name
    return f"arn:{Aws.PARTITION}:sqs:{Aws.REGION}:{Aws.ACCOUNT_ID}:{name}"


def reading_queues(arns: Sequence[str]) -> Statement:
    """Return the right to take messages out of queues."""
    return Statement(
        ("sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"), tuple(arns)
    )


def reading_streams(arns: Sequence[str], failures: str) -> tuple[Statement, ...]:
    """Return the rights to read streams of tables, and to hand on what cannot be read.

    Lambda asks for all four where a function is to read a stream, and which streams there are
    knows no resources: https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-create-package.html
    """
    reads = ("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator")
    return (
        Statement(reads, tuple(arns)),
        Statement(("dynamodb:ListStreams",), ("*",)),
        Statement(("sqs:SendMessage",), (failures,)),
    )
