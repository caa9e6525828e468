"""The local engine: compiled machines on moto's Step Functions, in this process.

Functions are the real handlers, called in process; tables and bucket are moto's; time is
virtual (`local.clock`). Nothing leaves the machine, but for what scripts do.
"""

from __future__ import annotations

import json
import logging
import os
import re
import threading
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from local import active, repairs
from local.active import Answering
from local.clock import Clock
from local.dispatch import Dispatch, Function
from local.status import status_change
from protocol.payloads import Json

if TYPE_CHECKING:
    from moto.core.models import MockAWS
    from moto.stepfunctions.parser.backend.execution import Execution

ACCOUNT, REGION = "123456789012", "us-east-1"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/stepsmith-local"
INTERRUPTED = "Stepsmith.Interrupted"
"""The error of an execution that the user stopped."""
_PATIENCE = 10.0
"""Seconds for an interrupted execution to end in order."""
_PLACEHOLDER = re.compile(
    r"\$\{((?:action|machine):[^{}\x22]+|latches|tasks|records|bus|codebuild)\}"  # \x22: a quote
)

Event: TypeAlias = Mapping[str, Any]
"""One event of an execution's history, as GetExecutionHistory gives it."""
Progress: TypeAlias = Callable[[Event], None]
StatusListener: TypeAlias = Callable[[Mapping[str, Any]], None]
"""Called with an EventBridge event of a changed execution status."""


class EngineFault(RuntimeError):
    """The engine itself failed, or was asked for what it does not have."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How an execution ended. Times are virtual."""

    name: str
    status: str  # SUCCEEDED, FAILED, TIMED_OUT or ABORTED
    output: Json
    error: str | None
    cause: str | None
    started_at: datetime
    completed_at: datetime
    history: list[Event] = field(repr=False)
    input: Json = None


