"""A deployed stage: where its API is, and how requests say whose they are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from cli.console import Misuse
from cli.reach.client import Asked
from cli.reach.http import OverHttp, Sign, nobody

if TYPE_CHECKING:
    from cli.project.project import Project
    from cli.project.settings import Stage

TOKEN = "STEPSMITH_TOKEN"  # noqa: S105 (the name of a variable)
"""The variable with the token of a login, where the stage takes logins."""
OUTPUTS = Path(".stepsmith", "outputs.json")
"""What `cdk deploy --outputs-file` has written, in the project's folder."""
URL = "ApiUrl"


def stack_of(stage: str) -> str:
    """Return the name of a stage's stack."""
    return f"stepsmith-{stage}"


def deployed(name: str, project: Project, environ: Mapping[str, str]) -> OverHttp:
    """Return the way to a stage by its name, or by the address of its API. Raises Misuse."""
    token = environ.get(TOKEN)
    if name.startswith(("https://", "http://")):
        return OverHttp(_safe(name).rstrip("/"), name, _bearing(token) if token else nobody)
    stages = project.settings.stages or {}
    if name not in stages:
        raise Misuse(_no_stage(name, [*stages]))
    stage = stages[name]
    url = _from_file(name, project.root) or _from_stack(name, stage)
    place = f"stage '{name}' at {url}"
    if token:
        return OverHttp(url, place, _bearing(token))
    if stage.auth == "iam":
        return OverHttp(url, place, _signed(stage.region))
    raise Misuse(
        f"the stage '{name}' takes logins: set {TOKEN} to the token of one\n"
        f"`{TOKEN}=... stepsmith COMMAND --on {name}`"
    )


def _no_stage(name: str, known: list[str]) -> str:
    from compiler.check.suggest import suggestion

    if not known:
        return "the project has no stages: write them in stepsmith.yaml, under `stages`"
    return f"there is no stage '{name}'\n{suggestion(name, known, 'the stages')}"


# --- where it is ---------------------------------------------------------------------------------


def _from_file(name: str, root: Path) -> str | None:
    try:
        found = json.loads((root / OUTPUTS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    outputs = found.get(stack_of(name)) if isinstance(found, dict) else None
    url = outputs.get(URL) if isinstance(outputs, dict) else None
    return _base(url) if isinstance(url, str) else None


def _from_stack(name: str, stage: Stage) -> str:
    """Return the address that CloudFormation has; raises Misuse."""
    import boto3
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        client: Any = boto3.client("cloudformation", region_name=stage.region)
        stacks = client.describe_stacks(StackName=stack_of(name))["Stacks"]
    except (BotoCoreError, ClientError) as error:
        why = " ".join(str(error).split())
        raise Misuse(
            f"where the stage '{name}' is cannot be found out: {why}\n"
            f"deploy it, or keep what `cdk deploy --outputs-file {OUTPUTS}` writes"
        ) from None
    outputs = {one["OutputKey"]: one["OutputValue"] for one in stacks[0].get("Outputs", ())}
    if URL not in outputs:
        raise Misuse(f"the stack '{stack_of(name)}' has no output '{URL}': is it one of ours?")
    return _base(str(outputs[URL]))


def _base(url: str) -> str:
    """Return what paths such as `/api/runs` follow on."""
    return url.rstrip("/").removesuffix("/api")


# --- whose requests they are ---------------------------------------------------------------------


def _safe(url: str) -> str:
    """Return an address to which a token may be sent; raises Misuse."""
    host = urlsplit(url).hostname
    if url.startswith("http://") and host not in ("127.0.0.1", "localhost", "::1"):
        raise Misuse(f"--on takes an https address, or one of this machine, not '{url}'")
    return url


def _bearing(token: str) -> Sign:
    return lambda _asked, _url: {"Authorization": f"Bearer {token}"}


def _signed(region: str | None) -> Sign:
    """Return how requests are signed with the AWS credentials of this environment.

    https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-access-control-iam.html
    """
    import boto3
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest

    session = boto3.Session()
    place = region or session.region_name
    if place is None:
        raise Misuse("the stage names no region: write `region` in stepsmith.yaml")

    def sign(asked: Asked, url: str) -> Mapping[str, str]:
        credentials = session.get_credentials()
        if credentials is None:
            raise Misuse("there are no AWS credentials here to sign requests with")
        request = AWSRequest(asked.method, url, dict(asked.headers), asked.body)
        SigV4Auth(credentials.get_frozen_credentials(), "execute-api", place).add_auth(request)
        return dict(request.headers.items())

    return sign
