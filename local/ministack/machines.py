"""ministack's Step Functions with this project's interpreter in it. Runs inside ministack.

What it mends besides: a start is repeated by the same name and input as long as the execution
runs; a version runs its own definition; a stop stops what is inside; a machine's own
TimeoutSeconds; answers to tokens that nothing waits for.
https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html
"""

from __future__ import annotations

import contextvars
import json
import threading
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ministack.core.responses import error_response_json, json_response, now_iso
from ministack.services import stepfunctions as service

from local.ministack import builds
from local.ministack.history import History, text
from local.ministack.interpreter import Machine
from local.ministack.scopes import Failure, Scope, Stopped, tell
from local.ministack.tasks import Tasks, Tokens
from protocol.payloads import Json

TOKENS = Tokens()
_STARTING = threading.Lock()


@dataclass(slots=True)
class Execution:
    """An execution that runs or ran: ministack's record of it, and where its states run."""

    record: dict[str, Any]
    definition: dict[str, Any]
    context: contextvars.Context
    scope: Scope = field(default_factory=Scope)

    @property
    def arn(self) -> str:
        """Return its ARN."""
        return str(self.record["executionArn"])

    def is_over(self) -> bool:
        """Return whether it has ended."""
        return bool(self.record["status"] != "RUNNING")

    def stop(self) -> None:
        """Stop it, as StopExecution does."""
        self.context.copy().run(_end, self, "ABORTED", None, None)

    def description(self) -> dict[str, Json]:
        """Return it as a Task that waited for it gives it."""
        record = self.record
        found: dict[str, Json] = {
            "ExecutionArn": record["executionArn"],
            "Input": record["input"],
            "InputDetails": {"Included": True},
            "Name": record["name"],
            "StartDate": _millis(record["startDate"]),
            "StateMachineArn": record["stateMachineArn"],
            "Status": record["status"],
        }
        if record["stopDate"]:
            found["StopDate"] = _millis(record["stopDate"])
        if record["status"] == "SUCCEEDED":
            found |= {"Output": record["output"], "OutputDetails": {"Included": True}}
        for name in ("error", "cause"):
            if record.get(name) is not None:
                found[name.capitalize()] = record[name]
        return dict(sorted(found.items()))


_EXECUTIONS: dict[str, Execution] = {}


class Inside:
    """`tasks.Services` of the ministack that this runs in."""

    def invoke(self, function: str, payload: Json) -> Json:
        """Call a function by its ARN and return what it gives; raises Failure."""
        try:
            found = service._resolve_lambda_function_ref(function, optimized=True)
            given: Json = service._call_lambda(found, payload)
        except service._ExecutionError as error:
            raise Failure(error.error, error.cause) from None
        return given

    def call(self, resource: str, arguments: Json) -> Json:
        """Call another service; raises Failure."""
        if resource == builds.RESOURCE:
            assert isinstance(arguments, dict)
            return builds.build(arguments)
        try:
            given: Json = service._invoke_resource(resource, arguments)
        except service._ExecutionError as error:
            raise Failure(error.error, error.cause) from None
        return given

    def start(self, machine: str, name: str | None, given: str) -> Execution:
        """Start an execution; raises Failure."""
        request = {"stateMachineArn": machine, "input": given, **({"name": name} if name else {})}
        status, _, body = start_execution(request)
        answer = json.loads(body)
        if status >= 400:
            kind = str(answer.get("__type", "")).rpartition("#")[2]
            raise Failure(f"StepFunctions.{kind}Exception", str(answer.get("message")))
        return _EXECUTIONS[answer["executionArn"]]


def start_execution(request: dict[str, Any]) -> Any:
    """Start an execution; the same name and input again give the one that still runs."""
    asked = request.get("stateMachineArn", "")
    base = service._resolve_state_machine_arn(asked)
    if base is None:
        message = f"State Machine Does Not Exist: '{asked}'"
        return error_response_json("StateMachineDoesNotExist", message, 400)
    machine = service._state_machines[base]
    name = request.get("name") or service.new_uuid()
    arn = base.replace(":stateMachine:", ":execution:") + f":{name}"
    given = request.get("input", "{}")
    with _STARTING:
        before = service._executions.get(arn)
        if before is not None:
            if before["status"] == "RUNNING" and before["input"] == given:
                return json_response({"executionArn": arn, "startDate": before["startDate"]})
            message = f"Execution Already Exists: '{arn}'"
            return error_response_json("ExecutionAlreadyExists", message, 400)
        version = service._state_machine_versions.get(service._execution_version_arn(asked))
        execution = _created(arn, name, given, machine, (version or machine)["definition"])
    service._emit_execution_status_event(execution.record)
    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(_run, execution), daemon=True).start()
    return json_response({"executionArn": arn, "startDate": execution.record["startDate"]})


