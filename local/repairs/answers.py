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
from moto.stepfunctions.parser.api import InvalidOutput, InvalidToken, TaskTimedOut
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import (
    FailureEventException,
)
from moto.stepfunctions.parser.asl.component.common.timeouts.timeout import EvalTimeoutError
from moto.stepfunctions.parser.asl.component.state.exec.state_parallel.state_parallel import (
    StateParallel,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service import (  # noqa: E501
    StateTaskService,
)
from moto.stepfunctions.parser.asl.eval.callback.callback import (
    CallbackOutcomeFailure,
    CallbackOutcomeSuccess,
)
from moto.stepfunctions.parser.models import StepFunctionsParserBackend
from moto.stepfunctions.responses import StepFunctionResponse

from local.active import Answer, host, where_present
from local.repairs.services import failure
from local.repairs.stopping import Stopped
from local.repairs.waiting import pause
from protocol.payloads import Json

_GONE = "Task Timed Out: 'Provided task does not exist anymore'"
_answering = threading.Lock()


def _eval_execution(self: Any, env: Any) -> None:
    """Give each attempt a token of its own, which dies with the attempt."""
    if self.resource.condition is None:
        _carry_out(self, env)
        return
    token = env.states.context_object.update_task_token()
    endpoint = env.callback_pool_manager.add(token)
    # The end of the attempt wakes it, as an answer does.
    env.program_state_event = endpoint._notify_event  # noqa: SLF001
    endpoint.attempt = env
    try:
        _carry_out(self, env)
    finally:
        endpoint.answered = True


def _carry_out(task: Any, env: Any) -> None:
    """Do what the Task says, unless a stub answers it."""
    stubs = host().stubs
    if stubs is None:
        _moto_eval_execution(task, env)
        return
    task.resource.eval(env=env)
    part = env.stack.pop()
    arguments = task._eval_parameters(env=env)  # noqa: SLF001
    answer = stubs.answers(env.next_state_name, arguments)
    if answer is None:
        _moto_eval_execution(task, env)
        return
    given = (env, part, arguments, task._eval_state_credentials(env=env))  # noqa: SLF001
    task._before_eval_execution(*given)  # noqa: SLF001
    env.stack.append(come_to(answer, task, env))
    StateTaskService._after_eval_execution(task, *given)  # noqa: SLF001


def come_to(answer: Answer, task: Any, env: Any) -> Any:
    """Let an answer's time pass; return its result or raise its error."""
    pause(env, answer.seconds)
    if not env.is_running():
        raise Stopped
    if answer.times_out:
        raise EvalTimeoutError
    if answer.error is not None:
        raise FailureEventException(failure_event=failure(task, env, answer.error, answer.cause))
    return answer.result


def _endpoint(backend: Any, token: str) -> Any:
    """Return what waits for a token's answer.

    Raises TaskTimedOut for a token that no longer waits and InvalidToken for an unknown one.
    """
    for execution in backend._get_executions():  # noqa: SLF001
        worker = execution.exec_worker
        pool = worker.env.callback_pool_manager if worker and worker.env else None
        endpoint = pool.get(token) if pool else None
        if endpoint is None:
            continue
        if getattr(endpoint, "answered", False) or not endpoint.attempt.is_running():
            raise TaskTimedOut(_GONE, "TaskTimedOut", 400)
        return endpoint
    unknown: Any = InvalidToken  # moto gives it AWS's words
    raise unknown()


def _answer(backend: Any, token: str, outcome: Any) -> None:
    """Hand an answer to the attempt that waits for it; only the first one counts."""
    with _answering:
        endpoint = _endpoint(backend, token)
        endpoint.answered = True
        endpoint.notify(outcome)


def _heartbeat(self: Any, task_token: str) -> None:
    with _answering:
        _endpoint(self, task_token).notify_heartbeat()


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


def _branches(self: Any, env: Any) -> None:
    """Carry branches out, unless a stub answers for the whole of them."""
    stubs = host().stubs
    about: dict[str, Json] = {"Branches": [], "Catch": self.catch is not None}
    answer = stubs.answers(env.next_state_name, about) if stubs else None
    if answer is None:
        _moto_branches(self, env)
        return
    env.stack.append(come_to(answer, self, env))


_moto_branches = StateParallel._eval_execution  # noqa: SLF001
_moto_eval_execution = StateTaskService._eval_execution  # noqa: SLF001


def install() -> None:
    """Replace how tokens are made and answered."""
    put: Any = setattr
    put(StateTaskService, "_eval_execution", _eval_execution)
    put(StateParallel, "_eval_execution", _branches)
    put(StepFunctionsParserBackend, "send_task_success", _success)
    put(StepFunctionsParserBackend, "send_task_failure", _failure)
    put(StepFunctionsParserBackend, "send_task_heartbeat", _heartbeat)
    own = StepFunctionResponse.send_task_failure
    put(StepFunctionResponse, "send_task_failure", where_present(own, _failure_request))
