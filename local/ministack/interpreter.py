"""Step Functions machines in JSONata mode, in real time, with threads for what runs at once.

ministack's own interpreter lets branches share variables, waits for all branches where one has
failed, and writes no events inside them; on those three the compiler's machines and the records
of runs depend.
"""

from __future__ import annotations

import contextvars
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Protocol

from local.evaluator import EvaluationError, evaluate
from local.ministack.history import History, text
from local.ministack.retries import Retries, catcher
from local.ministack.scopes import Failure, Scope, Stopped, tell
from protocol.payloads import Json

_EVALUATING = threading.Lock()
"""The library keeps what it evaluates in a tree that calls share."""
LONGEST_BYTES = 262_144
"""https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html"""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at a Task, as `Calls` carries it out."""

    state: Mapping[str, Any]
    arguments: Json
    token: str
    seconds: float | None
    scope: Scope
    history: History
    before: int


class Calls(Protocol):
    """What Tasks do."""

    def new_token(self) -> str:
        """Return a token for an attempt that may be answered from outside."""

    def carry_out(self, attempt: Attempt) -> tuple[Json, int]:
        """Return a Task's result and its last event's id; raises Failure and Stopped."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One visit of a state: where it is, what it was given, and the event before."""

    name: str
    state: Mapping[str, Any]
    given: Json
    scope: Scope
    before: int
    item: Mapping[str, Json] | None = None
    entered: str = ""
    retries: int = 0
    token: str | None = None


