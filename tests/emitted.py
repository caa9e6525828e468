"""Compiles workflows for tests and plays the emitted machines against stubs.

The stubs understand the payloads of `protocol.payloads`: actions end as they are told to,
latches bring signals and waits together, tasks are decided. What happened to each step is then
told as a run's record would tell it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from compiler.check import Surroundings
from compiler.pipeline import Compilation, compile_source
from compiler.source import Source
from protocol.names import (
    BUILD_CALL,
    LATCH_SKIP,
    LATCH_SKIP_FAILED,
    LATCHES,
    RECORDS,
    STEP_TIMED_OUT,
    TASKS,
)
from protocol.status import (
    SKIPPED,
    Rule,
    decide,
    has_counting_dependency,
    is_bad,
    is_tolerated,
)
from protocol.status import (
    Outcome as Ended,
)
from tests.asl_player import Call, Machine, Outcome, Played, lambda_result, play, play_nested


def compiled(workflow: str | Mapping[str, Any], **surroundings: Any) -> Compilation:
    """Compile a workflow given as YAML text or as plain data; it must have no error."""
    text = workflow if isinstance(workflow, str) else json.dumps(workflow)
    made = compile_source(Source("workflow.yaml", text), Surroundings(**surroundings))
    found = [f"{d.code}: {d.message} ({d.help})" for d in made.diagnostics]
    assert made.ok, found
    return made


@dataclass(frozen=True, slots=True)
class Happens:
    """How an attempt of a step ends: its status, seconds it takes, what it gives."""

    status: str = "succeeded"
    takes: float = 0.0
    outputs: Mapping[str, Any] = field(default_factory=dict)
    error: str = "SomeError"
    message: str = "it broke"


@dataclass
class World:
    """Everything outside the machine: one per play."""

    happens: Callable[[str, Mapping[str, Any]], Happens]
    latches: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    ended: dict[str, str] = field(default_factory=dict)
    built: dict[tuple[str, str], Outcome] = field(default_factory=dict)  # by CodeBuild
    machines: Mapping[str, Machine] = field(default_factory=dict)  # by id: played as children
    stored: Callable[[Mapping[str, Any]], Any] | None = None  # what `records` answers
    kept: list[Any] = field(default_factory=list)  # calls that stored what a machine did itself
    closed: list[str] = field(default_factory=list)  # steps whose open tasks were closed

    def __call__(self, call: Call) -> Outcome:
        """Answer a Task as the function it calls would."""
        arguments = call.arguments
        if "putEvents" in call.resource:
            return Outcome({"Entries": [{}], "FailedEntryCount": 0})
        if "lambda:invoke" not in call.resource:
            return self._aws(call)
        payload = arguments["Payload"]
        match arguments["FunctionName"]:
            case str() as name if name == LATCHES:
                return self._latch(call, payload)
            case str() as name if name == TASKS:
                return self._task(call, payload)
            case str() as name if name == RECORDS and payload["op"] in ("undo", "undone"):
                return Outcome(lambda_result({"done": False}))
            case str() as name if name == RECORDS:
                assert self.stored is not None, "nobody said what is stored"
                return Outcome(lambda_result(self.stored(payload)))
        return self._action(payload)

    def _aws(self, call: Call) -> Outcome:
        machine = self.machines.get(str(call.arguments.get("StateMachineArn"))[10:-1])
        if machine is not None:
            given = call.arguments["Input"]
            return play_nested(call, machine, given, self, name=call.arguments["Name"])
        step = call.state.split(".", maxsplit=1)[0]
        if "codebuild" in call.resource:
            payload = json.loads(_call_of_build(call.arguments["EnvironmentVariablesOverride"]))
            answer = self._action(payload)
            self.built[(step, str(payload.get("items")))] = answer
            return answer
        happens = self.happens(step, {})
        self.ended[step] = happens.status
        if happens.status != "succeeded":
            return Outcome.fail(happens.error, happens.message, takes=happens.takes)
        if "startExecution" in call.resource:
            return Outcome({"Output": dict(happens.outputs)}, takes=happens.takes)
        return Outcome(dict(happens.outputs), takes=happens.takes)

    def _action(self, payload: Mapping[str, Any]) -> Outcome:
        step = payload["step"]
        if payload.get("stored"):
            return replace(self.built[(step, str(payload.get("items")))], takes=0.0)
        if payload.get("keep"):
            self.kept.append(payload)
            return Outcome(lambda_result({"step": step, "outputs": payload["computed"]}))
        happens = self.happens(step, payload)
        self.ended[step] = happens.status
        if happens.status == "timed_out":
            return Outcome.fail(STEP_TIMED_OUT, happens.message, takes=happens.takes)
        if happens.status != "succeeded":
            return Outcome.fail(happens.error, happens.message, takes=happens.takes)
        outputs = dict(payload.get("defaults", {})) | dict(happens.outputs)
        outputs |= payload.get("computed", {})
        return Outcome(lambda_result({"step": step, "outputs": outputs}), takes=happens.takes)

    # --- latches: as functions/usecases/latches does it ----------------------------------------

    def _latch(self, call: Call, payload: Mapping[str, Any]) -> Outcome:
        if payload["op"] == "signal":
            for consumer in payload["consumers"]:
                latch = self._at(payload["scope"], consumer)
                latch["signals"][payload["producer"]] = payload
                self._release(call, latch)
            return Outcome(lambda_result({}))
        latch = self._at(payload["scope"], payload["consumer"])
        if payload["op"] == "noted":
            bare = {"status": "succeeded", "outputs": None, "error": None}
            notes = {at: bare | one["values"]["item"] for at, one in latch["signals"].items()}
            return Outcome(lambda_result({"items": notes}))
        latch["await"] = payload
        self._release(call, latch)
        return Outcome()

    def _at(self, scope: str, consumer: str) -> dict[str, Any]:
        return self.latches.setdefault((scope, consumer), {"signals": {}, "await": None})

    def _release(self, call: Call, latch: dict[str, Any]) -> None:
        wait, signals = latch["await"], latch["signals"]
        if wait is None or not set(wait["producers"]) <= set(signals):
            return
        bad = sorted({*wait.get("bad", []), *(b for s in signals.values() for b in s["bad"])})
        counting = wait.get("counting", False) or any(s["counts"] for s in signals.values())
        token = wait["token"]
        if wait.get("guard") and bad:
            call.player.at(0, lambda: call.player.fail(token, LATCH_SKIP_FAILED, ""))
        elif wait.get("guard") and not counting:
            call.player.at(0, lambda: call.player.fail(token, LATCH_SKIP, ""))
        else:
            values: dict[str, Any] = {}
            for signal in signals.values():
                values |= signal.get("values", {})
            answer = {
                "bad": bad,
                "statuses": {name: s["status"] for name, s in signals.items()},
                "values": values,
            }
            call.player.at(0, lambda: call.player.succeed(token, answer))

    # --- people ----------------------------------------------------------------------------------

    def _task(self, call: Call, payload: Mapping[str, Any]) -> Outcome:
        if payload["op"] == "close":
            self.closed += payload["steps"]
            return Outcome(lambda_result({}))
        step = payload["step"]
        happens = self.happens(step, payload)
        if payload["op"] == "expire":
            self.ended[step] = "timed_out"
            if payload.get("kind") in ("event", "callback"):
                return Outcome.fail("StepTimedOut", '{"errorMessage": "nothing came in time"}')
            answer = {"status": "timed_out", "timeout_reason": "nobody decided"}
            return Outcome(lambda_result(answer))
        if payload["op"] == "open":
            self.ended[step] = "waiting"
        if happens.status == "timed_out" or payload["op"] != "open":
            return Outcome()
        self.ended[step] = happens.status
        status = {"succeeded": "approved"}.get(happens.status, happens.status)
        answer = {"status": status, "decided_by": "alice@example.com", **happens.outputs}
        token = payload["token"]
        call.player.at(happens.takes, lambda: call.player.succeed(token, answer))
        return Outcome()


@dataclass(frozen=True, slots=True)
class Told:
    """A run as its record tells it."""

    run: str
    steps: dict[str, dict[str, Any]]
    played: Played


def run(
    made: Compilation,
    happens: Mapping[str, Happens] | Callable[[str, Mapping[str, Any]], Happens],
    inputs: Mapping[str, Any] | None = None,
    *,
    machine: Machine | None = None,
    world: World | None = None,
) -> Told:
    """Play a compiled workflow; steps that nothing is said of succeed at once."""
    say = happens if callable(happens) else lambda step, _: happens.get(step, Happens())
    world = World(say) if world is None else world
    if not world.machines:
        world.machines = {m.id: Machine(m.definition) for m in made.machines[1:]}
    played = play(
        machine or Machine(made.machines[0].definition),
        {"inputs": dict(inputs or {}), "run": {"id": "run-1", "attempt": 1}},
        world,
    )
    assert made.plan is not None
    rules = made.plan.rules
    return Told(
        played.status.lower(),
        {name: told(name, rules, world.ended) for name in rules},
        played,
    )


def told(name: str, rules: Mapping[str, Rule], ended: Mapping[str, str]) -> dict[str, Any]:
    """Return what a record says of a step; the reason of a skip is recomputed from the rules."""
    outcomes = {step: Ended(ended.get(step, SKIPPED)) for step in rules}
    rule = rules[name]
    status = outcomes[name].status
    if status != SKIPPED:
        found: dict[str, Any] = {"status": status}
        if is_tolerated(rule, status):
            found["tolerated"] = True
        return found
    reason = decide(
        rule,
        bad_above=[a for a in ancestors(name, rules) if is_bad(rules[a], outcomes[a].status)],
        has_counting=has_counting_dependency(rule, rules, outcomes),
        condition=lambda: False,
    )
    return {"status": SKIPPED, "reason": reason}


def ancestors(name: str, rules: Mapping[str, Rule]) -> set[str]:
    """Return all steps before one, direct or not."""
    found: set[str] = set()
    stack = [*rules[name].depends_on]
    while stack:
        here = stack.pop()
        if here not in found:
            found.add(here)
            stack.extend(rules[here].depends_on)
    return found


def _call_of_build(variables: Sequence[Mapping[str, str]]) -> str:
    """Return a build's call, as it puts it together; each variable is one that CodeBuild takes."""
    names = [BUILD_CALL, *(f"{BUILD_CALL}_{number}" for number in range(1, len(variables)))]
    assert [one["Name"] for one in variables] == names
    assert all(0 < len(one["Value"]) <= 4096 for one in variables)
    return "".join(one["Value"] for one in variables)
