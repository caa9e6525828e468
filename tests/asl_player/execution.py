"""One run of a machine: states one after the other, their data, retries and catchers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from jsonata import Jsonata

from tests.asl_player import blocks, tasks
from tests.asl_player.clock import Process, Signal, Steps
from tests.asl_player.errors import DATA_LIMIT, QUERY_ERROR, RUNTIME, StateFailed
from tests.asl_player.machine import Catcher, Flow, Machine, Results, Rule, State
from tests.asl_player.query import QueryError, Template
from tests.asl_player.records import EPOCH, Data, Entered, Path, Played, Task, timestamp
from tests.asl_player.values import (
    NULL,
    PAYLOAD_LIMIT,
    STORED_LIMIT,
    VARIABLE_LIMIT,
    Value,
    size,
    to_json,
    to_value,
)

if TYPE_CHECKING:
    from tests.asl_player.player import Player

EVENT_LIMIT = 25_000  # event 25,000 is the failure itself
YEAR = 31_536_000.0  # the longest execution, in seconds
_ARN = "arn:aws:states:us-east-1:123456789012"
Next: TypeAlias = tuple[str | None, Value]  # the next state, if any, and its input

_WITH_RETRY_COUNT = frozenset({"Task", "Parallel", "Map"})


@dataclass(slots=True)
class Scope:
    """The variables a flow sees; `sizes` holds the bytes of those it assigned itself."""

    variables: dict[str, Value]
    sizes: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Visit:
    """A state being played: what it entered with, and the retries made so far."""

    state: State
    input: Value
    scope: Scope
    path: Path
    entered: str
    retries: int = 0
    token: str | None = None
    item: Value = None


class Execution:
    """A run in the player's time. `played` is filled as it goes; `ended` fires at its end."""

    def __init__(
        self, player: Player, machine: Machine, input: Data, task: Task, name: str, label: str
    ) -> None:
        self.player = player
        self.clock = player.clock
        self.task = task
        self.played = Played(name, label, self.clock.now)
        self.arn = f"{_ARN}:execution:{label}:{name}"
        data = self.input = to_value(input)
        self._execution = {
            "Id": self.arn,
            "Input": data,
            "Name": name,
            "RoleArn": "arn:aws:iam::123456789012:role/player",
            "StartTime": timestamp(self.clock.now),
            "RedriveCount": 0,
        }
        self._machine = {"Id": f"{_ARN}:stateMachine:{label}", "Name": label}
        self.ended = Signal(self.clock)
        if size(data) > PAYLOAD_LIMIT:
            raise ValueError("AWS does not start a run with an input above 262,144 bytes")
        self.count(1)
        self._root = Process(self.clock, self.flow(machine.flow, data, Scope({}), ()), StateFailed)
        self._root.ended.then(self._finish)
        limit = YEAR if machine.timeout is None else machine.timeout
        self._limit = self.clock.at(limit, lambda: self._stop("TIMED_OUT"))

    def abort(self) -> None:
        """Stop it, as StopExecution does; does nothing once it has ended."""
        self._stop("ABORTED")

    def _stop(self, status: str) -> None:
        if self.ended.fired:
            return
        self._root.abort()
        self._end(status)

    def _finish(self) -> None:
        if self.ended.fired:
            return
        failed = self._root.ended.error
        if isinstance(failed, StateFailed):
            self.played.error, self.played.cause = failed.error, failed.cause
            self._end("FAILED")
        else:
            self.played.output = to_json(self._root.ended.value)
            self._end("SUCCEEDED")

    def _end(self, status: str) -> None:
        self._limit.cancel()
        self.played.status = status
        self.played.end = self.clock.now
        self.played.events = min(self.played.events + 1, EVENT_LIMIT)
        self.ended.fire(self.played)

    # Data

    def count(self, events: int) -> None:
        """Count history events; the run fails where the history is full."""
        self.played.events += events
        if self.played.events >= EVENT_LIMIT:
            raise StateFailed(
                RUNTIME, "The execution reached the maximum number of history events (25000)."
            )

    def evaluate(self, visit: Visit, template: Template, where: str, **also: Value) -> Value:
        """Evaluate a field with `$states` as it is there; `also` adds `result` and the like."""
        states = {"input": visit.input, "context": self._context(visit), **also}
        variables = visit.scope.variables
        now = EPOCH.timestamp() + self.clock.now

        def run(parsed: Jsonata, field: str) -> Value:
            try:
                return self.player.evaluator.evaluate(parsed, variables, states, now)
            except QueryError as error:
                raise self.query_failed(visit, field, str(error)) from None

        return template.evaluate(run, where)

    def query_failed(self, visit: Visit, where: str, message: str) -> StateFailed:
        """Note an expression that failed; returns the error to raise."""
        self.count(1)
        self.played.query_errors.append((visit.state.name, where, message))
        cause = f"An error occurred while executing the state '{visit.state.name}': "
        return StateFailed(QUERY_ERROR, f"{cause}the expression in '{where}' failed: {message}")

    def within_limit(self, value: Value, what: str, visit: Visit) -> Value:
        """Return the value; raise `States.DataLimitExceeded` above 262,144 bytes."""
        if size(value) > PAYLOAD_LIMIT:
            raise StateFailed(
                DATA_LIMIT, f"The {what} of state '{visit.state.name}' exceeds 262144 bytes"
            )
        return value

    def apply(
        self, visit: Visit, results: Results, default: Value, where: str = "", **also: Value
    ) -> Value:
        """Do Assign and Output, both from the values before; return the output."""
        assigned = {}
        if results.assign is not None:
            assigned = self.evaluate(visit, results.assign, f"{where}Assign", **also)
        output = default
        if results.output is not None:
            output = self.evaluate(visit, results.output, f"{where}Output", **also)
        if output is not visit.input:
            self.within_limit(output, "output", visit)
        if assigned:
            self._assign(visit, assigned)
        return output

    def _assign(self, visit: Visit, assigned: dict[str, Value]) -> None:
        scope = visit.scope
        sizes = {name: size(value) for name, value in assigned.items()}
        grown = sum(sizes.values()) - sum(scope.sizes.get(name, 0) for name in sizes)
        stored = self.played.variable_bytes + grown
        if sum(sizes.values()) > VARIABLE_LIMIT or stored > STORED_LIMIT:
            raise StateFailed(
                DATA_LIMIT, f"The variables assigned by state '{visit.state.name}' are too large"
            )
        self.played.variable_bytes = stored
        scope.sizes = {**scope.sizes, **sizes}
        scope.variables = {**scope.variables, **assigned}

    def close_scope(self, scope: Scope) -> None:
        """Forget the variables of a branch or iteration that has ended."""
        self.played.variable_bytes -= sum(scope.sizes.values())

    def _context(self, visit: Visit) -> Value:
        state = {"EnteredTime": visit.entered, "Name": visit.state.name}
        if visit.state.type in _WITH_RETRY_COUNT:
            state["RetryCount"] = visit.retries  # type: ignore[assignment]
        context = {"Execution": self._execution, "State": state, "StateMachine": self._machine}
        if visit.token is not None:
            context["Task"] = {"Token": visit.token}
        if visit.item is not None:
            context["Map"] = {"Item": visit.item}
        return context

    # Control

    def flow(self, flow: Flow, data: Value, scope: Scope, path: Path) -> Steps:
        """Play the states of a flow; the process returns its output."""
        name: str | None = flow.start
        while name is not None:
            state = flow.states[name]
            self.played.entered.append(Entered(self.clock.now, name, path))
            self.count(1)
            visit = Visit(state, data, scope, path, timestamp(self.clock.now))
            if state.type in _AT_ONCE:
                name, data = _AT_ONCE[state.type](self, visit)
            else:
                name, data = yield from _IN_TIME[state.type](self, visit)
            self.count(1)
        return data

    def sleep(self, seconds: float) -> Steps:
        """Wait in virtual time."""
        awake = Signal(self.clock)
        timer = self.clock.at(seconds, awake.fire)
        try:
            yield awake
        finally:
            timer.cancel()

    def _pass(self, visit: Visit) -> Next:
        return visit.state.next, self.apply(visit, visit.state.results, visit.input)

    def _succeed(self, visit: Visit) -> Next:
        return None, self.apply(visit, visit.state.results, visit.input)

    def _fail(self, visit: Visit) -> Next:
        texts: list[str | None] = []
        for key in ("Error", "Cause"):
            template = visit.state.fields.get(key)
            value = None if template is None else self.evaluate(visit, template, key)
            if value is not None and not isinstance(value, str):
                raise self.query_failed(visit, key, "the result is not a string")
            texts.append(value)
        raise StateFailed(*texts)

    def _wait(self, visit: Visit) -> Steps:
        fields = visit.state.fields
        if "Seconds" in fields:
            seconds: float = self.whole(visit, "Seconds", 0, 99_999_999)
        else:
            seconds = self._until(visit)
        yield from self.sleep(seconds)
        return visit.state.next, self.apply(visit, visit.state.results, visit.input)

    def _until(self, visit: Visit) -> float:
        written = self.evaluate(visit, visit.state.fields["Timestamp"], "Timestamp")
        try:
            moment = datetime.fromisoformat(written)
            if "T" not in written or moment.tzinfo is None:
                raise ValueError
        except (TypeError, ValueError):
            message = f"{written!r} is no timestamp with an offset"
            raise self.query_failed(visit, "Timestamp", message) from None
        return (moment - EPOCH).total_seconds() - self.clock.now

    def _choice(self, visit: Visit) -> Next:
        state = visit.state
        for index, rule in enumerate(state.rules):
            if self._holds(visit, rule, index):
                where = f"Choices[{index}]."
                return rule.next, self.apply(visit, rule.results, visit.input, where)
        if state.next is None:
            raise StateFailed(RUNTIME, "States.NoChoiceMatched: no rule holds, and no Default")
        return state.next, self.apply(visit, state.results, visit.input)

    def _holds(self, visit: Visit, rule: Rule, index: int) -> bool:
        where = f"Choices[{index}].Condition"
        answer = self.evaluate(visit, rule.condition, where)
        if not isinstance(answer, bool):
            raise self.query_failed(visit, where, "the result is not a boolean")
        return answer

    def whole(self, visit: Visit, where: str, least: int, most: int) -> int:
        """Evaluate a field that must be a whole number between two bounds."""
        value = self.evaluate(visit, visit.state.fields[where], where)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            message = f"{to_json(value)!r} is no whole number from {least} to {most}"
            raise self.query_failed(visit, where, message)
        return value

    def _guarded(self, visit: Visit, attempt: Callable[[Execution, Visit], Steps]) -> Steps:
        """Play a Task, Parallel or Map with its Retry and Catch."""
        state = visit.state
        made = [0] * len(state.retry)
        while True:
            try:
                result = yield from attempt(self, visit)
                return state.next, self.apply(visit, state.results, result, result=result)
            except StateFailed as error:
                failed = error
            delay = _retry_delay(state, made, failed)
            if delay is None:
                return self._caught(visit, failed)
            yield from self.sleep(delay)
            visit.retries += 1
            self.played.retries += 1

    def _caught(self, visit: Visit, failed: StateFailed) -> tuple[str, Value]:
        for index, catcher in enumerate(visit.state.catch):
            if failed.matches(catcher.errors):
                return catcher.next, self._catch(visit, catcher, failed, f"Catch[{index}].")
        raise failed

    # A missing name or cause reaches the catcher as null: so AWS does for SendTaskFailure; for
    # other errors it is not known, and null is what is harder to get right.
    def _catch(self, visit: Visit, catcher: Catcher, failed: StateFailed, where: str) -> Value:
        error = {"Error": _text(failed.error), "Cause": _text(failed.cause)}
        return self.apply(visit, catcher.results, error, where, errorOutput=error)


_AT_ONCE: dict[str, Callable[[Execution, Visit], Next]] = {
    "Pass": Execution._pass,
    "Succeed": Execution._succeed,
    "Fail": Execution._fail,
    "Choice": Execution._choice,
}
_IN_TIME: dict[str, Callable[[Execution, Visit], Steps]] = {
    "Wait": Execution._wait,
    "Task": partial(Execution._guarded, attempt=tasks.attempt),
    "Parallel": partial(Execution._guarded, attempt=blocks.parallel),
    "Map": partial(Execution._guarded, attempt=blocks.map_items),
}


def _retry_delay(state: State, made: list[int], failed: StateFailed) -> float | None:
    """Return the seconds until the next attempt; the first retrier that matches decides."""
    for index, retrier in enumerate(state.retry):
        if failed.matches(retrier.errors):
            if made[index] >= retrier.attempts:
                return None
            made[index] += 1
            return retrier.delay(made[index] - 1)
    return None


def _text(value: str | None) -> Value:
    return NULL if value is None else value
