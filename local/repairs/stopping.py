"""A state whose execution, branch or attempt is over stops at once and does no more.

In moto a stopped attempt goes on: it retries after its delay, its tokens stay answerable, the
other iterations of a failed Map run to their ends, and a timed-out execution may still fail.
https://docs.aws.amazon.com/step-functions/latest/apireference/API_StopExecution.html
"""

from __future__ import annotations

from typing import Any

from moto.stepfunctions.parser.asl.component.common.retry.max_attempts_decl import (
    MaxAttemptsOutcome,
)
from moto.stepfunctions.parser.asl.component.common.retry.retrier_decl import RetrierDecl
from moto.stepfunctions.parser.asl.component.common.retry.retrier_outcome import RetrierOutcome
from moto.stepfunctions.parser.asl.component.eval_component import EvalComponent
from moto.stepfunctions.parser.asl.component.state.exec.execute_state import ExecutionState
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_dynamodb import (  # noqa: E501
    StateTaskServiceDynamoDB,
)
from moto.stepfunctions.parser.asl.eval.environment import Environment
from moto.stepfunctions.parser.asl.eval.program_state import ProgramRunning

from local.repairs.waiting import pause


class Stopped(Exception):
    """What a state was part of is over; nothing of it is retried or caught."""


def _from_error(self: Any, env: Any, ex: Exception) -> Any:
    if isinstance(ex, Stopped):
        raise ex
    return _moto_from_error(self, env=env, ex=ex)


def _dynamodb_error(self: Any, env: Any, ex: Exception) -> Any:
    if isinstance(ex, Stopped):
        raise ex
    return _moto_dynamodb_error(self, env=env, ex=ex)


def _set_error(self: Any, error: Any) -> None:
    """Fail, unless over already: what a stopped execution still does no longer matters."""
    with self._state_mutex:
        if self._program_state is None or isinstance(self._program_state, ProgramRunning):
            _moto_set_error(self, error)


def _retry(self: Any, env: Any) -> None:
    """Wait before another attempt, as long as there is something to attempt."""
    self.error_equals.eval(env)
    if not env.stack.pop():
        env.stack.append(RetrierOutcome.Skipped)
        return
    self.max_attempts.eval(env=env)
    if env.stack.pop() == MaxAttemptsOutcome.EXHAUSTED:
        env.stack.append(RetrierOutcome.Failed)
        return
    for part in (
        self.interval_seconds,
        self.backoff_rate,
        self.max_delay_seconds,
        self.jitter_strategy,
    ):
        part.eval(env=env)
    pause(env, env.stack.pop())
    if not env.is_running():
        raise Stopped
    env.stack.append(RetrierOutcome.Executed)


def _eval(self: Any, env: Any) -> None:
    """Evaluate a part of the machine, without writing whole machines into a log."""
    if not env.is_running():
        return
    name = self._field_name()
    if name is not None:
        env.next_field_name = name
    self._eval_body(env)


_moto_from_error = ExecutionState._from_error  # noqa: SLF001
_moto_dynamodb_error = StateTaskServiceDynamoDB._from_error  # noqa: SLF001
_moto_set_error = Environment.set_error


def install() -> None:
    """Replace how errors, retries and the end of an environment are taken."""
    put: Any = setattr
    put(ExecutionState, "_from_error", _from_error)
    put(StateTaskServiceDynamoDB, "_from_error", _dynamodb_error)
    put(Environment, "set_error", _set_error)
    put(RetrierDecl, "_eval_body", _retry)
    put(EvalComponent, "eval", _eval)
