"""The queues and the bus of a stage: what its events go through."""

from __future__ import annotations

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from cdk.constructs.acknowledged import acknowledge

DELIVERIES = 5
"""How often a message is tried before it is a dead letter."""
KEPT = Duration.days(14)
"""As long as SQS keeps a message at most."""


class Queues(Construct):
    """`events` is what all triggers end in, `dead` what that gives up.

    `failures` holds what never got that far: records of streams and events of rules and schedules
    that could not be handed over, as their sources wrote them.
    """

    def __init__(self, scope: Construct, id: str, *, seconds: int) -> None:
        """`seconds` is the timeout of the function that takes messages out."""
        super().__init__(scope, id)
        self.dead = _queue(self, "Dead", seconds * 6)
        self.failures = _queue(self, "Failures", 30)
        self.events = _queue(self, "Events", seconds * 6, dead=self.dead)
        for one in (self.events, self.failures):
            _let_events_in(one)
        for one in (self.dead, self.failures):
            acknowledge(one, "AwsSolutions-SQS3", "it is where the others' dead letters go")


def _queue(scope: Construct, id: str, visibility: int, dead: sqs.IQueue | None = None) -> sqs.Queue:
    """A queue over TLS only, encrypted by SQS; messages are hidden six times as long as a try.

    https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
    """
    letters = None
    if dead is not None:
        letters = sqs.DeadLetterQueue(queue=dead, max_receive_count=DELIVERIES)
    return sqs.Queue(
        scope,
        id,
        encryption=sqs.QueueEncryption.SQS_MANAGED,
        enforce_ssl=True,
        visibility_timeout=Duration.seconds(visibility),
        retention_period=KEPT,
        dead_letter_queue=letters,
    )


def _let_events_in(queue: sqs.Queue) -> None:
    """Let the rules of this account write to a queue: one statement, however many there are."""
    queue.add_to_resource_policy(
        iam.PolicyStatement(
            actions=["sqs:SendMessage"],
            principals=[iam.ServicePrincipal("events.amazonaws.com")],
            resources=[queue.queue_arn],
            conditions={"StringEquals": {"aws:SourceAccount": queue.env.account}},
        )
    )


class Bus(events.EventBus):
    """The stage's own bus, on which steps and the API publish.

    A protected one outlives the stack: it cannot go before its rules, and some of these stay.
    """

    def __init__(self, scope: Construct, id: str, *, stage: str, protected: bool) -> None:
        super().__init__(scope, id, event_bus_name=f"stepsmith-{stage}")
        if protected:
            self.apply_removal_policy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
