"""Whether an account is ready for a deployment.

    python -m cli.bootstrap [STAGE]

Says what is missing and what to do about it, and exits 1 then.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cli.console import FINE, WRONG, Misuse
from cli.deployment import project_in
from cli.project.settings import Stage

if TYPE_CHECKING:
    from boto3 import Session

PARAMETER = "/cdk-bootstrap/hnb659fds/version"
"""Where the CDK's bootstrap stack says its version:
https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html"""
OLDEST = 6
"""The version from which on files are published as the CDK does it now."""


def what_is_missing(stage: Stage, session: Session) -> str | None:
    """Return what keeps a stage from being deployed with a session; None where nothing does."""
    from botocore.exceptions import BotoCoreError, ClientError

    region = stage.region or session.region_name
    if not region:
        return "neither the stage nor AWS_REGION says in which region it is"
    account = ""
    try:
        account = session.client("sts", region_name=region).get_caller_identity()["Account"]
        if stage.account not in (None, account):
            return f"the credentials are of the account {account}, the stage is of {stage.account}"
        found = session.client("ssm", region_name=region).get_parameter(Name=PARAMETER)
    except ClientError as error:
        if error.response["Error"]["Code"] == "ParameterNotFound":
            return f"the CDK has never been here; run: npx cdk bootstrap aws://{account}/{region}"
        return f"AWS refused to tell: {error}"
    except BotoCoreError as error:
        return f"AWS could not be asked: {error}"
    version = found["Parameter"].get("Value", "")
    if not version.isdecimal() or int(version) < OLDEST:
        return (
            f"the bootstrap stack is of version {version or 'unknown'}, and has to be of {OLDEST} "
            f"or later; run: npx cdk bootstrap aws://{account}/{region}"
        )
    return None


def main(arguments: Sequence[str]) -> int:
    """Look at the account of a stage of the project in this folder, and say what is missing."""
    import boto3

    try:
        project = project_in(Path.cwd(), arguments[0] if arguments and arguments[0] else None)
    except Misuse as misuse:
        sys.stderr.write(f"{misuse}\n")
        return misuse.code
    stage = (project.settings.stages or {})[project.stage]
    missing = what_is_missing(stage, boto3.Session())
    if missing is not None:
        sys.stderr.write(f"the stage '{project.stage}' cannot be deployed: {missing}\n")
        return WRONG
    return FINE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
