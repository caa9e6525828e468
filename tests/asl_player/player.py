"""Playing machines: the entry points, and the handle that stubs get."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.asl_player.clock import Clock, Signal, Timer
from tests.asl_player.errors import StateFailed
from tests.asl_player.execution import Execution
from tests.asl_player.machine import Machine
from tests.asl_player.query import Evaluator
from tests.asl_player.records import Call, Data, Outcome, Played, Task, timestamp
from tests.asl_player.tasks import Pending
from tests.asl_player.values import PAYLOAD_LIMIT, size, text, to_json, to_value


class Child:
    """An execution that another one started."""

    def __init__(self, execution: Execution) -> None:
        self._execution = execution
        self.played = execution.played

    def stop(self) -> None:
        """Abort it, unless it has ended."""
        self._execution.abort()

    def report_to(self, done: Signal) -> None:
        """End a `.sync:2` task with this execution, as AWS does."""
        self._execution.ended.then(lambda: self._report(done))

    def _report(self, done: Signal) -> None:
        described = self.describe()
        if self.played.status == "SUCCEEDED":
            done.fire(to_value(described))
        else:
            done.fire(error=StateFailed("States.TaskFailed", text(to_value(described))))

    def describe(self) -> dict[str, Data]:
        """Return what DescribeExecution tells, with `Output` parsed."""
        played = self.played
        described: dict[str, Data] = {
            "ExecutionArn": self._execution.arn,
            "Input": to_json(self._execution.input),
            "Name": played.name,
            "StartDate": timestamp(played.start),
            "StateMachineArn": self._execution.arn.rpartition(":")[0].replace(
                ":execution:", ":stateMachine:"
            ),
            "Status": played.status,
        }
        if played.end is not None:
            described["StopDate"] = timestamp(played.end)
        if played.status == "SUCCEEDED":
            described["Output"] = played.output
        if played.status == "FAILED":
            described["Error"], described["Cause"] = played.error, played.cause
        return dict(sorted(described.items()))


class Player:
    """Several executions in one virtual time; every `Call` has it as `call.player`."""

    def __init__(self, start: float = 0.0, seed: int = 0) -> None:
        self.clock = Clock(start)
        self.evaluator = Evaluator(seed)
        self.pending: dict[str, Pending] = {}
        self.executions: list[Execution] = []
        self._tokens = 0

    @property
    def now(self) -> float:
        """The virtual time in seconds."""
        return self.clock.now

    def at(self, delay: float, callback: Callable[[], object]) -> Timer:
        """Do `callback` in `delay` seconds, unless all executions have ended by then."""
        return self.clock.at(delay, callback)

    def start(
        self,
        machine: Machine | Mapping[str, Any],
        input: Data,
        task: Task,
        *,
        name: str,
        label: str = "m",
        parent: Played | None = None,
    ) -> Child:
        """Start an execution now; it goes on beside the others."""
        compiled = machine if isinstance(machine, Machine) else Machine(machine)
        execution = Execution(self, compiled, input, task, name, label)
        self.executions.append(execution)
        if parent is not None:
            parent.children.append(execution.played)
        return Child(execution)

    def run(self) -> None:
        """Let time pass until every execution has ended."""
        self.clock.run(lambda: all(each.ended.fired for each in self.executions))

    def new_token(self) -> str:
        """Return a token that no attempt had."""
        self._tokens += 1
        return f"token-{self._tokens}"

    def succeed(self, token: str | None, output: Data) -> bool:
        """SendTaskSuccess; false where the token is unknown, used, or its attempt is over."""
        value = to_value(output)
        if size(value) > PAYLOAD_LIMIT:
            raise ValueError("AWS does not take an output above 262,144 bytes")
        pending = self.pending.get(token or "")
        return pending is not None and pending.done.fire(value)

    def fail(self, token: str | None, error: str | None = None, cause: str | None = None) -> bool:
        """SendTaskFailure; false as for `succeed`."""
        if len(error or "") > 256 or len(cause or "") > 32_768:
            raise ValueError("AWS takes 256 characters of error and 32,768 of cause")
        pending = self.pending.get(token or "")
        return pending is not None and pending.done.fire(error=StateFailed(error, cause))

    def stop(self, execution: str) -> None:
        """StopExecution, by the execution's id; its children started by `play_nested` too."""
        for each in self.executions:
            if each.arn == execution:
                each.abort()

    def heartbeat(self, token: str | None) -> bool:
        """SendTaskHeartbeat; false as for `succeed`."""
        pending = self.pending.get(token or "")
        if pending is None or pending.done.fired:
            return False
        pending.alive()
        return True


def play(
    definition: Machine | Mapping[str, Any],
    input: Data,
    task: Task,
    *,
    name: str = "run-1",
    machine: str = "m",
    start_time: float = 0.0,
    seed: int = 0,
) -> Played:
    """Play a machine to its end, and every execution that its stubs started.

    `start_time` is in virtual seconds (0 is the start of 2026). Pass a `Machine` to compile a
    definition once for many plays. Raises `Rejected` for a definition that AWS does not accept.
    """
    player = Player(start_time, seed)
    child = player.start(definition, input, task, name=name, label=machine)
    player.run()
    return child.played


def play_nested(
    call: Call,
    definition: Machine | Mapping[str, Any],
    input: Data,
    task: Task,
    *,
    name: str,
    machine: str = "child",
) -> Outcome:
    """Answer a `startExecution.sync:2` task by a child in the same time.

    The task ends when the child does; where the task is aborted or times out, the child is
    stopped. The child's run is in the parent's `Played.children`.
    """
    player = call.player
    parent = next(each.played for each in player.executions if each.arn == call.execution)
    child = player.start(definition, input, task, name=name, label=machine, parent=parent)
    return Outcome(child=child)
