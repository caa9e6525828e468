"""Executions start, stop and are described as on AWS: names, sizes, versions, stop with a cause.

moto takes any name and any size, calls an execution without a name `None`, has no versions to
start, and loses the error and cause of a stop.
https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html
"""

from __future__ import annotations

import copy
import json
import re
import uuid
from typing import Any

from moto.core.responses import ActionResult
from moto.stepfunctions.exceptions import (
    ExecutionDoesNotExist,
    InvalidExecutionInput,
    InvalidName,
    StateMachineDoesNotExist,
    ValidationException,
)
from moto.stepfunctions.parser.api import ExecutionStatus
from moto.stepfunctions.parser.asl.eval.program_state import ProgramStopped
from moto.stepfunctions.parser.backend.execution import BaseExecutionWorkerCommunication, Execution
from moto.stepfunctions.parser.backend.execution_worker import ExecutionWorker
from moto.stepfunctions.parser.models import (
    StepFunctionsParserBackend,
    stepfunctions_parser_backends,
)
from moto.stepfunctions.responses import StepFunctionResponse

from local.active import host, where_present

MOST_BYTES = 262_144
"""Of an input: https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html"""
_REFUSED = re.compile(r"[\s<>{}\[\]?*\"#%\\^|~`$&,;:/\x00-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]")
_LONGEST_NAME = 80


def find(arn: str) -> Any:
    """Return an execution of any machine; raises ExecutionDoesNotExist."""
    for regions in stepfunctions_parser_backends.values():
        for backend in regions.values():
            for execution in backend._get_executions():  # noqa: SLF001
                if execution.exec_arn == arn:
                    return execution
    raise ExecutionDoesNotExist(f"Execution Does Not Exist: '{arn}'")


def stop(execution: Any, error: str | None, cause: str | None) -> None:
    """Stop an execution; one that is over stays as it is."""
    if execution.exec_status != ExecutionStatus.RUNNING:
        return
    clock = host().clock
    while execution.exec_worker.env is None:  # it has been started, but had no turn yet
        clock.sleep(0)
    execution.stop(stop_date=clock.now(), error=error, cause=cause)


def _machine_of(backend: Any, arn: str) -> tuple[Any, Any, str | None]:
    """Return a machine, what of it an ARN names (a version or itself), and the alias' ARN."""
    machine_arn, _, qualifier = arn.rpartition(":")
    named = {machine.arn: machine for machine in backend.state_machines}
    if arn in named:
        return named[arn], named[arn], None
    machine = named.get(machine_arn)
    if machine is None:
        raise StateMachineDoesNotExist(f"State Machine Does Not Exist: '{arn}'")
    alias = machine.aliases.get(qualifier)
    version = alias.routing_configuration[0]["stateMachineVersionArn"] if alias else arn
    number = version.rpartition(":")[2]
    found = machine.versions.get(int(number)) if number.isdigit() else None
    if found is None:
        raise StateMachineDoesNotExist(f"State Machine Does Not Exist: '{arn}'")
    return machine, found, alias.arn if alias else None


def _checked_input(text: str | None) -> str:
    text = "{}" if text is None else text
    try:
        json.loads(text)
    except ValueError as error:
        raise InvalidExecutionInput(f"Invalid State Machine Execution Input: '{error}'") from None
    if len(text.encode()) > MOST_BYTES:
        raise ValidationException(
            "1 validation error detected: Value at 'input' failed to satisfy constraint: "
            f"Member must have length less than or equal to {MOST_BYTES}"
        )
    return text


def _checked_name(name: str | None) -> str:
    if name is None:
        return str(uuid.uuid4())
    if not 1 <= len(name) <= _LONGEST_NAME or _REFUSED.search(name):
        raise InvalidName(f"Invalid Name: '{name}'")
    return name


def _start(
    self: Any,
    state_machine_arn: str,
    name: str | None = None,
    execution_input: str | None = None,
    trace_header: str | None = None,
) -> Any:
    machine, pinned, alias = _machine_of(self, state_machine_arn)
    execution_input, name = _checked_input(execution_input), _checked_name(name)
    existing = machine._handle_name_input_idempotency(name, execution_input)  # noqa: SLF001
    if existing is not None:
        return existing
    # A snapshot of the definition, without the executions and what they hold.
    kept: dict[int, Any] = {id(pinned.executions): []}
    if hasattr(pinned, "backend"):
        kept[id(pinned.backend)] = pinned.backend
    execution = Execution(
        name=name,
        sm_type=pinned.sm_type,
        role_arn=pinned.roleArn,
        exec_arn=f"{machine.arn.replace(':stateMachine:', ':execution:')}:{name}",
        account_id=self.account_id,
        region_name=self.region_name,
        state_machine=copy.deepcopy(pinned, kept),
        start_date=host().clock.now(),
        cloud_watch_logging_session=None,
        input_data=execution_input,
        trace_header=trace_header,
        activity_store={},
    )
    execution.state_machine_arn = machine.arn
    known: Any = execution
    known.wakes = []
    known.version_arn = pinned.arn if pinned is not machine else None
    known.alias_arn = alias
    machine.executions.append(execution)
    execution.start()
    host().changed(execution)
    return execution


