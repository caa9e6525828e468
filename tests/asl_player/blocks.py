"""Parallel and Map: several flows at once, which end together or are aborted together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from tests.asl_player.clock import Process, Signal, Steps
from tests.asl_player.errors import StateFailed
from tests.asl_player.values import Value, text

if TYPE_CHECKING:
    from tests.asl_player.execution import Execution, Visit

_INLINE_AT_ONCE = 40
_DISTRIBUTED_AT_ONCE = 10_000

Start: TypeAlias = Callable[[], Steps]  # makes the flow when its turn comes


def parallel(run: Execution, visit: Visit) -> Steps:
    """Play every branch at once; the process returns the list of their outputs."""
    from tests.asl_player.execution import Scope

    state, data = visit.state, visit.input
    if "Arguments" in state.fields:
        data = run.evaluate(visit, state.fields["Arguments"], "Arguments")
        run.within_limit(data, "input", visit)
    run.count(1)

    def start(index: int) -> Start:
        def branch() -> Steps:
            scope = Scope(visit.scope.variables)
            try:
                path = (*visit.path, (state.name, index))
                return (yield from run.flow(state.flows[index], data, scope, path))
            finally:
                run.close_scope(scope)

        return branch

    branches = [start(index) for index in range(len(state.flows))]
    results = yield from _join(run, branches, len(branches))
    run.count(1)
    return run.within_limit(results, "result", visit)


def map_items(run: Execution, visit: Visit) -> Steps:
    """Play the body for every item; the process returns the list of their outputs.

    A distributed Map's children see no outer variables; otherwise they are played like
    iterations, without an execution of their own.
    """
    state = visit.state
    items = visit.input
    if "Items" in state.fields:
        items = run.evaluate(visit, state.fields["Items"], "Items")
    if not isinstance(items, list):
        raise run.query_failed(visit, "Items", "the result is not an array")
    most = _DISTRIBUTED_AT_ONCE if state.distributed else _INLINE_AT_ONCE
    at_once = 0
    if "MaxConcurrency" in state.fields:
        at_once = run.whole(visit, "MaxConcurrency", 0, 2**31)
    tolerated = _tolerated(run, visit, len(items)) if state.distributed else None
    run.count(1)
    iterations = [_iteration(run, visit, index, item) for index, item in enumerate(items)]
    results = yield from _join(run, iterations, min(at_once or most, most), tolerated)
    run.count(1)
    return run.within_limit(results, "result", visit)


def _iteration(run: Execution, visit: Visit, index: int, item: Value) -> Start:
    from tests.asl_player.execution import Scope

    state = visit.state

    def iteration() -> Steps:
        data = item
        if "ItemSelector" in state.fields:
            visit.item = {"Index": index, "Value": item}
            try:
                data = run.evaluate(visit, state.fields["ItemSelector"], "ItemSelector")
            finally:
                visit.item = None
        run.within_limit(data, "item", visit)
        run.count(1)
        scope = Scope({} if state.distributed else visit.scope.variables)
        try:
            path = (*visit.path, (state.name, index))
            result = yield from run.flow(state.flows[0], data, scope, path)
        finally:
            run.close_scope(scope)
        run.count(1)
        return result

    return iteration


def _tolerated(run: Execution, visit: Visit, items: int) -> int:
    """Return how many children may fail: the larger of the two thresholds."""
    fields = visit.state.fields
    count = 0
    if "ToleratedFailureCount" in fields:
        count = run.whole(visit, "ToleratedFailureCount", 0, 2**31)
    if "ToleratedFailurePercentage" in fields:
        percent = run.whole(visit, "ToleratedFailurePercentage", 0, 100)
        count = max(count, math.floor(items * percent / 100))
    return count


class _Join:
    """Flows played at once, at most `at_once` of them; `done` fires when all have ended."""

    def __init__(
        self, run: Execution, starts: Sequence[Start], at_once: int, tolerated: int | None
    ) -> None:
        self._run, self._starts, self._at_once = run, starts, at_once
        self._tolerated = tolerated
        self._processes: list[Process] = []
        self._results: list[Value] = [None] * len(starts)
        self._open = len(starts)
        self._failures = 0
        self.done = Signal(run.clock)
        if not starts:
            self.done.fire([])
        for _ in range(min(at_once, len(starts))):
            self._start_next()

    def abort(self) -> None:
        for process in self._processes:
            process.abort()

    def _start_next(self) -> None:
        index = len(self._processes)
        process = Process(self._run.clock, self._starts[index](), StateFailed)
        self._processes.append(process)
        process.ended.then(lambda: self._ended(index, process))

    def _ended(self, index: int, process: Process) -> None:
        if self.done.fired:
            return
        failed = process.ended.error
        self._results[index] = process.ended.value
        if isinstance(failed, StateFailed):
            self._failures += 1
            excess = self._excess(failed)
            if excess is not None:
                self.done.fire(error=excess)
                return
            self._results[index] = _failed_child(failed)
        self._open -= 1
        if self._open == 0:
            self.done.fire(self._results)
        elif len(self._processes) < len(self._starts):
            self._start_next()

    def _excess(self, failed: StateFailed) -> StateFailed | None:
        """Return the error of the whole state, or None where the failure is tolerated."""
        if self._tolerated is None or failed.error == "States.Runtime":
            return failed
        if self._failures <= self._tolerated:
            return None
        return StateFailed(
            "States.ExceedToleratedFailureThreshold", "The number of failed items is too large"
        )


def _join(
    run: Execution, starts: Sequence[Start], at_once: int, tolerated: int | None = None
) -> Steps:
    join = _Join(run, starts, at_once, tolerated)
    try:
        return (yield join.done)
    except StateFailed:
        run.count(1)
        raise
    finally:
        join.abort()


def _failed_child(failed: StateFailed) -> Value:
    """Return what a distributed Map's result holds for a child that failed."""
    return {"Status": "FAILED", "Error": failed.error or "", "Cause": text(failed.cause or "")}
