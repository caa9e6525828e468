"""CodeBuild, for steps that need more than a function has: one build carries out one step."""

from __future__ import annotations

from pathlib import Path

from aws_cdk import Aws
from aws_cdk import aws_codebuild as codebuild
from aws_cdk import aws_s3_assets as assets
from constructs import Construct

from cdk.constructs.acknowledged import acknowledge
from cdk.constructs.functions import LogGroup, Surroundings
from cdk.constructs.roles import role
from cdk.model import Statement
from protocol.names import log_group

_IMAGES = {
    "arm64": ("ARM_CONTAINER", "aws/codebuild/amazonlinux-aarch64-standard:3.0"),
    "x86_64": ("LINUX_CONTAINER", "aws/codebuild/amazonlinux-x86_64-standard:5.0"),
}
"""https://docs.aws.amazon.com/codebuild/latest/userguide/build-env-ref-available.html"""
_MINUTES = 480
_SPECIFICATION = """\
version: 0.2
phases:
  build:
    commands:
      - bash "$CODEBUILD_SRC_DIR/build.sh"
"""
"""An image of the author's own need not have what the standard ones have: the script looks."""


class Builds(Construct):
    """The project that builds are of. Nothing is paid while no build runs."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        bundle: Path,
        around: Surroundings,
        statements: tuple[Statement, ...],
    ) -> None:
        super().__init__(scope, id)
        name = log_group(around.stage, "builds")
        group = LogGroup(self, "Logs", name, around.days)
        source = assets.Asset(self, "Wrapper", path=str(bundle))
        bucket = f"arn:{Aws.PARTITION}:s3:::{source.s3_bucket_name}"
        logs = f"arn:{Aws.PARTITION}:logs:{Aws.REGION}:{Aws.ACCOUNT_ID}:log-group:{name}"
        allowed = role(
            self,
            "Role",
            "codebuild.amazonaws.com",
            [
                Statement(("logs:CreateLogStream", "logs:PutLogEvents"), (f"{logs}:*",)),
                Statement(
                    ("s3:GetObject", "s3:GetObjectVersion"), (f"{bucket}/{source.s3_object_key}",)
                ),
                *statements,
            ],
        )
        kind, image = _IMAGES[around.architecture]
        self.project = codebuild.CfnProject(
            self,
            "Project",
            description=f"Stepsmith, stage {around.stage}: steps",
            service_role=allowed.role_arn,
            artifacts=codebuild.CfnProject.ArtifactsProperty(type="NO_ARTIFACTS"),
            source=codebuild.CfnProject.SourceProperty(
                type="S3",
                location=f"{source.s3_bucket_name}/{source.s3_object_key}",
                build_spec=_SPECIFICATION,
            ),
            environment=codebuild.CfnProject.EnvironmentProperty(
                type=kind,
                image=image,
                compute_type="BUILD_GENERAL1_SMALL",
                privileged_mode=True,
                environment_variables=[
                    codebuild.CfnProject.EnvironmentVariableProperty(name=key, value=value)
                    for key, value in around.variables.items()
                ],
            ),
            logs_config=codebuild.CfnProject.LogsConfigProperty(
                cloud_watch_logs=codebuild.CfnProject.CloudWatchLogsConfigProperty(
                    status="ENABLED", group_name=group.log_group_name
                )
            ),
            timeout_in_minutes=_MINUTES,
            encryption_key=f"arn:{Aws.PARTITION}:kms:{Aws.REGION}:{Aws.ACCOUNT_ID}:alias/aws/s3",
        )
        acknowledge(self.project, "AwsSolutions-CB3", "scripts build images of their own")
        acknowledge(self.project, "AwsSolutions-CB4", "a key of one's own costs by the month")

    @property
    def resources(self) -> tuple[str, ...]:
        """What a role has to be allowed on to start a build."""
        return (self.project.attr_arn,)
