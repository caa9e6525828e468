"""A function: the one place for runtime, logs, tracing, role and packaging."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aws_cdk import Aws, Duration, RemovalPolicy, Size
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from cdk.constructs.acknowledged import acknowledge
from cdk.constructs.roles import TRACING, role
from cdk.model import Architecture, Statement
from protocol.names import log_group

_DAYS = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557)
"""How long CloudWatch can keep logs, in days:
https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html"""
_LONGEST = 3653
_ARCHITECTURES = {
    "arm64": lambda_.Architecture.ARM_64,
    "x86_64": lambda_.Architecture.X86_64,
}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all functions of a stage have in common."""

    stage: str
    architecture: Architecture
    days: int
    protected: bool
    variables: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What makes a function this one; `seconds` is its timeout, `scratch` megabytes in /tmp."""

    name: str
    handler: str
    code: Path
    statements: tuple[Statement, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    seconds: int = 30
    memory: int = 256
    scratch: int = 512


class Function(Construct):
    """A function of the stage; with `pinned` each version of it stays, and is called by number.

    In a protected stage the function stays as well where nothing needs it any more: runs that are
    under way still do.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        recipe: Recipe,
        around: Surroundings,
        *,
        pinned: bool = False,
    ) -> None:
        super().__init__(scope, id)
        name = log_group(around.stage, recipe.name)
        self.log = LogGroup(self, "Logs", name, around.days)
        arn = f"arn:{Aws.PARTITION}:logs:{Aws.REGION}:{Aws.ACCOUNT_ID}:log-group:{name}:*"
        stays = pinned and around.protected
        log = Statement(("logs:CreateLogStream", "logs:PutLogEvents"), (arn,))
        self.function = lambda_.Function(
            self,
            "Function",
            description=f"Stepsmith, stage {around.stage}: {recipe.name}",
            runtime=lambda_.Runtime.PYTHON_3_13,
            architecture=_ARCHITECTURES[around.architecture],
            handler=recipe.handler,
            code=lambda_.Code.from_asset(str(recipe.code)),
            role=role(
                self,
                "Role",
                "lambda.amazonaws.com",
                [log, TRACING, *recipe.statements],
                kept=stays,
            ),
            timeout=Duration.seconds(recipe.seconds),
            memory_size=recipe.memory,
            ephemeral_storage_size=Size.mebibytes(recipe.scratch),
            environment={**around.variables, **recipe.variables},
            log_group=self.log,
            tracing=lambda_.Tracing.ACTIVE,
            current_version_options=lambda_.VersionOptions(removal_policy=RemovalPolicy.RETAIN),
        )
        if stays:
            self.function.apply_removal_policy(RemovalPolicy.RETAIN)
        acknowledge(
            self.function, "AwsSolutions-L1", "the newest runtime that the libraries are locked for"
        )

    @property
    def arn(self) -> str:
        """The ARN under which always its newest code is called."""
        return self.function.function_arn

    @property
    def every_version(self) -> str:
        """What a role has to be allowed on to call any version of it."""
        return f"{self.function.function_arn}:*"

    @property
    def version(self) -> str:
        """The ARN of the version that is deployed now; it goes on meaning this one."""
        return self.function.current_version.function_arn


class LogGroup(logs.LogGroup):
    """Logs kept for `days`, or the next longer time that CloudWatch knows; gone with the stack."""

    def __init__(self, scope: Construct, id: str, name: str, days: int) -> None:
        super().__init__(
            scope,
            id,
            log_group_name=name,
            retention=logs.RetentionDays.ONE_DAY,
            removal_policy=RemovalPolicy.DESTROY,
        )
        made = self.node.default_child
        assert isinstance(made, logs.CfnLogGroup)
        made.retention_in_days = next((one for one in _DAYS if one >= days), _LONGEST)
