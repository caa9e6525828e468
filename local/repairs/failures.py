"""Errors keep their names and match as AWS's do.

moto turns a `States.*` error that leaves a branch into States.Runtime, because it takes it for a
custom name, and lets States.ALL catch States.Runtime.
https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html
"""

from __future__ import annotations

from typing import Any

from moto.stepfunctions.parser.asl.component.common.error_name.custom_error_name import (
    CustomErrorName,
)
from moto.stepfunctions.parser.asl.component.common.error_name.error_equals_decl import (
    ErrorEqualsDecl,
)
from moto.stepfunctions.parser.asl.component.common.error_name.error_name import ErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name import (
    StatesErrorName,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration import iteration_worker
from moto.stepfunctions.parser.asl.component.state.exec.state_parallel import branches_decl
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_callback,
    state_task_service_lambda,
)

_ALL, _TASK_FAILED, _TIMEOUT = "States.ALL", "States.TaskFailed", "States.Timeout"
_NOT_OF_TASKS = frozenset(
    {_TIMEOUT, "States.HeartbeatTimeout", "States.QueryEvaluationError", "States.Runtime"}
)


def name_of(error_name: str | None) -> ErrorName:
    """Return an error's name, whether it is one of AWS's or a custom one."""
    if error_name is None or not error_name.startswith("States."):
        return CustomErrorName(error_name=error_name)
    try:
        return StatesErrorName.from_name(error_name)
    except ValueError:
        return ErrorName(error_name=error_name)


def matches(listed: list[str | None], error: str | None) -> bool:
    """Return whether an `ErrorEquals` list matches an error."""
    if error in listed:
        return True
    if _ALL in listed:
        return error != "States.Runtime"
    if _TIMEOUT in listed and error == "States.HeartbeatTimeout":
        return True
    return _TASK_FAILED in listed and error not in _NOT_OF_TASKS


def _error_equals(self: Any, env: Any) -> None:
    error = env.stack.pop()
    listed = [name.error_name for name in self.error_names]
    env.stack.append(matches(listed, error.error_name if error is not None else None))


def install() -> None:
    """Replace how errors are named and matched."""
    put: Any = setattr
    for module in (
        branches_decl,
        iteration_worker,
        state_task_service_callback,
        state_task_service_lambda,
    ):
        put(module, "CustomErrorName", name_of)
    put(ErrorEqualsDecl, "_eval_body", _error_equals)
