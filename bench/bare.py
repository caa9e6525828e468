"""A compiled machine on moto as it comes, to compare the local engine with.

    python -m bench.bare FILE

FILE holds `definition` (placeholders filled in) and `input`. Of moto only what it cannot run
without is replaced: its JSONata (which asks a Java machine) by jsonata-python, waits by a jump,
Lambda by an answer that is always the same. Prints how the execution ended.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import boto3
from jsonata import Jsonata
from moto import mock_aws

_COMPONENT = "moto.stepfunctions.parser.asl.component"
REGION = "us-east-1"
ROLE = "arn:aws:iam::123456789012:role/bare"


def evaluate(expression: str) -> Any:
    """Evaluate an expression, into whose text moto has written all values."""
    return Jsonata(expression).evaluate(None)


def answer(_self: object, _name: str, _qualifier: object, body: Any, *_: object) -> bytes:
    """Answer for every function."""
    call = json.loads(body or "{}")
    outputs: dict[str, Any] = {"step": call.get("step"), "status": "timed_out", "outputs": {}}
    return json.dumps(outputs).encode()


def plug() -> None:
    """Replace what moto cannot run without."""
    put: Any = setattr
    jsonata = importlib.import_module("moto.stepfunctions.parser.asl.jsonata.jsonata")
    put(jsonata, "_eval_jsonata", evaluate)
    simple = importlib.import_module("moto.awslambda_simple.models")
    put(simple.LambdaSimpleBackend, "invoke", answer)
    waits = importlib.import_module(f"{_COMPONENT}.state.wait.wait_function.wait_function")
    put(waits.WaitFunction, "_wait_interval", lambda *_: None)
    retrier = importlib.import_module(f"{_COMPONENT}.common.retry.retrier_decl")
    put(retrier, "time", SimpleNamespace(sleep=lambda _: None))
    timeout = importlib.import_module(f"{_COMPONENT}.common.timeouts.timeout")
    evaluated = timeout.Timeout._eval_body  # noqa: SLF001

    def soon(self: Any, env: Any) -> None:
        evaluated(self, env)
        # An hour or more of waiting is over at once; shorter ones are left for slow machines.
        env.stack.append(0.01 if (seconds := env.stack.pop()) >= 3600 else seconds)

    put(timeout.Timeout, "_eval_body", soon)


def run(definition: str, given: str) -> str:
    """Run a machine and return its status, and its error where it failed."""
    sfn = boto3.client("stepfunctions", region_name=REGION)
    role = boto3.client("iam", region_name=REGION).create_role(
        RoleName="bare", AssumeRolePolicyDocument="{}"
    )["Role"]["Arn"]
    client = boto3.client("lambda", region_name=REGION)
    for name in sorted(set(_functions(json.loads(definition)))):
        client.create_function(
            FunctionName=name.rpartition(":")[2], Role=role, Code={"ZipFile": b"x"},
            Runtime="python3.13", Handler="h.h",
        )  # fmt: skip
    arn = sfn.create_state_machine(name="M", definition=definition, roleArn=ROLE)
    started = sfn.start_execution(stateMachineArn=arn["stateMachineArn"], name="N", input=given)
    while True:
        described = sfn.describe_execution(executionArn=started["executionArn"])
        if described["status"] != "RUNNING":
            return " ".join([described["status"], described.get("error", "")])
        time.sleep(0.002)


def _functions(value: Any) -> list[str]:
    if isinstance(value, list):
        return [name for item in value for name in _functions(item)]
    if not isinstance(value, dict):
        return []
    own = [value["FunctionName"]] if isinstance(value.get("FunctionName"), str) else []
    return own + [name for item in value.values() for name in _functions(item)]


def main(path: str) -> None:
    """Run the machine in a file."""
    case = json.loads(Path(path).read_text(encoding="utf-8"))
    settings: Any = {
        "stepfunctions": {"execute_state_machine": True},
        "lambda": {"use_docker": False},
    }
    plug()
    with mock_aws(config=settings):
        print(run(json.dumps(case["definition"]), json.dumps(case["input"])))


if __name__ == "__main__":
    main(sys.argv[1])
