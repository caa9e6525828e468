"""Stubs: what a scenario lets steps come to in place of being carried out.

A step with a wrapper of ours (actions, scripts) goes through it all the same: claim, retries,
outputs and stored result are the real ones, only the action is not. Other Tasks (direct AWS
calls, child workflows, published events, tasks for people, waits for events) and blocks are
answered by the engine, under the conditions of their states: time-outs, Retry and Catch hold.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias

from functions import ports
from functions.domain.context import Context
from functions.domain.errors import StepError, StepTimedOut, named_error
from functions.domain.moments import lasted
from functions.usecases.carry_out import LEASE_MARGIN, Surroundings, carry_out
from local.active import Answer
from local.clock import Clock
from protocol.payloads import ActionCall, Envelope, Json

TIMED_OUT = "timed_out"
_FOREVER = 100_000_000.0
"""Seconds beyond every timeout of a Task."""
_WAITS_FOR_PEOPLE = ("open", "escalate")
_LEFT_OUT = ("outputs", "secrets", "artifacts", "files")
"""Of a call, what a stub need not have: declared outputs it does not give, files, secrets."""


@dataclass(frozen=True, slots=True)
class Fail:
    """An error; `times` is for how many calls, None: for all."""

    type: str
    message: str = ""
    details: tuple[Json, ...] = ()
    times: int | None = None


@dataclass(frozen=True, slots=True)
class Stub:
    """What a step comes to: after `takes` seconds its outputs, or an error, or a time-out.

    `happens` is the status that it ends in where `fail` says nothing: `timed_out`, `failed`,
    for a person's step also `rejected`; None: it succeeds.
    """

    takes: float = 0.0
    outputs: Mapping[str, Json] = field(default_factory=dict)
    fail: Fail | None = None
    happens: str | None = None


Handler: TypeAlias = Callable[[ActionCall, object], object]


class Stubs:
    """The stubs of a run by the ids of the steps; counts their calls. `local.active.Answering`."""

    def __init__(self, stubs: Mapping[str, Stub], clock: Clock) -> None:
        self._stubs = stubs
        self._clock = clock
        self._calls: defaultdict[str, int] = defaultdict(int)
        self._opened: dict[str, datetime] = {}

    def names(self, call: Mapping[str, object]) -> bool:
        """Whether a call is about a step that has a stub."""
        return call.get("step") in self._stubs

    def stubs_call(self, call: Mapping[str, object]) -> bool:
        """Whether a call of an action's function is answered by a stub."""
        return self.names(call) and not (call.get("stored") or call.get("keep"))

    def around(
        self, handler: Handler, wiring: Callable[[], Surroundings]
    ) -> Callable[[ActionCall, object], object]:
        """Return an action's handler that carries steps with a stub out by it."""

        def handle(call: ActionCall, context: object) -> object:
            if not self.stubs_call(call):
                return handler(call, context)
            return self._carried_out(call, wiring())

        return handle

    def _carried_out(self, call: ActionCall, around: Surroundings) -> Envelope:
        stub = self._stubs[call["step"]]
        fails = self._fails(stub, _path(call))
        action = _StubAction(stub, fails)
        results = _Delayed(around.results, self._clock, action)
        kept = {name: value for name, value in call.items() if name not in _LEFT_OUT}
        bare: ActionCall = json.loads(json.dumps(kept))
        return carry_out(bare, action, replace(around, results=results))

    def _fails(self, stub: Stub, key: str) -> bool:
        self._calls[key] += 1
        if stub.fail is None:
            return stub.happens == "failed"
        return stub.fail.times is None or self._calls[key] <= stub.fail.times

    def seconds(self, state: str) -> float | None:
        """Return how long a step's Wait takes by its stub; not those of its retries."""
        step, _, part = state.partition(".")
        stub = self._stubs.get(step)
        return (
            stub.takes if stub is not None and part in ("", "time", "item", "item.time") else None
        )

    def answers(self, state: str, arguments: Json) -> Answer | None:
        """Return what comes of a Task or block; None for what is to be carried out."""
        step, _, part = state.partition(".")
        stub = self._stubs.get(step)
        if stub is None or part == "chunk":  # items in a child execution are stubbed there
            return None
        asked = arguments if isinstance(arguments, dict) else {}
        if "Branches" in asked:
            # The fork of a region may be called after a step too.
            is_block = part in ("", "all", "item", "item.all")
            fails_fast = asked.get("Catch") is True  # else a bad child ends its branch alone
            return self._block(step, stub, fails_fast=fails_fast) if is_block else None
        if "FunctionName" in asked:
            payload = asked.get("Payload")
            return self._called(stub, part, payload if isinstance(payload, dict) else {})
        if self._fails(stub, step):
            return _failed(stub, step)
        if stub.happens == TIMED_OUT:
            return Answer(stub.takes, times_out=True)
        outputs: Json = dict(stub.outputs)
        is_child = "StateMachineArn" in asked
        return Answer(
            stub.takes, {"Output": outputs, "Status": "SUCCEEDED"} if is_child else outputs
        )

    def _called(self, stub: Stub, part: str, payload: Mapping[str, Json]) -> Answer | None:
        """Answer calls of `tasks`, and the act of a callback; actions' wrappers do the others."""
        step, op = payload.get("step"), payload.get("op")
        if not isinstance(step, str):  # a signal of the step's, or its wait for others
            return None
        if op is None:
            return Answer(0.0, {"Payload": {"outputs": {}}}) if part == "act" else None
        key = _path(payload)
        if op in _WAITS_FOR_PEOPLE:
            return self._decision(stub, key, is_first=op == "open")
        if op == "expire":
            return _expired(payload)
        if op == "open_callback":
            return Answer(0.0, {"Payload": {"url": "https://stub.invalid/callback"}})
        if op not in ("await_event", "await_callback"):
            return None
        if self._fails(stub, key):
            return _failed(stub, step)
        outputs: Json = dict(stub.outputs)
        seconds = _FOREVER if stub.happens == TIMED_OUT else stub.takes
        return Answer(seconds, outputs if op == "await_event" else {"outputs": outputs})

    def _decision(self, stub: Stub, key: str, *, is_first: bool) -> Answer:
        """Decide once the step has been open for as long as the stub takes."""
        now = self._clock.now()
        if is_first:
            self._opened[key] = now
        if stub.happens == TIMED_OUT:
            return Answer(_FOREVER)
        waited = (now - self._opened.get(key, now)).total_seconds()
        status = "rejected" if stub.happens == "rejected" or stub.fail else "approved"
        return Answer(max(0.0, stub.takes - waited), {"status": status, **stub.outputs})

    def _block(self, step: str, stub: Stub, *, fails_fast: bool) -> Answer:
        """Answer a whole parallel step with what its branches would have ended in."""
        if stub.happens is None and not self._fails(stub, step):
            return Answer(stub.takes, [{}])
        fail = stub.fail or Fail("StepsFailed")
        entry: dict[str, Json] = {
            "step_id": step,
            "status": TIMED_OUT if stub.happens == TIMED_OUT else "failed",
            "type": fail.type,
            "message": fail.message,
        }
        if fails_fast:
            cause = f"{step} {entry['status']}: {fail.type}"
            return Answer(stub.takes, error="StepsFailed", cause=cause)
        return Answer(stub.takes, [{"f": [entry]}])


