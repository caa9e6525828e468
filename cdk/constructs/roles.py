"""Roles with what they are allowed written in them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from aws_cdk import Names, Reference, RemovalPolicy, Stack, Tokenization
from aws_cdk import aws_iam as iam
from constructs import Construct

from cdk.constructs.acknowledged import acknowledge_wildcards
from cdk.model import Statement

TRACING = Statement(("xray:PutTelemetryRecords", "xray:PutTraceSegments"), ("*",))
"""X-Ray knows no resources: https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsx-ray.html"""
SAMPLING = Statement(("xray:GetSamplingRules", "xray:GetSamplingTargets"), ("*",))
"""Lambda asks for these itself, Step Functions by the machine's role:
https://docs.aws.amazon.com/step-functions/latest/dg/concepts-xray-tracing.html"""

_WHY = {
    "dynamodb:ListStreams": "the list of streams knows no resources",
    "lambda:InvokeFunction": "all versions: a run calls those that it started with",
    "states:StartExecution": "all versions: a run starts the children that it started with",
    "states:DescribeExecution": "the executions of machines whose names are the stage's",
    "states:SendTaskSuccess": "a task token is no resource of IAM",
    "ses:SendEmail": "whoever it is from is given; in the sandbox the recipient's counts as well",
    "xray:GetSamplingRules": "X-Ray knows no resources",
    "xray:PutTraceSegments": "X-Ray knows no resources",
}


def role(
    scope: Construct, id: str, service: str, statements: Iterable[Statement], *, kept: bool = False
) -> iam.IRole:
    """Return a role of a service, allowed what is written in it and nothing else.

    One that is `kept` is made anew where its statements change, and the old one stays: versions
    of functions and machines that runs are still on have it.
    """
    merged = _merged(statements)
    document = iam.PolicyDocument(
        statements=[
            iam.PolicyStatement(
                actions=[*one.actions],
                resources=[*one.resources],
                conditions={"StringEquals": dict(one.given)} if one.given else None,
            )
            for one in merged
        ]
    )
    digest = ""
    if kept:
        text = json.dumps(Stack.of(scope).resolve(document.to_json()), sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    made = iam.Role(
        scope,
        f"{id}{digest}",
        assumed_by=iam.ServicePrincipal(service),
        inline_policies={"own": document} if merged else None,
    )
    if kept:
        made.apply_removal_policy(RemovalPolicy.RETAIN)
    _explain(made, merged)
    # By its ARN, so that no construct adds to it, or asks to wait for what it refers to anyway.
    return iam.Role.from_role_arn(scope, f"{id}Arn", made.role_arn, mutable=False)


def _merged(statements: Iterable[Statement]) -> list[Statement]:
    found: dict[tuple[tuple[str, ...], tuple[tuple[str, str], ...]], dict[str, None]] = {}
    for one in statements:
        found.setdefault((one.actions, one.given), {}).update(dict.fromkeys(one.resources))
    return [
        Statement(actions, tuple(resources), given)
        for (actions, given), resources in sorted(found.items())
    ]


def _explain(made: iam.Role, statements: Iterable[Statement]) -> None:
    for one in statements:
        open_ended = [text for text in one.resources if text.endswith("*") or "*" in text]
        reason = next((_WHY[a] for a in one.actions if a in _WHY), "names known when it runs only")
        acknowledge_wildcards(made, (_spelled(made, text) for text in open_ended), reason)


def _spelled(scope: Construct, resource: str) -> str:
    """Return a resource as cdk-nag spells it: references by their names in angle brackets."""
    text = _flat(Stack.of(scope).resolve(resource))
    for token in Tokenization.reverse_string(resource).tokens:
        if isinstance(token, Reference) and Stack.of(token.target) is not Stack.of(scope):
            # A nested stack is handed it as a parameter.
            here = _flat(Stack.of(scope).resolve(token))
            name = f"referenceto{Names.unique_id(token.target)}{token.display_name}"
            text = text.replace(here, f"<{name}>")
    return text


def _flat(value: Any) -> str:
    if isinstance(value, str):
        return value
    if "Ref" in value:
        return f"<{value['Ref']}>"
    if "Fn::GetAtt" in value:
        return f"<{'.'.join(value['Fn::GetAtt'])}>"
    if "Fn::Join" in value:
        between, parts = value["Fn::Join"]
        return str(between).join(_flat(part) for part in parts)
    return json.dumps(value)
