"""What Tasks do: functions, answers to tokens, executions that are waited for, other services."""

from __future__ import annotations

import contextvars
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from local.ministack.history import text
from local.ministack.interpreter import Attempt, parsed
from local.ministack.scopes import Failure, Stopped, tell
from protocol.payloads import Json

_LAMBDA = "arn:aws:states:::lambda:invoke"
_NESTED = "arn:aws:states:::states:startExecution"
_ANSWERED = ".waitForTaskToken"


@dataclass(slots=True)
class Waiting:
    """An attempt that waits for the answer to its token."""

    outcome: Json | Failure = None
    answered: bool = False


class Child(Protocol):
    """An execution that a Task has started."""

    @property
    def arn(self) -> str:
        """Return its ARN."""

    def is_over(self) -> bool:
        """Return whether it has ended."""

    def description(self) -> dict[str, Json]:
        """Return it as DescribeExecution tells of it, in Step Functions' spelling."""

    def stop(self) -> None:
        """Stop it."""


class Services(Protocol):
    """What ministack carries out."""

    def invoke(self, function: str, payload: Json) -> Json:
        """Call a function by its ARN and return what it gives; raises Failure."""

    def call(self, resource: str, arguments: Json) -> Json:
        """Call another service; raises Failure."""

    def start(self, machine: str, name: str | None, given: str) -> Child:
        """Start an execution; raises Failure."""


class Tokens:
    """Which attempts wait for an answer from outside."""

    def __init__(self) -> None:
        self._waiting: dict[str, Waiting] = {}

    def expect(self, token: str) -> Waiting:
        """Take note that an attempt waits."""
        return self._waiting.setdefault(token, Waiting())

    def forget(self, token: str) -> None:
        """Take note that nothing waits any more: later answers are refused."""
        self._waiting.pop(token, None)

    def answer(self, token: str, outcome: Json | Failure) -> bool:
        """Answer an attempt; return False where none waits under the token."""
        waiting = self._waiting.get(token)
        if waiting is None or waiting.answered:
            return False
        waiting.outcome, waiting.answered = outcome, True
        tell()
        return True


class Tasks:
    """`interpreter.Calls` on ministack's services."""

    def __init__(self, services: Services, tokens: Tokens) -> None:
        self._services = services
        self._tokens = tokens

    def new_token(self) -> str:
        """Return a token for an attempt."""
        return f"token-{uuid.uuid4()}"

    def carry_out(self, attempt: Attempt) -> tuple[Json, int]:
        """Return a Task's result and its last event's id; raises Failure and Stopped."""
        resource = str(attempt.state["Resource"])
        told = about(resource)
        add = attempt.history.add
        at = add(
            "TaskScheduled", attempt.before, **told, parameters=text(attempt.arguments),
            region="us-east-1",
        )  # fmt: skip
        at = add("TaskStarted", at, **told)
        try:
            if resource.endswith(_ANSWERED):
                done = self._answered(attempt, resource)
            elif resource.startswith(_NESTED):
                done = self._nested(attempt, resource)
            else:
                done = self._worked(attempt, lambda: self._call(resource, attempt.arguments))
        except Failure as failure:
            kind = "TaskTimedOut" if failure.error == "States.Timeout" else "TaskFailed"
            add(kind, at, **told, error=failure.error, cause=failure.cause)
            raise
        return done, add("TaskSucceeded", at, **told, output=text(done))

    def _call(self, resource: str, arguments: Json) -> Json:
        if resource.startswith(_LAMBDA):
            assert isinstance(arguments, dict)
            given = self._services.invoke(str(arguments["FunctionName"]), arguments.get("Payload"))
            return {
                "ExecutedVersion": "$LATEST",
                "Payload": given,
                "SdkHttpMetadata": {},
                "SdkResponseMetadata": {},
                "StatusCode": 200,
            }
        return self._services.call(resource, arguments)

    def _worked(self, attempt: Attempt, work: Callable[[], Json]) -> Json:
        """Do something on a thread of its own: whoever waits may give up before."""
        outcome: list[Json | BaseException] = []

        def carry_out() -> None:
            try:
                outcome.append(work())
            except BaseException as failure:  # noqa: BLE001 (raised where it is waited for)
                outcome.append(failure)
            tell()

        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(carry_out,), daemon=True).start()
        if not attempt.scope.wait(lambda: bool(outcome), attempt.seconds):
            raise _late()
        if isinstance(outcome[0], BaseException):
            raise outcome[0]
        return outcome[0]

    def _answered(self, attempt: Attempt, resource: str) -> Json:
        """Call what gets the token, and wait for the answer; a call that fails is one too."""
        waiting = self._tokens.expect(attempt.token)

        def call() -> None:
            try:
                self._call(resource.removesuffix(_ANSWERED), attempt.arguments)
            except Failure as failure:
                self._tokens.answer(attempt.token, failure)

        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(call,), daemon=True).start()
        try:
            if not attempt.scope.wait(lambda: waiting.answered, attempt.seconds):
                raise _late()
        finally:
            self._tokens.forget(attempt.token)
        if isinstance(waiting.outcome, Failure):
            raise waiting.outcome
        return waiting.outcome

    def _nested(self, attempt: Attempt, resource: str) -> Json:
        arguments: Any = attempt.arguments
        given = arguments.get("Input", {})
        child = self._services.start(
            str(arguments["StateMachineArn"]),
            arguments.get("Name"),
            given if isinstance(given, str) else text(given),
        )
        if ".sync" not in resource:
            return {"ExecutionArn": child.arn, "StartDate": child.description()["StartDate"]}
        try:
            if not attempt.scope.wait(child.is_over, attempt.seconds):
                child.stop()
                raise _late()
        except Stopped:
            child.stop()
            raise
        described = child.description()
        if described["Status"] != "SUCCEEDED":
            raise Failure("States.TaskFailed", text(described))
        if resource.endswith(".sync:2"):
            for field in ("Input", "Output"):
                value = described.get(field)
                described[field] = parsed(value) if isinstance(value, str) else value
        return described


def about(resource: str) -> dict[str, Json]:
    """Return how events of the history call a resource: `states` and `startExecution.sync:2`."""
    name = resource.removeprefix("arn:aws:states:::")
    sdk, after = (
        ("aws-sdk:", name.removeprefix("aws-sdk:")) if name.startswith("aws-sdk:") else ("", name)
    )
    service, _, action = after.partition(":")
    return {"resourceType": f"{sdk}{service}", "resource": action}


def _late() -> Failure:
    return Failure("States.Timeout", "")
