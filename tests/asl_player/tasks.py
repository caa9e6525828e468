"""One attempt of a Task state: arguments, call, answer or token, time limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.asl_player.clock import Clock, Signal, Steps, Timer
from tests.asl_player.errors import TIMEOUT, StateFailed
from tests.asl_player.records import Call, Outcome, TaskFailed
from tests.asl_player.values import Value, to_json, to_value

if TYPE_CHECKING:
    from tests.asl_player.execution import Execution, Visit

_MOST = 99_999_999  # seconds, of TimeoutSeconds and HeartbeatSeconds


@dataclass(slots=True)
class Pending:
    """An attempt under way: `done` fires with the result, or with a `StateFailed`."""

    clock: Clock
    done: Signal
    heartbeat: int | None
    beat: Timer | None = None

    def alive(self) -> None:
        """Start the heartbeat's time anew."""
        if self.heartbeat is None:
            return
        if self.beat is not None:
            self.beat.cancel()
        late = StateFailed(TIMEOUT, "Heartbeat missed", heartbeat=True)
        self.beat = self.clock.at(self.heartbeat, lambda: self.done.fire(error=late))


def attempt(run: Execution, visit: Visit) -> Steps:
    """Call the task once; the process returns the state's result or raises `StateFailed`.

    An answer that comes at the very moment of the time limit counts.
    """
    state, player = visit.state, run.player
    visit.token = player.new_token() if state.has_token else None
    arguments: Value = {}
    if "Arguments" in state.fields:
        arguments = run.evaluate(visit, state.fields["Arguments"], "Arguments")
        run.within_limit(arguments, "payload", visit)
    timeout = _seconds(run, visit, "TimeoutSeconds")
    heartbeat = _seconds(run, visit, "HeartbeatSeconds")
    run.count(2)
    pending = Pending(run.clock, Signal(run.clock), heartbeat)
    call = Call(
        state.resource, to_json(arguments), state.name, visit.retries, run.clock.now,
        visit.token, visit.path, run.arn, player,
    )  # fmt: skip
    run.played.calls.append(call)
    if visit.token is not None:
        run.count(1)
        player.pending[visit.token] = pending
    outcome = _ask(run, call)
    timers = [_answer(run, visit, outcome, pending)]
    pending.alive()
    if timeout is not None:
        late = StateFailed(TIMEOUT, None)
        timers.append(run.clock.at(timeout, lambda: pending.done.fire(error=late)))
    result = yield from _await(run, call, outcome, pending, timers)
    return run.within_limit(result, "result", visit)


def _seconds(run: Execution, visit: Visit, field: str) -> int | None:
    return run.whole(visit, field, 1, _MOST) if field in visit.state.fields else None


def _ask(run: Execution, call: Call) -> Outcome:
    try:
        return run.task(call)
    except TaskFailed as failed:
        return Outcome(failure=failed)


def _answer(run: Execution, visit: Visit, outcome: Outcome, pending: Pending) -> Timer | None:
    """Arrange for the outcome to end the attempt."""
    done = pending.done
    if outcome.failure is not None:
        failed = StateFailed(outcome.failure.error, outcome.failure.cause)
        return run.clock.at(outcome.takes, lambda: done.fire(error=failed))
    if visit.state.waits_for_token:
        return None
    if outcome.child is not None:
        outcome.child.report_to(done)
        return None
    return run.clock.at(outcome.takes, lambda: done.fire(to_value(outcome.result)))


def _await(
    run: Execution, call: Call, outcome: Outcome, pending: Pending, timers: list[Timer | None]
) -> Steps:
    try:
        result = yield pending.done
        call.status = "succeeded"
        run.count(1)
    except StateFailed as failed:
        call.status = "timed_out" if failed.error == TIMEOUT else "failed"
        call.error = failed.error
        run.count(1)
        raise
    except GeneratorExit:
        call.status = "aborted"
        raise
    finally:
        call.end = run.clock.now
        for timer in [*timers, pending.beat]:
            if timer is not None:
                timer.cancel()
        if call.token is not None:
            del run.player.pending[call.token]
        if outcome.child is not None and call.status != "succeeded":
            outcome.child.stop()
    return result
