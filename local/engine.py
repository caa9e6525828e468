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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from local import active, repairs
from local.active import Answering
from local.clock import Clock
from local.dispatch import Dispatch, Function
from local.finished import Event, Finished, finished, history
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

Progress: TypeAlias = Callable[[Event], None]
StatusListener: TypeAlias = Callable[[Mapping[str, Any]], None]
"""Called with an EventBridge event of a changed execution status."""


class EngineFault(RuntimeError):
    """The engine itself failed, or was asked for what it does not have."""


@dataclass(slots=True)
class _Watch:
    """Somebody waits for an execution's end; with `holds` time stands still from then on."""

    holds: bool = False
    over: threading.Event = field(default_factory=threading.Event)


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
        """Entries put on a bus in the order they came, with their `Time`."""
        self._seed = seed
        self._dispatch = Dispatch(functions, self.clock)
        self._mock: MockAWS | None = None
        self._watched: dict[str, _Watch] = {}
        self._faults: dict[str, Exception] = {}
        self._machines: dict[str, str] = {}
        self._listeners: list[StatusListener] = []
        self._readers: list[Callable[[], None]] = []
        self._takers: list[Callable[[Mapping[str, Any]], None]] = []
        self._started: list[Execution] = []

    def __enter__(self) -> Self:
        repairs.install()
        from moto import mock_aws

        from local.repairs import sessions

        logging.getLogger("moto.stepfunctions").setLevel(logging.CRITICAL)
        active.enter(self)
        repairs.seed(self._seed)
        try:
            os.environ.setdefault("AWS_DEFAULT_REGION", REGION)
            self._mock = mock_aws(config={"stepfunctions": {"execute_state_machine": True}})
            self._mock.start()
            sessions.begin()
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
        arns = {f"machine:{name}": machine_arn(name) for name in machines}
        for name, definition in machines.items():
            text = filled(json.dumps(definition), {**fills, **arns})
            with _refusals(name):
                machine = self._backend().create_state_machine(_legal(name), text, ROLE)
            self._machines[name] = machine.arn

    def put(self, name: str, text: str) -> str:
        """Make a machine, or a new version of it, of a definition without placeholders.

        Return the version's ARN, by which a parent started now goes on starting it. Running
        executions keep the version they began with. What AWS would refuse is refused when it is
        started.
        """
        from moto.stepfunctions.models import StepFunctionBackend

        backend = self._backend()
        # Not by the parser's own, which reads the definition: many are laid and never started.
        with _refusals(name):
            machine = StepFunctionBackend.create_state_machine(
                backend, name, text, ROLE, publish=True
            )
            if machine.definition != text:
                StepFunctionBackend.update_state_machine(backend, machine.arn, text, publish=True)
        self._machines[name] = machine.arn
        return f"{machine.arn}:{machine.latest_version_number}"

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
        arn = self._machines[machine].replace(":stateMachine:", ":execution:") + f":{name}"
        watch = self._watched[arn] = _Watch(holds=True)
        execution = self.start(machine, execution_input, name)
        return self._wait(execution, watch, on_event, on_interrupt)

    def start(self, machine: str, execution_input: Json, name: str) -> Execution:
        """Start an execution; raises moto's errors of StartExecution."""
        text = json.dumps(execution_input)
        started: Execution = self.on_clock(
            lambda: self._backend().start_execution(self._machines[machine], name, text)
        )
        return started

    def wait(
        self,
        execution: Execution,
        on_event: Progress | None = None,
        on_interrupt: Callable[[], None] | None = None,
    ) -> Finished:
        """Wait for an execution's end and return it, as `execute`; but time goes on."""
        watch = self._watched.setdefault(execution.exec_arn, _Watch())
        status = execution.exec_status
        if status is not None and status.value != "RUNNING":
            watch.over.set()
        return self._wait(execution, watch, on_event, on_interrupt)

    def _wait(
        self,
        execution: Execution,
        watch: _Watch,
        on_event: Progress | None,
        on_interrupt: Callable[[], None] | None,
    ) -> Finished:
        seen = 0
        try:
            while not watch.over.wait(0.05 if on_event else None):
                seen = self._show(execution, seen, on_event)
        except KeyboardInterrupt:
            self.stop(execution, INTERRUPTED, "stopped by the user")
            if on_interrupt is not None:
                on_interrupt()
            if not watch.over.wait(_PATIENCE):
                raise
        self._show(execution, seen, on_event)
        fault = self._faults.get(execution.exec_arn)
        if fault is not None:
            raise EngineFault(f"the engine failed: {fault!r}") from fault
        return finished(execution)

    def on_clock(self, work: Callable[[], Any]) -> Any:
        """Return what a piece of work gives on a thread of the clock; raises what it raises.

        So nothing happens beside it. The caller must be on no such thread itself.
        """
        found: list[Any] = []
        raised: list[BaseException] = []
        over = threading.Event()

        def carry_out() -> None:
            try:
                found.append(work())
            except BaseException as error:  # noqa: BLE001 (raised where somebody waits for it)
                raised.append(error)
            finally:
                over.set()

        self.clock.thread(carry_out).start()
        over.wait()
        if raised:
            raise raised[0]
        return found[0]

    def stop(self, execution: Execution, error: str, cause: str) -> None:
        """Stop an execution, as StopExecution does."""
        from local.repairs.executions import stop

        stop(execution, error, cause)

    def listen(self, listener: StatusListener) -> None:
        """Call a listener whenever an execution starts or ends; it must not wait."""
        self._listeners.append(listener)

    def read_writes(self, reader: Callable[[], None]) -> None:
        """Call a reader after each write to a table, on the writer's thread; it must not wait."""
        self._readers.append(reader)

    def take_events(self, taker: Callable[[Mapping[str, Any]], None]) -> None:
        """Call a taker with each entry that is put on a bus, with its `Time`; it must not wait."""
        self._takers.append(taker)

    def find(self, execution: str) -> Execution:
        """Return an execution by its ARN; raises moto's ExecutionDoesNotExist."""
        from local.repairs.executions import find

        found: Execution = find(execution)
        return found

    def running(self) -> list[Execution]:
        """Return the executions that are not over."""
        return [
            execution
            for execution in self._started
            if execution.exec_status is not None and execution.exec_status.value == "RUNNING"
        ]

    def others(self, name: str) -> list[tuple[str, Finished]]:
        """Return the executions of other names, with their machines', in the order they began.

        One that still runs is returned as ended now, with the status RUNNING.
        """
        names = {arn: machine for machine, arn in self._machines.items()}
        return [
            (names[execution.state_machine_arn], finished(execution, self.clock.now()))
            for execution in self._started
            if execution.name != name
        ]

    def publish(self, entries: list[Mapping[str, Any]]) -> None:
        """Take note of events that a machine or a function has put on a bus."""
        now = self.clock.now().isoformat(timespec="milliseconds")
        timed = [{**entry, "Time": now} for entry in entries]
        self.published += timed
        for taker in self._takers:
            for entry in timed:
                taker(entry)

    def wrote(self) -> None:
        """Take note that something was written to a table."""
        for reader in self._readers:
            reader()

    def invoke(self, function: str, payload: Json) -> Json:
        """Call a function by its ARN; what the machines' Lambda tasks do."""
        return self._dispatch.invoke(function, payload)

    def ended(self, execution: str, fault: Exception | None) -> None:
        """Take note that an execution is over."""
        if fault is not None:
            self._faults[execution] = fault
        watch = self._watched.get(execution)
        if watch is not None:
            if watch.holds:
                self.clock.hold()  # what it started and left behind stays as it is
            watch.over.set()

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


@contextmanager
def _refusals(name: str) -> Iterator[None]:
    """Raise EngineFault where Step Functions would refuse the machine."""
    from moto.core.exceptions import JsonRESTError, ServiceException

    try:
        yield
    except (JsonRESTError, ServiceException) as refused:
        raise EngineFault(f"the machine '{name}' was refused: {_said(refused)}") from refused


def _said(refused: Exception) -> str:
    return str(getattr(refused, "message", None) or refused)


def filled(text: str, fills: Mapping[str, str]) -> str:
    """Return a definition with its placeholders filled in; raises EngineFault for one unknown."""

    def fill(found: re.Match[str]) -> str:
        name = found[1]
        if name not in fills:
            raise EngineFault(f"nothing stands for ${{{name}}} on the local engine")
        return fills[name]

    return _PLACEHOLDER.sub(fill, text)
