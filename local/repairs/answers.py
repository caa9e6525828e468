"""Task tokens live and die as on AWS.

In moto a retry keeps the token of the attempt before and cannot be answered; late and second
answers are taken; SendTaskFailure loses its cause; text and null outputs are not JSON.
https://docs.aws.amazon.com/step-functions/latest/dg/connect-to-resource.html#connect-wait-token
"""

from __future__ import annotations

import json
import threading
from typing import Any

from moto.core.responses import EmptyResult
from moto.stepfunctions.parser.api import ExecutionStatus, InvalidOutput, InvalidToken, TaskTimedOut
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.resource import (
    ResourceCondition,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service import (  # noqa: E501
    StateTaskService,
)
from moto.stepfunctions.parser.asl.eval.callback.callback import (
    CallbackOutcomeFailure,
    CallbackOutcomeSuccess,
)
from moto.stepfunctions.parser.backend.execution_worker import ExecutionWorker
from moto.stepfunctions.parser.models import StepFunctionsParserBackend
from moto.stepfunctions.responses import StepFunctionResponse

from local.active import host

_GONE = "Task Timed Out: 'Provided task does not exist anymore'"
_answering = threading.Lock()


def _eval_execution(self: Any, env: Any) -> None:
    """Give each attempt a token of its own, which dies with the attempt."""
    if self.resource.condition is not ResourceCondition.WaitForTaskToken:
        _moto_eval_execution(self, env)
        return
    token = env.states.context_object.update_task_token()
    endpoint = env.callback_pool_manager.add(token)
    try:
        _moto_eval_execution(self, env)
    finally:
        endpoint.answered = True


def _answer(backend: Any, token: str, outcome: Any) -> None:
    """Hand an answer to the attempt that waits for it.

    Raises TaskTimedOut for a token that no longer waits and InvalidToken for an unknown one.
    """
    with _answering:
        for execution in backend._get_executions():  # noqa: SLF001
            worker = execution.exec_worker
            pool = worker.env.callback_pool_manager if worker and worker.env else None
            endpoint = pool.get(token) if pool else None
            if endpoint is None:
                continue
            running = execution.exec_status == ExecutionStatus.RUNNING
            if not running or getattr(endpoint, "answered", False):
                raise TaskTimedOut(_GONE, "TaskTimedOut", 400)
            endpoint.answered = True
            endpoint.notify(outcome)
            return
    unknown: Any = InvalidToken  # moto gives it AWS's words
    raise unknown()


def let_go(execution: Any) -> None:
    """Wake the states of a stopped execution that wait for an answer."""
    worker = execution.exec_worker
    if worker is None or worker.env is None:
        return
    with _answering:
        for endpoint in list(worker.env.callback_pool_manager._pool.values()):  # noqa: SLF001
            endpoint.answered = True
            endpoint.interrupt_all()


def _success(self: Any, task_token: str, outcome: str) -> None:
    try:
        json.loads(outcome)
    except ValueError:
        raise InvalidOutput(f"Invalid Output: '{outcome}'", "InvalidOutput", 400) from None
    _answer(self, task_token, CallbackOutcomeSuccess(callback_id=task_token, output=outcome))


def _failure(
    self: Any, task_token: str, error: str | None = None, cause: str | None = None
) -> None:
    outcome = CallbackOutcomeFailure(callback_id=task_token, error=error, cause=cause)
    _answer(self, task_token, outcome)


def _failure_request(self: Any) -> Any:
    token, error, cause = (self._get_param(name) for name in ("taskToken", "error", "cause"))
    self.stepfunction_backend.send_task_failure(token, error=error, cause=cause)
    return EmptyResult()


def _describe_request(self: Any) -> Any:
    """Describe an execution with its output as JSON, whatever it is."""
    result: Any = _moto_describe(self)
    response = result.result
    execution = self.stepfunction_backend.describe_execution(response["executionArn"])
    if execution.status == ExecutionStatus.SUCCEEDED:
        response["output"] = json.dumps(execution.output)
    return result


def _logic(self: Any) -> None:
    """Carry the execution out and tell the engine when it is over, whatever happens."""
    arn = self._evaluation_details.execution_details.arn
    try:
        logic: Any = _moto_logic
        logic(self)
    except Exception as fault:  # noqa: BLE001 (a fault of the engine: reported, not swallowed)
        host().ended(arn, fault)
    else:
        host().ended(arn, None)


_moto_eval_execution = StateTaskService._eval_execution  # noqa: SLF001
_moto_describe = StepFunctionResponse.describe_execution
_moto_logic = ExecutionWorker._execution_logic  # noqa: SLF001


def install() -> None:
    """Replace how tokens are made and answered, and how an execution reports its end."""
    put: Any = setattr
    put(StateTaskService, "_eval_execution", _eval_execution)
    put(StepFunctionsParserBackend, "send_task_success", _success)
    put(StepFunctionsParserBackend, "send_task_failure", _failure)
    put(StepFunctionResponse, "send_task_failure", _failure_request)
    put(StepFunctionResponse, "describe_execution", _describe_request)
    put(ExecutionWorker, "_execution_logic", _logic)
