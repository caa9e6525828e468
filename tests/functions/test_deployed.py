"""What is so only where functions are deployed: builds, a project's actions, calls of latches."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

from functions.adapters.latch_calls import LatchCalls, NotReleased
from functions.handlers import build
from functions.handlers import records as records_function
from functions.handlers import stored as stored_function
from functions.wiring import action
from protocol import environment
from protocol.names import ACTION_FILES, BUILD_CALL
from tests.architecture.project import ROOT

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
RUN = {
    "id": "run-1",
    "attempt": 1,
    "started_at": "2026-01-01T00:00:00.000Z",
    "workflow": "w",
    "version": "",
    "contract": 1,
}


@pytest.fixture
def deployed(monkeypatch: pytest.MonkeyPatch):
    """The tables, the bucket and the environment that a deployment makes."""
    with mock_aws():
        dynamodb = boto3.client("dynamodb", region_name="eu-central-1")
        dynamodb.create_table(
            TableName="results",
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[
                {"AttributeName": name, "AttributeType": "S"} for name in ("run", "step")
            ],
            KeySchema=[
                {"AttributeName": "run", "KeyType": "HASH"},
                {"AttributeName": "step", "KeyType": "RANGE"},
            ],
        )
        boto3.client("s3", region_name="eu-central-1").create_bucket(
            Bucket="files", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"}
        )
        for name, value in (
            (environment.RESULTS_TABLE, "results"),
            (environment.LATCHES_TABLE, "latches"),
            (environment.BUCKET, "files"),
            (environment.STAGE, "dev"),
        ):
            monkeypatch.setenv(name, value)
        yield


def call_of(script: str) -> dict[str, Any]:
    """Return the call of a step that runs a script."""
    return {"run": RUN, "step": "say", "attempt": 1, "inputs": {"script": script}}


@pytest.mark.usefixtures("deployed")
def test_a_build_carries_a_step_out_and_stores_what_it_gave(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    # The script fails where it can see the call, in which inputs of others may stand.
    script = 'test -z "${STEPSMITH_CALL-}"; echo "said=$STEPSMITH_STEP_ID" >> "$GITHUB_OUTPUT"'
    monkeypatch.setenv(BUILD_CALL, json.dumps(call_of(script)))

    assert build.main() == 0

    assert BUILD_CALL not in os.environ  # nor in that of the script
    [row] = boto3.client("dynamodb", region_name="eu-central-1").scan(TableName="results")["Items"]
    assert "say" in json.dumps(row)
    assert "0" in capfd.readouterr().out


@pytest.mark.usefixtures("deployed")
def test_a_build_is_told_a_long_call_in_pieces(monkeypatch: pytest.MonkeyPatch):
    script = 'test -z "${!STEPSMITH_CALL*}"\n' + "# as long as scripts are\n" * 500
    text = json.dumps(call_of(script))
    for number in range(0, len(text), 4000):
        name = f"{BUILD_CALL}_{number // 4000}" if number else BUILD_CALL
        monkeypatch.setenv(name, text[number : number + 4000])

    assert build.main() == 0

    assert not [name for name in os.environ if name.startswith(BUILD_CALL)]


@pytest.mark.usefixtures("deployed")
def test_a_build_that_fails_ends_so(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    monkeypatch.setenv(BUILD_CALL, json.dumps(call_of("exit 3")))

    assert build.main() == 1

    assert "ScriptFailed: " in capfd.readouterr().err


@pytest.mark.usefixtures("deployed")
def test_a_build_carries_out_the_action_that_its_call_names(monkeypatch: pytest.MonkeyPatch):
    inputs = {"command": "mkdir dist; echo 1 > dist/app"}
    call = {**call_of(""), "step": "pack", "action": "build-artifact", "inputs": inputs}
    monkeypatch.setenv(BUILD_CALL, json.dumps(call))

    assert build.main() == 0

    assert "dist/app" in stored_of("pack")
    kept = boto3.client("s3", region_name="eu-central-1").list_objects_v2(Bucket="files")
    assert [one["Key"] for one in kept["Contents"]] == ["runs/run-1/pack/files.tar.gz"]


@pytest.mark.usefixtures("deployed")
def test_a_build_finds_an_action_of_the_project_in_its_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """By the list that lies beside it: the file need not be called like the action."""
    (tmp_path / "actions").mkdir()
    (tmp_path / "actions" / "of_ours.py").write_text(
        "from pydantic import BaseModel\n"
        "from functions.domain.action import Action\n"
        "class Nothing(BaseModel): ...\n"
        "class Said(BaseModel):\n    said: str = 'hello there'\n"
        "ACTION = Action(name='greet', inputs=Nothing, outputs=Said, runner='codebuild',\n"
        "                run=lambda inputs, context: Said())\n"
    )
    (tmp_path / ACTION_FILES).write_text('{"greet": "actions/of_ours.py"}')
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setenv(environment.ACTION_FILE, "")
    call = {**call_of(""), "step": "greet", "action": "greet", "inputs": {}}
    monkeypatch.setenv(BUILD_CALL, json.dumps(call))

    assert build.main() == 0

    assert "hello there" in stored_of("greet")


def stored_of(step: str) -> str:
    """Return what is stored of a step, as text."""
    rows = boto3.client("dynamodb", region_name="eu-central-1").scan(TableName="results")["Items"]
    (row,) = [row for row in rows if row["step"]["S"] == step]
    return json.dumps(row)


def test_an_image_without_python_is_told(tmp_path: Path):
    """The script of a build looks for one, and says what is wrong where there is none."""
    from cdk.packaging.builds import build_files
    from cdk.packaging.libraries import installed

    script = tmp_path / "build.sh"
    text = build_files(installed()).given["build.sh"].decode()
    script.write_text(text.replace("/root/.pyenv", str(tmp_path)))
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("bash", "dirname"):
        (tools / name).symlink_to(Path("/usr/bin") / name)

    def run(path: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/bash", str(script)],
            env={"PATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )

    assert run(str(tools)).stderr == (
        "this image has no Python from 3.11 to 3.14, which carries out the step\n"
    )
    fake = tools / "python3.12"
    fake.write_text('#!/bin/bash\n[ "$1" = -c ] && exit 0\necho "ran $*"\n')
    fake.chmod(0o755)
    assert run(str(tools)).stdout == f"ran {tmp_path}\n"


def test_an_action_of_the_project_is_found_beside_the_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file = tmp_path / "greet.py"
    file.write_text(
        "from pydantic import BaseModel\n"
        "from functions.domain.action import Action\n"
        "class Nothing(BaseModel): ...\n"
        "ACTION = Action(name='greet', description='Greets.', inputs=Nothing, outputs=Nothing,\n"
        "                run=lambda inputs, context: Nothing())\n"
    )
    monkeypatch.setenv(environment.ACTION_FILE, str(file))

    assert action("greet").name == "greet"
    assert action("run").name == "run"  # those that are built in come first
    monkeypatch.delenv(environment.ACTION_FILE)
    with pytest.raises(KeyError):
        action("greet")


class Client:
    """A client of Lambda that has one function."""

    def __init__(self, error: str | None = None) -> None:
        self.error = error
        self.called: list[tuple[str, Any]] = []

    def invoke(self, *, FunctionName: str, Payload: bytes) -> dict[str, Any]:  # noqa: N803 (boto3's)
        self.called.append((FunctionName, json.loads(Payload)))
        if self.error is None:
            return {"StatusCode": 200, "Payload": io.BytesIO(b"null")}
        return {"FunctionError": "Unhandled", "Payload": io.BytesIO(self.error.encode())}


def test_groups_are_freed_by_the_function_that_may_answer():
    client = Client()

    LatchCalls(client, "latches").release("arn:execution")

    assert client.called == [("latches", {"op": "release", "execution": "arn:execution"})]


def test_a_function_that_fails_is_told():
    with pytest.raises(NotReleased, match="no table"):
        LatchCalls(Client("no table"), "latches").release("arn:execution")


class Results:
    """Results of no run."""

    def of_run(self, _run: str) -> list[Any]:
        return []

    def of_step(self, _run: str, _step: str) -> list[Any]:
        return []


def nobody() -> Any:
    raise AssertionError("nobody keeps records here")


def lost(_message: Any) -> list[Any]:
    return [(NOON, {"step": "b", "items": [], "record": {}})]


@pytest.mark.parametrize(
    "call",
    [
        {"op": "stored", "run": RUN, "steps": ["a"], "undo": ["b"]},
        {"op": "stored", "run": RUN, "steps": [], "undo": ["b"], "execution": "arn"},
        {"op": "undo", "run": RUN, "step": "a", "items": []},
    ],
)
def test_machines_are_answered_as_by_records_whole(call: dict[str, Any]):
    alone = stored_function.handler_with(Results, lost)
    whole = records_function.handler_with(Results, nobody, lost)

    assert alone(call, None) == whole(call, None)


def test_a_build_is_told_its_part_by_a_module_that_can_be_run():
    """`python -m functions.handlers.build` is what the script of a build runs."""
    done = subprocess.run(
        [sys.executable, "-m", "functions.handlers.build"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"]},
    )

    assert f"KeyError: '{BUILD_CALL}'" in done.stderr
