"""Whether a stage can be deployed, and is: asked of AWS with the credentials that are here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cli.bootstrap import what_is_missing
from cli.doctor.machine import Check
from cli.doctor.project import secrets_read
from cli.project.project import Project
from cli.project.settings import Stage
from cli.reach.deployed import stack_of

if TYPE_CHECKING:
    from boto3 import Session

_NEVER_MADE = ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED")
"""How a stack is left whose first deployment failed: the CDK deletes it, if that is not refused."""
_PROJECT = re.compile(r"Stepsmith: the workflows of (.*), stage [a-z0-9-]+$")
"""What the stack says of itself: `cdk.stack.StageStack`."""
_UNPROTECTED = "update-termination-protection --no-enable-termination-protection"


def stage_checks(project: Project, session: Session) -> Iterator[Check]:
    """Yield what there is of a project's stage in its account."""
    from botocore.exceptions import BotoCoreError, ClientError

    stage = (project.settings.stages or {}).get(project.stage) or Stage.model_validate({})
    region = stage.region or session.region_name
    try:
        if session.get_credentials() is None:
            told = "there are none here"
            yield Check("credentials", "missing", told, "aws configure, or set AWS_PROFILE")
            return
        client: Any = session.client("sts", region_name=region or "us-east-1")
        yield Check("credentials", "ok", client.get_caller_identity()["Arn"])
    except (BotoCoreError, ClientError) as error:
        told = " ".join(str(error).split())
        yield Check("credentials", "missing", told, "log in again: aws sso login, or aws configure")
        return
    missing = what_is_missing(stage, session)
    if missing is not None:
        told, _, todo = missing.partition("; run: ")
        yield Check("account", "missing", told, todo or "see `stages` in stepsmith.yaml")
        return
    yield Check("account", "ok", f"the CDK is set up in {region}")
    try:
        yield _deployed(project, session.client("cloudformation", region_name=region))
        found = secrets_read(project)
        there = _names(session.client("secretsmanager", region_name=region), project.stage)
    except (BotoCoreError, ClientError) as error:
        told = " ".join(str(error).split())
        yield Check("stage", "missing", told, "ask for the permission to read it")
        return
    for name, users in found.secrets.items():
        if name in there:
            yield Check(f"secret {name}", "ok", f"it is in the stage '{project.stage}'")
        else:
            todo = (
                f"aws secretsmanager create-secret --name stepsmith/{project.stage}/{name} "
                "--secret-string VALUE"
            )
            yield Check(f"secret {name}", "missing", "the stage has none", todo, ", ".join(users))


def _deployed(project: Project, client: Any) -> Check:
    from botocore.exceptions import ClientError

    name = project.stage
    try:
        stack = client.describe_stacks(StackName=stack_of(name))["Stacks"][0]
    except ClientError as error:
        if "does not exist" not in str(error):
            raise
        todo = f"make deploy STAGE={name}, or cdk deploy -c stage={name}"
        return Check("stack", "idle", "it was never deployed", todo, f"commands with --on {name}")
    other = _PROJECT.match(stack.get("Description", ""))
    if other is not None and other[1] != project.root.name:
        told = f"{stack_of(name)}: deployed from '{other[1]}', and this is '{project.root.name}'"
        todo = "call the stage something else, unless these folders hold the same project"
        return Check("stack", "missing", told, todo)
    status = str(stack["StackStatus"])
    if status.endswith("_COMPLETE") and "ROLLBACK" not in status:
        return Check("stack", "ok", f"{stack_of(name)}: {status}")
    todo = "see its events in CloudFormation, and deploy it again"
    if status in _NEVER_MADE:
        todo = (
            f"see its events in CloudFormation; then aws cloudformation {_UNPROTECTED} "
            f"--stack-name {stack_of(name)}, and deploy it again"
        )
    return Check("stack", "missing", f"{stack_of(name)}: {status}", todo)


def _names(client: Any, stage: str) -> set[str]:
    prefix = f"stepsmith/{stage}/"
    pages = client.get_paginator("list_secrets").paginate(
        Filters=[{"Key": "name", "Values": [prefix]}]
    )
    return {
        one["Name"].removeprefix(prefix)
        for page in pages
        for one in page["SecretList"]
        if one["Name"].startswith(prefix)
    }
