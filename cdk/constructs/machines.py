"""A workflow's state machines: published versions behind an alias, everything in them pinned."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from aws_cdk import Aws, CfnDeletionPolicy
from aws_cdk import aws_s3_assets as assets
from aws_cdk import aws_stepfunctions as stepfunctions
from constructs import Construct

from cdk.constructs.acknowledged import acknowledge
from cdk.constructs.roles import SAMPLING, TRACING, role
from cdk.model import Application, Machine, Statement
from protocol.names import machine_name

ALIAS = "live"
"""What runs are started through; a deployment, or a rollback, moves it."""

_SERVICE = re.compile(r'("Resource": ?"arn:)aws(:states:::)')
"""What a definition calls a service by: the ARN is of the partition that the machine is in."""
_PARTITION = "Partition"

_PLACEHOLDER = re.compile(
    r"\$\{((?:action|machine):[^{}\x22]+|latches|tasks|records|bus|codebuild)\}"  # \x22: a quote
)


@dataclass(frozen=True, slots=True)
class Fill:
    """What stands for a placeholder: in definitions, and in what roles are allowed."""

    value: str
    resources: tuple[str, ...]
    executions: tuple[str, ...] = ()


class StateMachine(Construct):
    """One state machine.

    A change makes a new version, and the alias means that one from then on. Old versions, and
    the machine itself where nothing needs it any more, stay for the runs that are still on them.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        machine: Machine,
        fills: Mapping[str, Fill],
        application: Application,
    ) -> None:
        super().__init__(scope, id)
        self.name = machine_name(application.stage.name, machine.name)
        used = {name: fills[name] for name in sorted(placeholders(machine.definition))}
        text = _substituted(machine.definition)
        definition = assets.Asset(self, "Definition", path=str(_written(text, application.scratch)))
        values = {_key(name): fill.value for name, fill in used.items()}
        if f"${{{_PARTITION}}}" in text:
            values[_PARTITION] = Aws.PARTITION
        started = [fill for name, fill in used.items() if fill.executions]
        statements = [_filled(one, used, started) for one in machine.statements]
        own_role = role(
            self,
            "Role",
            "states.amazonaws.com",
            [*statements, SAMPLING, TRACING],
            kept=application.stage.protected,
        )
        made = stepfunctions.CfnStateMachine(
            self,
            "Machine",
            state_machine_name=self.name,
            state_machine_type="STANDARD",
            role_arn=own_role.role_arn,
            definition_s3_location=stepfunctions.CfnStateMachine.S3LocationProperty(
                bucket=definition.s3_bucket_name, key=definition.s3_object_key
            ),
            definition_substitutions=values or None,
            tracing_configuration=stepfunctions.CfnStateMachine.TracingConfigurationProperty(
                enabled=True
            ),
        )
        version = stepfunctions.CfnStateMachineVersion(
            self,
            "Version",
            state_machine_arn=made.ref,
            state_machine_revision_id=made.attr_state_machine_revision_id,
        )
        version.cfn_options.deletion_policy = CfnDeletionPolicy.RETAIN
        version.cfn_options.update_replace_policy = CfnDeletionPolicy.RETAIN
        alias = stepfunctions.CfnStateMachineAlias(
            self,
            "Alias",
            name=ALIAS,
            routing_configuration=[
                stepfunctions.CfnStateMachineAlias.RoutingConfigurationVersionProperty(
                    state_machine_version_arn=version.ref, weight=100
                )
            ],
        )
        if application.stage.protected:
            for one in (made, alias):
                one.cfn_options.deletion_policy = CfnDeletionPolicy.RETAIN_EXCEPT_ON_CREATE
                one.cfn_options.update_replace_policy = CfnDeletionPolicy.RETAIN
        self.version = version.ref
        """The ARN of the version that is deployed now."""
        acknowledge(
            made,
            "AwsSolutions-SF1",
            "the history of an execution tells more than its log, and is kept in the run's record; "
            "a log would let every machine's role change the account's log policies",
        )


def placeholders(definition: str) -> set[str]:
    """Return the names of the placeholders in a definition, such as `action:run`."""
    return set(_PLACEHOLDER.findall(definition))


def machine_fill(stage: str, name: str, version: str) -> Fill:
    """Return what stands for a machine of the stage: its version, and whoever starts it may any.

    By its name, not by a reference: two machines that may start one another would need one to be
    there before the other.
    """
    arn = f"arn:{Aws.PARTITION}:states:{Aws.REGION}:{Aws.ACCOUNT_ID}"
    own = machine_name(stage, name)
    return Fill(
        version,
        (f"{arn}:stateMachine:{own}", f"{arn}:stateMachine:{own}:*"),
        (f"{arn}:execution:{own}:*",),
    )


def _substituted(definition: str) -> str:
    """Return a definition with placeholders that CloudFormation substitutes."""
    text = _PLACEHOLDER.sub(lambda found: f"${{{_key(found[1])}}}", definition)
    return _SERVICE.sub(rf"\1${{{_PARTITION}}}\2", text)


def _written(text: str, scratch: Path) -> Path:
    """Write a definition into a folder and return its path."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    path = scratch / "machines" / f"{digest}.asl.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _key(placeholder: str) -> str:
    """Return a placeholder's name in letters and digits, which all of CloudFormation can spell."""
    words = re.split(r"[^A-Za-z0-9]+", placeholder)
    digest = hashlib.sha256(placeholder.encode()).hexdigest()[:6]
    return "".join(f"{word[:1].upper()}{word[1:]}" for word in words) + digest


def _filled(statement: Statement, fills: Mapping[str, Fill], started: list[Fill]) -> Statement:
    """Return a statement with ARNs of the stage in it."""
    if "states:DescribeExecution" in statement.actions:
        return Statement(statement.actions, tuple(arn for one in started for arn in one.executions))
    found: list[str] = []
    for resource in statement.resources:
        matched = _PLACEHOLDER.fullmatch(resource)
        found += fills[matched[1]].resources if matched else [_here(resource)]
    return Statement(statement.actions, tuple(dict.fromkeys(found)))


def _here(resource: str) -> str:
    """Return an ARN in this partition and, where it names none, of this region and account."""
    parts = resource.split(":", 5)
    if parts[:2] != ["arn", "aws"]:
        return resource
    parts[1] = Aws.PARTITION
    parts[3] = Aws.REGION if parts[3] == "*" else parts[3]
    parts[4] = Aws.ACCOUNT_ID if parts[4] == "*" else parts[4]
    return ":".join(parts)