def _expired(payload: Mapping[str, Json]) -> Answer:
    if payload.get("kind") in ("event", "callback"):
        return Answer(0.0, error="StepTimedOut", cause="nothing came in time")
    return Answer(0.0, {"Payload": {"status": TIMED_OUT, "timeout_reason": "deadline"}})


def _failed(stub: Stub, step: str) -> Answer:
    fail = stub.fail or Fail("Failed", f"'{step}' failed, as its stub says")
    return Answer(stub.takes, error=fail.type, cause=fail.message)


def _path(call: Mapping[str, object]) -> str:
    items = call.get("items")
    indices = items if isinstance(items, list) else []
    return "/".join([str(call["step"]), *map(str, indices)])


class _StubAction:
    """`functions.ports.Carries` that does what a stub says."""

    name = "stub"
    files: tuple[str, ...] = ()
    reads_files = False
    error_types: tuple[type[StepError], ...] = ()

    def __init__(self, stub: Stub, fails: bool) -> None:
        self._stub = stub
        self._fails = fails

    def may_repeat(self, _raw: Mapping[str, Json]) -> bool:
        """Return true: nothing happens."""
        return True

    def seconds(self, available: float) -> float:
        """Return how long it takes; its time-out comes when there is no time left."""
        takes = self._stub.takes
        if self._stub.happens == TIMED_OUT:
            takes = takes or available
        return min(takes, available)

    def is_late(self, available: float) -> bool:
        """Whether it takes longer than it may."""
        return self._stub.happens == TIMED_OUT or self._stub.takes > available

    def call(self, _raw: Mapping[str, Json], context: Context) -> dict[str, Json]:
        """Return the outputs, or raise the error that the stub says."""
        stub = self._stub
        if self.is_late(context.seconds):
            raise StepTimedOut(f"step '{context.step}' was stopped after {lasted(context.seconds)}")
        if not self._fails:
            return dict(stub.outputs)
        fail = stub.fail or Fail("Failed", f"'{context.step}' failed, as its stub says")
        error = named_error(fail.type, fail.message, None)
        error.details = list(fail.details)
        raise error


@dataclass(frozen=True, slots=True)
class _Delayed:
    """`functions.ports.Results` whose claimed step takes its time before it is worked on.

    The time passes here, on the clock's own thread: the wrapper carries actions out on another.
    """

    results: ports.Results
    clock: Clock
    action: _StubAction

    def claim(
        self,
        place: ports.Place,
        attempt: ports.Attempt,
        *,
        repeatable: bool,
        over: ports.Finished | None = None,
    ) -> ports.Claim:
        """Take the step, then let the stub's time pass."""
        claim = self.results.claim(place, attempt, repeatable=repeatable, over=over)
        if isinstance(claim, ports.Claimed):
            until = attempt.lease - LEASE_MARGIN
            self.clock.sleep(self.action.seconds((until - attempt.started_at).total_seconds()))
        return claim

    def carried_out(self, run: str, step: str, run_attempt: int) -> bool:
        """Return whether a step was claimed in an attempt of its run."""
        return self.results.carried_out(run, step, run_attempt)

    def read(self, place: ports.Place) -> ports.Finished | ports.Failure | None:
        """Return what is stored."""
        return self.results.read(place)

    def finish(self, place: ports.Place, claim: str, envelope: Envelope) -> None:
        """Store a result."""
        self.results.finish(place, claim, envelope)

    def fail(self, place: ports.Place, claim: str, failure: ports.Failure, at: datetime) -> None:
        """Store a failure."""
        self.results.fail(place, claim, failure, at)