def _stop_request(self: Any) -> Any:
    arn, error, cause = (self._get_param(name) for name in ("executionArn", "error", "cause"))
    execution = find(arn)
    stop(execution, error, cause)
    return ActionResult({"stopDate": execution.stop_date or host().clock.now()})


def _describe_request(self: Any) -> Any:
    execution = find(self._get_param("executionArn"))
    described: dict[str, Any] = {
        "executionArn": execution.exec_arn,
        "stateMachineArn": execution.state_machine_arn,
        "name": execution.name,
        "status": execution.status,
        "startDate": execution.start_date,
        "input": execution.execution_input,
        "inputDetails": {"included": True},
        "redriveCount": 0,
        "redriveStatus": "NOT_REDRIVABLE",
    }
    optional = {
        "stateMachineVersionArn": execution.version_arn,
        "stateMachineAliasArn": execution.alias_arn,
        "stopDate": execution.stop_date,
        "error": execution.error,
        "cause": execution.cause,
    }
    if execution.exec_status == ExecutionStatus.SUCCEEDED:
        optional["output"] = json.dumps(execution.output, ensure_ascii=False)
        optional["outputDetails"] = {"included": True}
    described |= {name: value for name, value in optional.items() if value is not None}
    return ActionResult(described)


def _history_request(self: Any) -> Any:
    """Give the history in pages, forwards or backwards."""
    execution = find(self._get_param("executionArn"))
    events = list(execution.to_history_output()["events"])
    if self._get_param("reverseOrder"):
        events.reverse()
    start = int(self._get_param("nextToken") or 0)
    end = start + int(self._get_param("maxResults") or 100)
    page: dict[str, Any] = {"events": events[start:end]}
    if end < len(events):
        page["nextToken"] = str(end)
    return ActionResult(page)


def _publish_request(self: Any) -> Any:
    """Publish a version: a snapshot that stays as it is."""
    arn = self._get_param("stateMachineArn")
    machine, _, _ = _machine_of(self.stepfunction_backend, arn)
    latest = machine.latest_version
    if latest is None or latest.definition != machine.definition:
        machine.publish(self._get_param("description"))
    latest = machine.latest_version
    return ActionResult(
        {"stateMachineVersionArn": latest.arn, "creationDate": latest.creation_date}
    )


def _reflect(self: Any) -> None:
    """Keep the error and cause that an execution was stopped with; moto loses them."""
    reflect: Any = _moto_reflect
    reflect(self)
    execution = self.execution
    state = execution.exec_worker.env.program_state()
    if isinstance(state, ProgramStopped):
        execution.error, execution.cause = state.error, state.cause


def _logic(self: Any) -> None:
    """Carry the execution out and tell the engine when it is over, whatever happens."""
    execution = self._execution_communication.execution
    fault = None
    try:
        logic: Any = _moto_logic
        logic(self)
    except Exception as error:  # noqa: BLE001 (a fault of the engine: reported, not swallowed)
        fault = error
        execution.exec_status = ExecutionStatus.FAILED
        execution.error, execution.cause = "States.Runtime", repr(error)
        execution.stop_date = host().clock.now()
    for wake in execution.wakes:
        wake.set()
    host().clock.sleep(0)  # what it has stopped first takes note of that
    host().changed(execution)
    host().ended(execution.exec_arn, fault)


_moto_reflect = BaseExecutionWorkerCommunication._reflect_execution_status  # noqa: SLF001
_moto_logic = ExecutionWorker._execution_logic  # noqa: SLF001


def install() -> None:
    """Replace the requests about executions and how an execution reports its end."""
    put: Any = setattr
    put(StepFunctionsParserBackend, "start_execution", _start)
    for name, repaired in (
        ("stop_execution", _stop_request),
        ("describe_execution", _describe_request),
        ("get_execution_history", _history_request),
    ):
        own = getattr(StepFunctionResponse, name)
        put(StepFunctionResponse, name, where_present(own, repaired))
    put(StepFunctionResponse, "publish_state_machine_version", _publish_request)
    put(BaseExecutionWorkerCommunication, "_reflect_execution_status", _reflect)
    put(ExecutionWorker, "_execution_logic", _logic)
