"""The interpreter that runs in ministack, on the same small machines as the local engine.

What it is given by ministack (functions, other services) is faked here; a second of a machine
takes 10 ms.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any

import pytest

from bench.conformance import CASES, Fake, agrees, wanted_of
from local.ministack.history import History
from local.ministack.interpreter import Machine
from local.ministack.scopes import Failure, Scope, Stopped
from local.ministack.tasks import Tasks, Tokens, about
from protocol.payloads import Json

_SCALE = 0.01
_NOW = "2026-01-01T00:00:00Z"
_OTHERS = (
    "dynamodb", "@QURL", "startExecution", "aws-sdk:sfn:describe", "putEvents", "codebuild",
    "DISTRIBUTED",
)  # fmt: skip
"""Cases about other services are ministack's own business; no machine has distributed Maps."""
_ELSEWHERE = {
    "no_such_function": "which functions there are",
    "sdk_sfn_bad_token": "what a bad token is answered with",
}
"""Cases in which ministack itself decides."""


class _RealTime:
    """What `Fake` needs of a clock: it sleeps as the machines do."""

    def __init__(self) -> None:
        self._never = threading.Event()

    def sleep(self, seconds: float) -> None:
        self._never.wait(seconds * _SCALE)


class _Services:
    def __init__(self, fake: Fake, tokens: Tokens) -> None:
        self._fake = fake
        self._tokens = tokens

    def invoke(self, function: str, payload: Json) -> Json:
        del function
        try:
            return self._fake(payload, None)
        except Exception as error:  # noqa: BLE001 (the fake raises whatever it is asked to)
            told = {"errorMessage": str(error), "errorType": type(error).__name__}
            raise Failure(type(error).__name__, json.dumps(told)) from None

    def call(self, resource: str, arguments: Json) -> Json:
        assert isinstance(arguments, dict), resource
        token, output = str(arguments.get("TaskToken")), arguments.get("Output")
        if resource.endswith("sendTaskSuccess"):
            self._tokens.answer(token, json.loads(str(output)))
        elif resource.endswith("sendTaskFailure"):
            self._tokens.answer(
                token, Failure(arguments.get("Error"), arguments.get("Cause"))
            )  # fmt: skip
        else:
            raise Failure("States.Runtime", resource)
        return {}

    def start(self, machine: str, name: str | None, given: str) -> Any:
        raise NotImplementedError


def _run(definition: Mapping[str, Any], given: Json) -> tuple[dict[str, Json], list[Any]]:
    tokens = Tokens()
    services = _Services(Fake(_RealTime()), tokens)
    events: list[dict[str, Any]] = []
    context: dict[str, Json] = {
        "Execution": {
            "Id": "id",
            "Input": given,
            "Name": "NAME",
            "StartTime": _NOW,
            "RedriveCount": 0,
        },
        "StateMachine": {"Id": "sm", "Name": "SM"},
    }
    machine = Machine(context, Tasks(services, tokens), History(events, lambda: _NOW), _SCALE)
    try:
        return {"output": machine.run(definition, given, Scope(), 1)}, events
    except Failure as failure:
        return {"error": failure.error}, events


def _cases() -> list[Any]:
    cases = json.loads(CASES.read_text(encoding="utf-8"))
    texts = [(case, json.dumps(case["definition"])) for case in cases]
    return [
        pytest.param(case, id=case["name"])
        for case, text in texts
        if not any(word in text for word in _OTHERS)
        and case["name"] not in _ELSEWHERE
        and case["definition"].get("QueryLanguage") == "JSONata"
        and "TimeoutSeconds" not in case["definition"]
        and wanted_of(case).get("error") != ["rejected at create"]
    ]


@pytest.mark.parametrize("case", _cases())
def test_a_machine_ends_as_on_aws(case: dict[str, Any]) -> None:
    got, _ = _run(case["definition"], case["input"])
    assert agrees(got, wanted_of(case)), (got, wanted_of(case))


def test_a_stop_ends_what_waits_inside_a_branch() -> None:
    waits = {"Type": "Wait", "Seconds": 9999, "End": True}
    definition = {
        "StartAt": "P",
        "States": {
            "P": {
                "Type": "Parallel",
                "Branches": [{"StartAt": "W", "States": {"W": waits}}],
                "End": True,
            }
        },
    }
    scope, ended = Scope(), []

    def run() -> None:
        tokens = Tokens()
        tasks = Tasks(_Services(Fake(_RealTime()), tokens), tokens)
        machine = Machine({}, tasks, History([], str))
        try:
            machine.run(definition, {}, scope, 1)
        except Stopped:
            ended.append("stopped")

    running = threading.Thread(target=run)
    running.start()
    scope.stop()
    running.join(5)
    assert ended == ["stopped"]


def test_events_inside_branches_name_the_one_before() -> None:
    step = {"Type": "Pass", "End": True}
    definition = {
        "StartAt": "P",
        "States": {
            "P": {
                "Type": "Parallel",
                "Branches": [
                    {"StartAt": "A", "States": {"A": step}},
                    {"StartAt": "B", "States": {"B": step}},
                ],
                "End": True,
            }
        },
    }
    _, events = _run(definition, {})
    by_id = {event["id"]: event for event in events}
    entered = [event for event in events if event["type"] == "PassStateEntered"]
    assert len(entered) == 2
    assert {by_id[e["previousEventId"]]["type"] for e in entered} == {"ParallelStateStarted"}


@pytest.mark.parametrize(
    ("resource", "told"),
    [
        ("lambda:invoke.waitForTaskToken", ("lambda", "invoke.waitForTaskToken")),
        ("states:startExecution.sync:2", ("states", "startExecution.sync:2")),
        ("aws-sdk:dynamodb:updateItem", ("aws-sdk:dynamodb", "updateItem")),
    ],
)
def test_the_history_calls_a_resource_as_on_aws(resource: str, told: tuple[str, str]):
    found = about(f"arn:aws:states:::{resource}")
    assert (found["resourceType"], found["resource"]) == told
