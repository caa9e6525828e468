"""Engines that run the same machines: ours, `sfnx.testing`, and ministack as it comes.

Each has the functions that machines call answered in the same way, by `answer`.
"""

from __future__ import annotations

import base64
import http.client
import io
import json
import tempfile
import time
import zipfile
from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from local.dispatch import Function
from local.engine import Engine, filled, function_arn
from local.ministack import server

FUNCTIONS = ("action:run", "tasks")
"""What stands for functions in the machines."""
_ANSWER = """
def answer(event, context):
    return {"step": event.get("step"), "status": "timed_out", "outputs": {}}
"""
_ROLE = f"arn:aws:iam::{server.ACCOUNT}:role/bench"
_LOOK_SECONDS, _LOOK_SHARE = 0.002, 0.03
"""Between two looks at a run: at a long one fewer, since each takes its server time."""


class Refused(Exception):
    """An engine does not run a machine; the text says why, or how else it ended."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine to run, with placeholders for functions; `given` is its input."""

    name: str
    definition: Mapping[str, Any]
    given: Any = field(default_factory=dict)


class Peer(Protocol):
    """An engine that has been started."""

    def make(self, machine: Machine) -> None:
        """Make a machine; raises Refused."""

    def run(self, machine: Machine) -> Any:
        """Run a machine that was made and return its output; raises Refused."""


def answer(event: Mapping[str, Any], _context: object) -> dict[str, Any]:
    """Answer for every function, as `_ANSWER` does on ministack."""
    return {"step": event.get("step"), "status": "timed_out", "outputs": {}}


def start_ministack(folder: Path) -> server.Stack:
    """Start ministack without our repairs; its Wait states take no time."""
    python = server.environment(server.usual_folder())
    return server.start(python, folder, scale=0.0, is_repaired=False)


class Local:
    """Ours: `local.engine`."""

    def __init__(self) -> None:
        self._arns = {place: function_arn(place.replace(":", "-")) for place in FUNCTIONS}
        self._engine = Engine({arn: Function(answer) for arn in self._arns.values()})

    def __enter__(self) -> Self:
        self._engine.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._engine.__exit__(kind, error, trace)

    def make(self, machine: Machine) -> None:
        """Make a machine."""
        self._engine.create({machine.name: machine.definition}, self._arns)

    def run(self, machine: Machine) -> Any:
        """Run a machine and return its output; raises Refused."""
        finished = self._engine.execute(machine.name, machine.given)
        if finished.status != "SUCCEEDED":
            raise Refused(f"{finished.status} {finished.error}: {finished.cause}")
        return finished.output


class Sfnx:
    """`sfnx.testing`: one call runs a machine, whose Tasks are answered one after the other."""

    def make(self, machine: Machine) -> None:
        """Do nothing: a definition is checked whenever it is run."""

    def run(self, machine: Machine) -> Any:
        """Run a machine and return its output; raises Refused."""
        from sfnx import testing

        def task(call: testing.Call) -> object:
            if call.resource.endswith(".waitForTaskToken"):
                raise testing.Failure("States.Timeout")
            arguments: Any = call.arguments
            return {"Payload": answer(arguments["Payload"], None), "StatusCode": 200}

        try:
            return testing.run(machine.definition, machine.given, task).output
        except (testing.Failure, ValueError) as error:
            raise Refused(str(error)) from None


class Ministack:
    """ministack as it comes, a server: no Wait takes time, and its functions are warm."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._number = 0

    def __enter__(self) -> Self:
        folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        started = self._stack.enter_context(start_ministack(folder))
        calls = http.client.HTTPConnection("127.0.0.1", started.port)
        self._calls = self._stack.enter_context(closing(calls))
        self._arns = {place: self._function(place.replace(":", "-")) for place in FUNCTIONS}
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def make(self, machine: Machine) -> None:
        """Make a machine; raises Refused."""
        text = filled(json.dumps(machine.definition), self._arns)
        self._states("CreateStateMachine", name=machine.name, definition=text, roleArn=_ROLE)

    def run(self, machine: Machine) -> Any:
        """Run a machine and return its output; raises Refused."""
        self._number += 1
        arn = f"arn:aws:states:{server.REGION}:{server.ACCOUNT}:stateMachine:{machine.name}"
        given = json.dumps(machine.given)
        began = time.perf_counter()
        started = self._states(
            "StartExecution", stateMachineArn=arn, name=f"run-{self._number}", input=given
        )
        while True:
            told = self._states("DescribeExecution", executionArn=started["executionArn"])
            if told["status"] != "RUNNING":
                break
            time.sleep(max(_LOOK_SECONDS, (time.perf_counter() - began) * _LOOK_SHARE))
        if told["status"] != "SUCCEEDED":
            raise Refused(f"{told['status']} {told.get('error')}: {told.get('cause')}")
        return json.loads(told["output"])

    def _states(self, operation: str, **asked: Any) -> Any:
        return self._post("/", asked, "states", {"X-Amz-Target": f"AWSStepFunctions.{operation}"})

    def _function(self, name: str) -> str:
        code = io.BytesIO()
        with zipfile.ZipFile(code, "w") as archive:
            archive.writestr("index.py", _ANSWER)
        asked = {
            "FunctionName": name,
            "Runtime": "python3.13",
            "Role": _ROLE,
            "Handler": "index.answer",
            "Code": {"ZipFile": base64.b64encode(code.getvalue()).decode()},
        }
        made = self._post("/2015-03-31/functions", asked, "lambda", {})
        return str(made["FunctionArn"])

    def _post(self, path: str, asked: Any, service: str, headers: Mapping[str, str]) -> Any:
        """Call ministack as boto3 does, without what boto3 takes for it."""
        scope = f"test/20260101/{server.REGION}/{service}/aws4_request"
        signed = f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0"
        whole = {"Content-Type": "application/x-amz-json-1.0", "Authorization": signed, **headers}
        self._calls.request("POST", path, json.dumps(asked), whole)
        answered = self._calls.getresponse()
        body = json.loads(answered.read() or b"{}")
        if answered.status >= 400:
            raise Refused(f"{body.get('__type')}: {body.get('message') or body.get('Message')}")
        return body