class Engine:
    """A context manager; one at a time in a process.

    `functions` are the Lambdas by their ARN (see `function_arn`); `clock` is the run's. The same
    `seed` and the same start of the clock give the same jitter, and so the same times. `stubs`
    answer Tasks and waits in place of what they would do.
    """

    def __init__(
        self,
        functions: Mapping[str, Function],
        clock: Clock | None = None,
        *,
        seed: int = 0,
        stubs: Answering | None = None,
    ) -> None:
        self.clock = clock or Clock()
        self.stubs = stubs
        self.published: list[Mapping[str, Any]] = []
        """Entries of `events:putEvents` in the order they came, with their `Time`."""
        self._seed = seed
        self._dispatch = Dispatch(functions, self.clock)
        self._mock: MockAWS | None = None
        self._over: dict[str, threading.Event] = {}
        self._faults: dict[str, Exception] = {}
        self._machines: dict[str, str] = {}
        self._listeners: list[StatusListener] = []
        self._started: list[Execution] = []

    def __enter__(self) -> Self:
        repairs.install()
        from moto import mock_aws

        logging.getLogger("moto.stepfunctions").setLevel(logging.CRITICAL)
        active.enter(self)
        repairs.seed(self._seed)
        try:
            os.environ.setdefault("AWS_DEFAULT_REGION", REGION)
            self._mock = mock_aws(config={"stepfunctions": {"execute_state_machine": True}})
            self._mock.start()
        except BaseException:
            active.leave()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        from moto.stepfunctions.parser.utils import TMP_THREADS

        self.clock.close()
        TMP_THREADS.clear()
        assert self._mock is not None
        self._mock.stop()
        active.leave()

    def create(self, machines: Mapping[str, Mapping[str, Any]], fills: Mapping[str, str]) -> None:
        """Create machines by their names, their placeholders filled in.

        `fills` maps placeholders (`action:run`, `latches`) to ARNs; `machine:NAME` stands for
        the machines themselves. Raises EngineFault for a placeholder that nothing fills.
        """
        from moto.core.exceptions import JsonRESTError, ServiceException

        arns = {f"machine:{name}": machine_arn(name) for name in machines}
        for name, definition in machines.items():
            text = _filled(json.dumps(definition), {**fills, **arns})
            try:
                machine = self._backend().create_state_machine(_legal(name), text, ROLE)
            except (JsonRESTError, ServiceException) as refused:
                raise EngineFault(
                    f"the machine '{name}' was refused: {_said(refused)}"
                ) from refused
            self._machines[name] = machine.arn

    def execute(
        self,
        machine: str,
        execution_input: Json,
        name: str | None = None,
        on_event: Progress | None = None,
        on_interrupt: Callable[[], None] | None = None,
    ) -> Finished:
        """Start an execution, wait for its end and return it; time then stands still.

        Ctrl-C stops the execution; `on_interrupt` then ends what its functions have started.
        """
        name = name or str(uuid.uuid4())
        self.clock.go_on()
        over = threading.Event()
        arn = self._machines[machine].replace(":stateMachine:", ":execution:") + f":{name}"
        self._over[arn] = over
        execution = self._start(self._machines[machine], name, json.dumps(execution_input))
        seen = 0
        try:
            while not over.wait(0.05 if on_event else None):
                seen = self._show(execution, seen, on_event)
        except KeyboardInterrupt:
            self.stop(execution, INTERRUPTED, "stopped by the user")
            if on_interrupt is not None:
                on_interrupt()
            if not over.wait(_PATIENCE):
                raise
        self._show(execution, seen, on_event)
        if arn in self._faults:
            raise EngineFault(f"the engine failed: {self._faults[arn]!r}") from self._faults[arn]
        return _finished(execution)

    def _start(self, machine: str, name: str, text: str) -> Execution:
        """Start an execution on a thread of the clock, so that nothing happens beside it."""
        found: list[Any] = []
        begun = threading.Event()

        def start() -> None:
            try:
                found.append(self._backend().start_execution(machine, name, text))
            except Exception as error:  # noqa: BLE001 (raised where somebody waits for it)
                found.append(error)
            begun.set()

        self.clock.thread(start).start()
        begun.wait()
        if isinstance(found[0], Exception):
            raise found[0]
        execution: Execution = found[0]
        return execution

    def stop(self, execution: Execution, error: str, cause: str) -> None:
        """Stop an execution, as StopExecution does."""
        from local.repairs.executions import stop

        stop(execution, error, cause)

    def listen(self, listener: StatusListener) -> None:
        """Call a listener whenever an execution starts or ends; it must not wait."""
        self._listeners.append(listener)

    def find(self, execution: str) -> Execution:
        """Return an execution by its ARN; raises moto's ExecutionDoesNotExist."""
        from local.repairs.executions import find

        found: Execution = find(execution)
        return found

    def others(self, name: str) -> list[tuple[str, Finished]]:
        """Return the executions of other names, with their machines', in the order they began.

        One that still runs is returned as ended now, with the status RUNNING.
        """
        names = {arn: machine for machine, arn in self._machines.items()}
        return [
            (names[execution.state_machine_arn], _finished(execution, self.clock.now()))
            for execution in self._started
            if execution.name != name
        ]

    def publish(self, entries: list[Mapping[str, Any]]) -> None:
        """Take note of events that a machine has put on a bus."""
        now = self.clock.now().isoformat(timespec="milliseconds")
        self.published += [{**entry, "Time": now} for entry in entries]

    def invoke(self, function: str, payload: Json) -> Json:
        """Call a function by its ARN; what the machines' Lambda tasks do."""
        return self._dispatch.invoke(function, payload)

    def ended(self, execution: str, fault: Exception | None) -> None:
        """Take note that an execution is over."""
        if fault is not None:
            self._faults[execution] = fault
        over = self._over.get(execution)
        if over is not None:
            self.clock.hold()  # what it started and left behind stays as it is
            over.set()

    def changed(self, execution: Any) -> None:
        """Tell of an execution's new status, as the account's default bus does on AWS."""
        if execution.exec_status.value == "RUNNING":
            self._started.append(execution)
        for listener in self._listeners:
            listener(status_change(execution))

    def _backend(self) -> Any:
        from moto.stepfunctions.parser.models import stepfunctions_parser_backends

        return stepfunctions_parser_backends[ACCOUNT][REGION]

    @staticmethod
    def _show(execution: Execution, seen: int, on_event: Progress | None) -> int:
        if on_event is None:
            return seen
        events = history(execution, seen)
        for event in events:
            on_event(event)
        return seen + len(events)


def function_arn(name: str) -> str:
    """Return the ARN of a function of a local run."""
    return f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}"


def machine_arn(name: str) -> str:
    """Return the ARN of a machine of a local run."""
    return f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:{_legal(name)}"


def _legal(name: str) -> str:
    """Return a machine's name as Step Functions takes it; references have `@`, `.` and `/`."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", name)


def history(execution: Execution, after: int = 0) -> list[Event]:
    """Return the events of an execution so far, without the first `after`."""
    worker = execution.exec_worker
    if worker is None or worker.env is None:
        return []
    # Not by moto's own function, which copies the whole history each time it is asked.
    manager: Any = worker.env.event_manager
    with manager._mutex:  # noqa: SLF001
        return list(manager._history_event_list[after:])  # noqa: SLF001


def _said(refused: Exception) -> str:
    return str(getattr(refused, "message", None) or refused)


def _filled(text: str, fills: Mapping[str, str]) -> str:
    def fill(found: re.Match[str]) -> str:
        name = found[1]
        if name not in fills:
            raise EngineFault(f"nothing stands for ${{{name}}} on the local engine")
        return fills[name]

    return _PLACEHOLDER.sub(fill, text)


def _finished(execution: Execution, now: datetime | None = None) -> Finished:
    status = execution.exec_status
    assert status is not None
    return Finished(
        name=execution.name,
        status=str(status.value),
        output=execution.output,
        error=execution.error,
        cause=execution.cause,
        started_at=_utc(execution.start_date),
        completed_at=_utc(execution.stop_date or now),
        history=history(execution),
        input=execution.input_data,
    )


def _utc(moment: datetime | None) -> datetime:
    assert moment is not None
    return moment.astimezone(UTC)
