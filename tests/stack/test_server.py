"""What `stepsmith dev --stack` starts beside itself, and that nothing of it stays."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
import urllib.request
import zipfile
from datetime import datetime
from pathlib import Path

import pytest

from cli.stack.up import client
from local.ministack import server
from tests.cli.calling import call, write

pytestmark = pytest.mark.slow

FUNCTION = """\
import os
class TooBad(Exception): pass
def handler(event, context):
    if event.get("fails"): raise TooBad("why")
    return {"pid": os.getpid(), "environment": sorted(os.environ)}
"""


@pytest.fixture(scope="module")
def python():
    """Ministack's own Python."""
    if not server.is_made(server.usual_folder()):
        pytest.skip("there is no environment of ministack")
    return server.environment(server.usual_folder())


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _ends(pid: int) -> bool:
    end = time.monotonic() + 10
    while _lives(pid) and time.monotonic() < end:
        time.sleep(0.05)  # another process: there is nothing to wait on
    return not _lives(pid)


def _function(stack: server.Stack):
    code = io.BytesIO()
    with zipfile.ZipFile(code, "w") as archive:
        archive.writestr("index.py", FUNCTION)
    functions = client("lambda", stack, server.REGION)
    functions.create_function(
        FunctionName="f",
        Runtime="python3.13",
        Role="arn:aws:iam::000000000000:role/f",
        Handler="index.handler",
        Code={"ZipFile": code.getvalue()},
    )

    def invoke(**event: object):
        found = functions.invoke(FunctionName="f", Payload=json.dumps(event).encode())
        return found.get("FunctionError"), json.loads(found["Payload"].read())

    return invoke


def test_functions_see_nothing_of_whoever_started_it_and_end_with_it(
    python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("MY_TOKEN", "a secret")
    with server.start(python, tmp_path / "state") as stack:
        invoke = _function(stack)
        _, before = invoke()
        failed, error = invoke(fails=True)
        _, after = invoke()

    assert "MY_TOKEN" not in before["environment"]
    assert (failed is not None, error["errorType"], error["errorMessage"]) == (
        True,
        "TooBad",
        "why",
    )
    assert before["pid"] == after["pid"]  # what raised is used again, as on AWS
    assert _ends(stack.process.pid)
    assert _ends(before["pid"])


def test_it_ends_with_whoever_started_it_however_that_ended(python: Path, tmp_path: Path):
    script = (
        "import pathlib, sys; from local.ministack.server import start\n"
        f"s = start(pathlib.Path({str(python)!r}), pathlib.Path({str(tmp_path)!r}))\n"
        "print(s.process.pid, s.url, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as parent:
        assert parent.stdout is not None
        pid, url = parent.stdout.readline().split()
        with urllib.request.urlopen(f"{url}/_ministack/health", timeout=10) as health:
            assert health.status == 200
        parent.kill()

    assert _ends(int(pid))


def test_a_schedule_says_when_it_was_due(python: Path, tmp_path: Path):
    with server.start(python, tmp_path) as stack:
        queues = client("sqs", stack, server.REGION)
        url = queues.create_queue(QueueName="q")["QueueUrl"]
        client("scheduler", stack, server.REGION).create_schedule(
            Name="s",
            ScheduleExpression="at(2026-01-31T12:00:00)",
            FlexibleTimeWindow={"Mode": "OFF"},
            Target={
                "Arn": f"arn:aws:sqs:{server.REGION}:{server.ACCOUNT}:q",
                "RoleArn": f"arn:aws:iam::{server.ACCOUNT}:role/s",
                "Input": '{"at": "<aws.scheduler.scheduled-time>"}',
            },
        )
        found = queues.receive_message(QueueUrl=url, WaitTimeSeconds=10)["Messages"]

    assert datetime.fromisoformat(json.loads(found[0]["Body"])["at"]).tzinfo is not None


def test_options_of_the_local_engine_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "stepsmith.yaml", "stages: {dev: {}}\n")

    assert "--fast is for stages of the local engine" in call("dev", "--stack", "--fast").err
    assert "write --stack as well" in call("dev", "--once").err
    assert "there is no stage 'prod'" in call("dev", "--stack", "--stage", "prod").err
    without = call("dev", "--stack", environ={"PATH": ""})
    assert (without.code, "there is no `cdk` command" in without.err) == (2, True)
