"""Steps that go to CodeBuild on AWS run on this machine in a local run.

A build is given the step's call in variables, carries it out with the same wrapper as the
functions of actions and stores its result, which the next state fetches. Here the call goes to a
function that does just that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from protocol.names import CODEBUILD_PROJECT
from protocol.payloads import ActionCall, Envelope

_BUILD = "arn:aws:states:::codebuild:startBuild.sync"
_INVOKE = "arn:aws:states:::lambda:invoke"


def localised(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return a machine whose builds are calls of the function behind `${codebuild}`."""
    return {key: _walk(value) for key, value in definition.items()}


def _walk(value: Any) -> Any:
    if isinstance(value, list):
        return [_walk(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("Type") == "Task" and value.get("Resource") == _BUILD:
        return {**value, "Resource": _INVOKE, "Arguments": _arguments(value["Arguments"])}
    return {key: _walk(item) for key, item in value.items()}


def _arguments(build: Mapping[str, Any]) -> dict[str, Any]:
    expression = build["EnvironmentVariablesOverride"].removeprefix("{%").removesuffix("%}").strip()
    return {
        "FunctionName": CODEBUILD_PROJECT,
        "Payload": f"{{% $parse($join({expression}.Value)) %}}",
    }


def build_with(
    run: Callable[[ActionCall, object], Envelope],
) -> Callable[[ActionCall, object], None]:
    """Return the function that stands for a build: it gives nothing, its result is stored.

    A build that fails is a States.TaskFailed, whatever failed in it:
    https://docs.aws.amazon.com/step-functions/latest/dg/connect-codebuild.html
    """
    failed = type("States.TaskFailed", (Exception,), {})

    def build(call: ActionCall, context: object) -> None:
        try:
            run(call, context)
        except Exception as error:
            raise failed(str(error)) from error

    return build