def _created(
    arn: str, name: str, given: str, machine: dict[str, Any], definition: str
) -> Execution:
    start = now_iso()
    details = {"input": given, "roleArn": machine["roleArn"]}
    record = {
        "executionArn": arn,
        "stateMachineArn": machine["stateMachineArn"],
        "name": name,
        "status": "RUNNING",
        "startDate": start,
        "stopDate": None,
        "input": given,
        "inputDetails": {"included": True},
        "output": None,
        "outputDetails": {"included": True},
        "testCase": "",
        "mockAttempts": {},
        "events": [
            {
                "id": 1,
                "type": "ExecutionStarted",
                "timestamp": start,
                "previousEventId": 0,
                "executionStartedEventDetails": details,
            }
        ],
    }
    service._executions[arn] = record
    found = Execution(record, json.loads(definition), contextvars.copy_context())
    _EXECUTIONS[arn] = found
    return found


def _run(execution: Execution) -> None:
    record, definition = execution.record, execution.definition
    given = json.loads(record["input"])
    context: dict[str, Json] = {
        "Execution": {
            "Id": record["executionArn"],
            "Input": given,
            "Name": record["name"],
            "StartTime": record["startDate"],
            "RedriveCount": 0,
        },
        "StateMachine": {
            "Id": record["stateMachineArn"],
            "Name": record["stateMachineArn"].rpartition(":")[2],
        },
    }
    scale = service._SFN_WAIT_SCALE
    if "TimeoutSeconds" in definition:
        over = contextvars.copy_context()
        seconds = definition["TimeoutSeconds"] * scale
        timer = threading.Timer(seconds, over.run, (_end, execution, "TIMED_OUT", None, None))
        timer.daemon = True
        timer.start()
    machine = Machine(
        context, Tasks(Inside(), TOKENS), History(record["events"], now_iso), scale or 1.0
    )
    try:
        output = machine.run(definition, given, execution.scope, 1)
    except Stopped:
        return
    except Failure as failure:
        _end(execution, "FAILED", failure.error, failure.cause)
    except Exception as fault:  # noqa: BLE001 (an execution must end, whatever is wrong here)
        service.logger.exception("the interpreter failed in %s", execution.arn)
        _end(execution, "FAILED", "States.Runtime", repr(fault))
    else:
        record["output"] = text(output)
        _end(execution, "SUCCEEDED", None, None)


_ENDS = {
    "SUCCEEDED": "ExecutionSucceeded",
    "FAILED": "ExecutionFailed",
    "ABORTED": "ExecutionAborted",
    "TIMED_OUT": "ExecutionTimedOut",
}
_ENDING = threading.Lock()


def _end(execution: Execution, status: str, error: str | None, cause: str | None) -> bool:
    """End an execution once; return whether it was this call that did."""
    record = execution.record
    with _ENDING:
        if record["status"] != "RUNNING":
            return False
        record.update(status=status, stopDate=now_iso(), error=error, cause=cause)
        kind = _ENDS[status]
        details = {"output": record["output"]} if status == "SUCCEEDED" else {}
        details |= {k: v for k, v in (("error", error), ("cause", cause)) if v is not None}
        events = record["events"]
        events.append(
            {
                "id": len(events) + 1,
                "type": kind,
                "timestamp": record["stopDate"],
                "previousEventId": len(events),
                f"{kind[0].lower()}{kind[1:]}EventDetails": details,
            }
        )
    execution.scope.stop()
    tell()
    service._emit_execution_status_event(record)
    return True


def stop_execution(request: dict[str, Any]) -> Any:
    """Stop an execution and all that runs inside it."""
    found = _EXECUTIONS.get(request.get("executionArn", ""))
    if found is None:
        message = f"Execution Does Not Exist: '{request.get('executionArn')}'"
        return error_response_json("ExecutionDoesNotExist", message, 400)
    _end(found, "ABORTED", request.get("error"), request.get("cause"))
    return json_response({"stopDate": found.record["stopDate"]})


def send_task_success(request: dict[str, Any]) -> Any:
    """Answer a token."""
    return _answer(request, json.loads(request.get("output", "null")))


def send_task_failure(request: dict[str, Any]) -> Any:
    """Answer a token with a failure."""
    return _answer(request, Failure(request.get("error"), request.get("cause")))


def _answer(request: dict[str, Any], outcome: Json | Failure) -> Any:
    if TOKENS.answer(request.get("taskToken", ""), outcome):
        return json_response({})
    message = "Task Timed Out: 'Provided task does not exist anymore'"
    return error_response_json("TaskTimedOut", message, 400)


def _millis(stamp: str) -> int:
    return int(datetime.fromisoformat(stamp).timestamp() * 1000)


def install() -> None:
    """Put this in the place of ministack's own."""
    put: Any = setattr
    put(service, "_start_execution", start_execution)
    put(service, "_stop_execution", stop_execution)
    put(service, "_send_task_success", send_task_success)
    put(service, "_send_task_failure", send_task_failure)
