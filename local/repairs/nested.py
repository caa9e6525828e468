"""Executions that a machine starts and waits for: `.sync` and `.sync:2`.

In moto their parameters are not translated, so none starts; it asks again and again whether the
child has ended, and does not stop it with its parent.
https://docs.aws.amazon.com/step-functions/latest/dg/connect-stepfunctions.html
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from moto.stepfunctions.parser.api import (
    ExecutionStatus,
    HistoryEventType,
    TaskFailedEventDetails,
)
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import (
    FailureEvent,
    FailureEventException,
)
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name import (
    StatesErrorName,
)
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name_type import (
    StatesErrorNameType,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.resource import (
    ResourceCondition,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_callback import (  # noqa: E501
    StateTaskServiceCallback,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_sfn import (  # noqa: E501
    StateTaskServiceSfn,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_unsupported import (  # noqa: E501
    StateTaskServiceUnsupported,
)

from local.active import host
from local.repairs.executions import find, stop
from local.repairs.stopping import Stopped

_POLL_SECONDS = 5.0
"""Between two looks at a job of another service."""


@dataclass(frozen=True, slots=True)
class _Child:
    """The execution that a Task waits for; called, it gives the result once there is one."""

    task: Any
    env: Any
    arn: str
    parsed: bool

    def __call__(self) -> Any:
        execution = find(self.arn)
        if execution.exec_status == ExecutionStatus.RUNNING:
            return None
        if execution.exec_status == ExecutionStatus.SUCCEEDED:
            return description(execution, parsed=self.parsed)
        # Of one that failed the input is a text with `.sync:2`, too.
        described = description(execution, parsed=False)
        raise FailureEventException(failure_event=self._failure(described))

    def _failure(self, described: dict[str, Any]) -> FailureEvent:
        name = StatesErrorName(typ=StatesErrorNameType.StatesTaskFailed)
        details: Any = {
            "taskFailedEventDetails": TaskFailedEventDetails(
                resource=self.task._get_sfn_resource(),  # noqa: SLF001
                resourceType=self.task._get_sfn_resource_type(),  # noqa: SLF001
                error=name.error_name or "",
                cause=json.dumps(described, ensure_ascii=False, separators=(",", ":")),
            )
        }
        return FailureEvent(
            env=self.env,
            error_name=name,
            event_type=HistoryEventType.TaskFailed,
            event_details=details,
        )


def description(execution: Any, *, parsed: bool) -> dict[str, Any]:
    """Return an ended execution as a Task that waited for it gives it, in AWS's order of names."""
    described: dict[str, Any] = {
        "ExecutionArn": execution.exec_arn,
        "Input": execution.input_data if parsed else execution.execution_input,
        "InputDetails": {"Included": True},
        "Name": execution.name,
        "StartDate": _millis(execution.start_date),
        "StateMachineArn": execution.state_machine_arn,
        "Status": str(execution.exec_status.value),
        "StopDate": _millis(execution.stop_date),
    }
    if execution.exec_status == ExecutionStatus.SUCCEEDED:
        text = json.dumps(execution.output, ensure_ascii=False, separators=(",", ":"))
        described["Output"] = execution.output if parsed else text
        described["OutputDetails"] = {"Included": True}
    if execution.error is not None:
        described["Error"] = execution.error
    if execution.cause is not None:
        described["Cause"] = execution.cause
    return dict(sorted(described.items()))


def _millis(moment: Any) -> int:
    return int(moment.timestamp() * 1000)


def _sync(self: Any, env: Any, **_: object) -> _Child:
    return _Child(self, env, env.stack.pop()["ExecutionArn"], parsed=False)


def _sync2(self: Any, env: Any, **_: object) -> _Child:
    return _Child(self, env, env.stack.pop()["ExecutionArn"], parsed=True)


def _job(self: Any, env: Any, **_: object) -> Any:
    """Return what a service that moto does in no time has answered already."""
    del self
    answer = env.stack.pop()
    return lambda: answer


def _eval_sync(
    self: Any, env: Any, sync_resolver: Any, callback_endpoint: Any = None, **_: object
) -> Any:
    """Wait for a job's end, an early answer to its token, or the end of what waits for it."""
    del self
    child = find(sync_resolver.arn) if isinstance(sync_resolver, _Child) else None
    wake = callback_endpoint._notify_event if callback_endpoint else host().clock.event()  # noqa: SLF001
    if child is not None:
        child.wakes.append(wake)
    while env.is_running():
        wake.clear()
        outcome = callback_endpoint.get_outcome() if callback_endpoint else None
        found = outcome or sync_resolver()
        if found:
            return found
        if not env.is_running():
            break
        wake.wait(None if child is not None else _POLL_SECONDS)
    if child is not None:
        stop(child, None, None)
    raise Stopped


_SYNC: Any = {
    ResourceCondition.WaitForTaskToken,
    ResourceCondition.Sync,
    ResourceCondition.Sync2,
}


def _every_pattern(self: Any) -> None:
    StateTaskServiceCallback.__init__(self, supported_integration_patterns=_SYNC)


def install() -> None:
    """Replace how a Task waits for what it has started."""
    put: Any = setattr
    put(StateTaskServiceCallback, "_eval_sync", _eval_sync)
    put(StateTaskServiceSfn, "_build_sync_resolver", _sync)
    put(StateTaskServiceSfn, "_build_sync2_resolver", _sync2)
    put(StateTaskServiceUnsupported, "__init__", _every_pattern)
    put(StateTaskServiceUnsupported, "_build_sync_resolver", _job)
    put(StateTaskServiceUnsupported, "_build_sync2_resolver", _job)
