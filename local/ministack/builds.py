"""Builds of CodeBuild on ministack: a build's archive is carried out on this machine.

It is what a step's script comes in (`cdk.packaging.builds`); the image that a build names is not
looked at. https://docs.aws.amazon.com/step-functions/latest/dg/connect-codebuild.html
Runs inside ministack.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
import zipfile
from collections.abc import Mapping
from typing import Any

from ministack.core.responses import get_account_id, get_region
from ministack.services import cloudwatch_logs, codebuild, s3

from local.ministack.scopes import Failure
from protocol.environment import STAGE
from protocol.names import log_group
from protocol.payloads import Json

RESOURCE = "arn:aws:states:::codebuild:startBuild.sync"


def build(arguments: Mapping[str, Any]) -> Json:
    """Carry a build out and return it; raises Failure, as a Task that waits for it does."""
    project = codebuild._projects.get(arguments["ProjectName"])
    if project is None:
        raise Failure("CodeBuild.ResourceNotFoundException", arguments["ProjectName"])
    environment = project["environment"].get("environmentVariables", [])
    given = {one["name"]: one["value"] for one in environment}
    given |= {one["Name"]: one["Value"] for one in arguments["EnvironmentVariablesOverride"]}
    name = f"{project['name']}:{uuid.uuid4()}"
    with tempfile.TemporaryDirectory(prefix="ministack-build-") as folder:
        _unpack(project["source"]["location"], folder)
        done = subprocess.run(
            [sys.executable, folder],  # as the archive's build.sh does
            cwd=folder,
            env={**os.environ, **_of_account(), **given},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    _log(log_group(given.get(STAGE, ""), "builds"), name, done.stdout)
    status = "SUCCEEDED" if done.returncode == 0 else "FAILED"
    told: dict[str, Json] = {"Id": name, "BuildStatus": status, "ProjectName": project["name"]}
    if done.returncode != 0:
        raise Failure("States.TaskFailed", json.dumps(told))
    return {"Build": told}


def _unpack(location: str, folder: str) -> None:
    bucket, _, key = location.partition("/")
    content = s3._get_object_data(bucket, key)
    if content is None:
        raise Failure("States.TaskFailed", f"there is no source at {location}")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)


def _of_account() -> dict[str, str]:
    """Return what a build finds of its account."""
    return {
        "AWS_REGION": get_region(),
        "AWS_DEFAULT_REGION": get_region(),
        "AWS_ACCESS_KEY_ID": get_account_id(),
        "AWS_SECRET_ACCESS_KEY": "test",
    }


def _log(group: str, stream: str, text: str) -> None:
    at = {"logGroupName": group, "logStreamName": stream.replace(":", "/")}
    now = int(time.time() * 1000)
    events = [{"timestamp": now, "message": line} for line in text.splitlines()]
    cloudwatch_logs._create_log_stream(at)
    cloudwatch_logs._put_log_events({**at, "logEvents": events})
