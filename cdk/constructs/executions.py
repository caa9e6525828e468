"""What tells `records` of executions: rules for their statuses, and a look for what was lost."""

from __future__ import annotations

from typing import Any

from aws_cdk import Aws
from aws_cdk import aws_events as events
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from protocol.names import STARTED_BY, machine_name

_BAD = ("FAILED", "TIMED_OUT")
_CLOSE = ("-close", "-close-cut")
"""How the names of executions end that undo and handle; nobody looks into how they ended."""


def tell_of_executions(scope: Construct, stage: str, function: lambda_.IFunction) -> events.CfnRule:
    """Tell a function of a stage's executions, and call it every five minutes.

    Returns the rule for runs that failed: for no execution that a run started, since what becomes
    of its failure the run decides, but for undos. It tells nothing that the other rule does not
    tell: it is there to be counted.
    """

    def pattern(*statuses: str, **more: Any) -> dict[str, Any]:
        machines = (
            f"arn:{Aws.PARTITION}:states:{Aws.REGION}:{Aws.ACCOUNT_ID}:stateMachine:"
            f"{machine_name(stage, '')}"
        )
        return {
            "source": ["aws.states"],
            "detail-type": ["Step Functions Execution Status Change"],
            "detail": {"status": [*statuses], "stateMachineArn": [{"prefix": machines}], **more},
        }

    of_itself = [{"anything-but": {"wildcard": f'*"{STARTED_BY}"*'}}]
    runs = [{"input": of_itself}, {"name": [{"suffix": end} for end in _CLOSE]}]
    failed = _rule(scope, "Failed", function, pattern=pattern(*_BAD, **{"$or": runs}))
    every = pattern("RUNNING", "SUCCEEDED", "ABORTED", *_BAD)
    _rule(scope, "Others", function, pattern=every)
    _rule(scope, "Sweep", function, schedule="rate(5 minutes)", given='{"op":"sweep"}')
    return failed


def _rule(
    scope: Construct,
    id: str,
    function: lambda_.IFunction,
    *,
    pattern: dict[str, Any] | None = None,
    schedule: str | None = None,
    given: str | None = None,
) -> events.CfnRule:
    """Return a rule that calls a function."""
    made = events.CfnRule(
        scope,
        f"{id}Rule",
        event_pattern=pattern,
        schedule_expression=schedule,
        state="ENABLED",
        targets=[
            events.CfnRule.TargetProperty(id="function", arn=function.function_arn, input=given)
        ],
    )
    lambda_.CfnPermission(
        scope,
        f"{id}Calls",
        action="lambda:InvokeFunction",
        function_name=function.function_arn,
        principal="events.amazonaws.com",
        source_arn=made.attr_arn,
    )
    return made