class Machine:
    """One execution of a machine; `context` are the fields of `$states.context` but the state's.

    `scale` is what a second of the definition takes; waits and timeouts alike.
    """

    def __init__(
        self, context: Mapping[str, Json], calls: Calls, history: History, scale: float = 1.0
    ) -> None:
        self._context = context
        self._calls = calls
        self._history = history
        self._scale = scale

    def run(self, machine: Mapping[str, Any], given: Json, scope: Scope, before: int) -> Json:
        """Carry states out from the first to an end and return the output.

        Raises Failure and Stopped.
        """
        return self._states(machine, given, scope, before)[0]

    def _states(
        self, machine: Mapping[str, Any], given: Json, scope: Scope, before: int
    ) -> tuple[Json, int]:
        name: str | None = machine["StartAt"]
        while name is not None:
            scope.check()
            state = machine["States"][name]
            kind = state["Type"]
            at = self._history.add(f"{kind}StateEntered", before, name=name, input=text(given))
            visit = Visit(name, state, given, scope, at, entered=_now())
            given, name, before = self._visited(visit, kind)
            if kind != "Fail":
                before = self._history.add(
                    f"{kind}StateExited", before, name=visit.name, output=text(given)
                )
        return given, before

    def _visited(self, visit: Visit, kind: str) -> tuple[Json, str | None, int]:
        state = visit.state
        if kind == "Fail":
            raise Failure(self._text(visit, "Error"), self._text(visit, "Cause"))
        if kind == "Choice":
            return self._chosen(visit)
        if kind in ("Task", "Parallel", "Map"):
            return self._tried(visit, {"Task": self._task, "Map": self._map}.get(kind))
        if kind == "Wait":
            visit.scope.sleep(self._wait_seconds(visit) * self._scale)
        output = self._shaped(visit, state, visit.given, {})
        return output, state.get("Next"), visit.before

    # --- states that fail -----------------------------------------------------------------------

    def _tried(
        self, visit: Visit, attempt: Callable[[Visit], tuple[Json, int]] | None
    ) -> tuple[Json, str | None, int]:
        """Carry out a state that may be retried and caught; without `attempt` a Parallel."""
        retries = Retries(visit.state.get("Retry", []))
        while True:
            visit = replace(visit, retries=retries.count, token=self._calls.new_token())
            try:
                result, before = (attempt or self._parallel)(visit)
                output = self._shaped(visit, visit.state, result, {"result": result})
                return output, visit.state.get("Next"), before
            except Failure as failure:
                if failure.error == "States.QueryEvaluationError":
                    self._evaluation_failed(visit, failure)
                delay = retries.delay(failure)
                if delay is None:
                    return self._caught(visit, failure)
            visit.scope.sleep(delay * self._scale)

    def _caught(self, visit: Visit, failure: Failure) -> tuple[Json, str | None, int]:
        found = catcher(visit.state, failure)
        if found is None:
            raise failure
        error: Json = {"Error": failure.error, "Cause": failure.cause}
        output = self._shaped(visit, found, error, {"errorOutput": error})
        return output, str(found["Next"]), visit.before

    def _task(self, visit: Visit) -> tuple[Json, int]:
        arguments = self._value(visit, visit.state.get("Arguments", visit.given), {})
        seconds = visit.state.get("TimeoutSeconds")
        if seconds is not None:
            seconds = self._number(visit, "TimeoutSeconds") * self._scale
        done, before = self._calls.carry_out(
            Attempt(
                visit.state,
                arguments,
                visit.token or "",
                seconds,
                visit.scope,
                self._history,
                visit.before,
            )
        )
        _check_size(done)
        return done, before

    def _parallel(self, visit: Visit) -> tuple[Json, int]:
        given = self._value(visit, visit.state.get("Arguments", visit.given), {})
        before = self._history.add("ParallelStateStarted", visit.before)
        branches = visit.state["Branches"]
        done = self._at_once(
            visit.scope,
            [partial(self._branch, one, given, before) for one in branches],
            len(branches),
        )
        return done, self._history.add("ParallelStateSucceeded", before)

    def _branch(self, branch: Mapping[str, Any], given: Json, before: int, scope: Scope) -> Json:
        return self._states(branch, given, scope, before)[0]

    def _map(self, visit: Visit) -> tuple[Json, int]:
        state = visit.state
        items = self._value(visit, state["Items"], {}) if "Items" in state else visit.given
        if not isinstance(items, list):
            raise Failure("States.QueryEvaluationError", "the Items of a Map must be an array")
        most = state.get("MaxConcurrency", 0)
        most = self._number(visit, "MaxConcurrency") if isinstance(most, str) else most
        before = self._history.add("MapStateStarted", visit.before, length=len(items))
        done = self._at_once(
            visit.scope,
            [partial(self._iteration, visit, before, at, item) for at, item in enumerate(items)],
            int(most) or len(items),
        )
        return done, self._history.add("MapStateSucceeded", before)

    def _iteration(self, visit: Visit, before: int, at: int, item: Json, scope: Scope) -> Json:
        selected = replace(visit, item={"Index": at, "Value": item}, scope=scope)
        given = self._value(selected, visit.state.get("ItemSelector", item), {})
        began = self._history.add("MapIterationStarted", before, name=visit.name, index=at)
        output, last = self._states(visit.state["ItemProcessor"], given, scope, began)
        self._history.add("MapIterationSucceeded", last, name=visit.name, index=at)
        return output

    def _at_once(self, around: Scope, parts: list[Callable[[Scope], Json]], most: int) -> Json:
        """Carry out parts at once, at most so many; the first failure stops all others."""
        scope = Scope(around)
        given: list[Json] = [None] * len(parts)
        failures: list[BaseException] = []
        left = iter(list(enumerate(parts)))
        working = [0]

        def work() -> None:
            try:
                while not scope.is_stopped():
                    at, part = next(left, (None, None))
                    if part is None or at is None:
                        break
                    given[at] = part(Scope(scope))
            except Stopped:
                pass
            except BaseException as failure:  # noqa: BLE001 (raised where they are waited for)
                failures.append(failure)
                scope.stop()
            finally:
                working[0] -= 1
                tell()

        workers = min(most, len(parts))
        working[0] = workers
        for _ in range(workers):
            context = contextvars.copy_context()
            threading.Thread(target=context.run, args=(work,), daemon=True).start()
        around.wait(lambda: working[0] == 0 or bool(failures))
        if failures:
            raise failures[0]
        around.check()
        return given

    # --- expressions ----------------------------------------------------------------------------

    def _chosen(self, visit: Visit) -> tuple[Json, str | None, int]:
        for rule in visit.state["Choices"]:
            holds = self._value(visit, rule["Condition"], {})
            if not isinstance(holds, bool):
                raise Failure("States.QueryEvaluationError", "a Condition must be a boolean")
            if holds:
                return self._shaped(visit, rule, visit.given, {}), str(rule["Next"]), visit.before
        if "Default" not in visit.state:
            raise Failure("States.Runtime", "no rule of the Choice holds, and it has no Default")
        output = self._shaped(visit, visit.state, visit.given, {})
        return output, str(visit.state["Default"]), visit.before

    def _shaped(
        self, visit: Visit, fields: Mapping[str, Any], default: Json, seen: Mapping[str, Json]
    ) -> Json:
        """Evaluate Output and Assign from the same values; then set the variables."""
        output = self._value(visit, fields["Output"], seen) if "Output" in fields else default
        _check_size(output)
        values = self._value(visit, fields.get("Assign", {}), seen)
        assert isinstance(values, dict)
        visit.scope.assign(values)
        return output

    def _value(self, visit: Visit, template: Any, seen: Mapping[str, Json]) -> Json:
        if isinstance(template, dict):
            return {key: self._value(visit, part, seen) for key, part in template.items()}
        if isinstance(template, list):
            return [self._value(visit, part, seen) for part in template]
        if not (isinstance(template, str) and template.startswith("{%")):
            whole: Json = template
            return whole
        if visit.scope.is_stopped():
            raise Stopped
        states: dict[str, Json] = {
            "input": visit.given,
            "context": self._context_of(visit),
            **seen,
        }
        expression = template[2:-2].strip()
        try:
            with _EVALUATING:
                return evaluate(expression, visit.scope.variables(), states, datetime.now(UTC))
        except EvaluationError as error:
            raise Failure("States.QueryEvaluationError", str(error)) from None

    def _context_of(self, visit: Visit) -> Json:
        found: dict[str, Json] = {
            **self._context,
            "State": {
                "Name": visit.name,
                "EnteredTime": visit.entered,
                "RetryCount": visit.retries,
            },
        }
        if visit.token is not None:
            found["Task"] = {"Token": visit.token}
        if visit.item is not None:
            found["Map"] = {"Item": dict(visit.item)}
        return found

    def _text(self, visit: Visit, field: str) -> str | None:
        if field not in visit.state:
            return None
        value = self._value(visit, visit.state[field], {})
        if not isinstance(value, str):
            raise Failure("States.QueryEvaluationError", f"the {field} of a Fail must be a text")
        return value

    def _number(self, visit: Visit, field: str) -> float:
        value = self._value(visit, visit.state[field], {})
        if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
            raise Failure("States.QueryEvaluationError", f"{field} must be a whole number")
        return float(value)

    def _wait_seconds(self, visit: Visit) -> float:
        if "Seconds" in visit.state:
            seconds = self._number(visit, "Seconds")
            if seconds < 0:
                raise Failure("States.QueryEvaluationError", "Seconds cannot be negative")
            return seconds
        stamp = self._value(visit, visit.state["Timestamp"], {})
        try:
            until = datetime.fromisoformat(str(stamp))
            return max(0.0, (until - datetime.now(UTC)).total_seconds())
        except (TypeError, ValueError):
            message = f"'{stamp}' is no Timestamp with an offset"
            raise Failure("States.QueryEvaluationError", message) from None

    def _evaluation_failed(self, visit: Visit, failure: Failure) -> None:
        self._history.add(
            "EvaluationFailed",
            visit.before,
            error=failure.error,
            cause=failure.cause,
            state=visit.name,
        )


def _check_size(value: Json) -> None:
    if len(text(value).encode()) > LONGEST_BYTES:
        raise Failure("States.DataLimitExceeded", "the state's result or output is too large")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parsed(value: str | None) -> Json:
    """Return the JSON in a text, or the text itself where it is none."""
    try:
        found: Json = json.loads(value or "null")
    except ValueError:
        return value
    return found
