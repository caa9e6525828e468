"""Reads scenario files and plays their cases on the compiled machine, in virtual time.

The steps are not carried out here: one that a case says nothing of succeeds at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compiler.diagnostics import Diagnostics
from compiler.document import read, to_plain
from compiler.pipeline import Compilation
from compiler.source import Source
from compiler.spec.durations import seconds
from protocol.status import FAILED, SUCCEEDED, TIMED_OUT
from tests.asl_player import Call, Machine, Outcome, Played, lambda_result, play
from tests.emitted import Happens, World, told

Stub = Mapping[str, Any]
_STUB_KEYS = {"takes", "outputs", "fail", "times", "happens"}
_DECISION_KEYS = {"after", "status", "by", "comments", "form"}
_EXPECT_KEYS = {"status", "steps", "outputs", "takes"}


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a scenario file; `workflow` is the file it is about."""

    name: str
    workflow: Path
    inputs: Mapping[str, Any]
    stubs: Mapping[str, Stub]
    decisions: Mapping[str, Any]
    expect: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.workflow.stem}: {self.name}"


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a case, as a run's record tells it; `calls` are the payloads by step."""

    status: str
    steps: Mapping[str, Mapping[str, Any]]
    outputs: Mapping[str, Any]
    takes: float
    calls: Mapping[str, list[Mapping[str, Any]]]
    starts: Mapping[str, float]
    played: Played


def cases(file: Path) -> list[Case]:
    """Return the cases of a scenario file."""
    source = Source(file.name, file.read_text("utf-8"))
    diagnostics = Diagnostics(source)
    (document,) = read(source, diagnostics)
    assert not list(diagnostics), [one.message for one in diagnostics]
    plain: Any = to_plain(document.root)
    workflow = file.parent / plain["workflow"]
    return [_case(written, workflow) for written in plain["cases"]]


def _case(written: Mapping[str, Any], workflow: Path) -> Case:
    stubs = written.get("stubs", {})
    decisions = {
        step: given if isinstance(given, list) else [given]
        for step, given in written.get("decisions", {}).items()
    }
    _only(written, {"name", "inputs", "stubs", "decisions", "expect"})
    _only(written["expect"], _EXPECT_KEYS)
    for stub in stubs.values():
        _only(stub, _STUB_KEYS)
    for decision in (one for several in decisions.values() for one in several):
        _only(decision, _DECISION_KEYS)
    inputs = written.get("inputs", {})
    return Case(written["name"], workflow, inputs, stubs, decisions, written["expect"])


def _only(written: Mapping[str, Any], known: set[str]) -> None:
    assert set(written) <= known, f"unknown: {set(written) - known}"


def play_case(case: Case, made: Compilation) -> Result:
    """Play a case on the machine of its workflow."""
    assert made.workflow is not None
    assert made.plan is not None
    _named(case, set(made.plan.rules))
    defaults = {}
    if made.workflow.inputs is not None:
        fields = made.workflow.inputs.fields
        defaults = {field.name: field.default for field in fields if field.has_default}
    world = _Staged(case)
    played = play(
        Machine(made.machines[0].definition),
        {"inputs": {**defaults, **case.inputs}, "run": {"id": "run-1", "attempt": 1}},
        world,
    )
    assert played.query_errors == []
    for step in set(played.states()) & set(made.plan.rules) - set(world.ended):
        world.ended[step] = SUCCEEDED  # a for_each without items calls nothing
    steps = {name: told(name, made.plan.rules, world.ended) for name in made.plan.rules}
    for name, calls in world.calls.items():
        if "attempt" in calls[-1]:
            steps[name]["attempt"] = max(call["attempt"] for call in calls)
    starts = {name: times[0] for name, times in world.times.items()}
    outputs = played.output if isinstance(played.output, dict) else {}
    status = played.status.lower()
    return Result(status, steps, outputs, played.duration, world.calls, starts, played)


def _named(case: Case, steps: set[str]) -> None:
    """Refuse a case that speaks of steps the workflow does not have: it would pass unseen."""
    named = {*case.stubs, *case.decisions, *case.expect.get("steps", {})}
    assert named <= steps, f"the workflow has no step {named - steps}"


def differences(case: Case, result: Result) -> list[str]:
    """Return what is not as the case expects it."""
    expect = case.expect
    found = list(_different("status", expect.get("status"), result.status))
    for step, wanted in expect.get("steps", {}).items():
        given = result.steps.get(step, {})
        for key, value in wanted.items():
            found += _different(f"{step}.{key}", value, given.get(key))
    for name, value in expect.get("outputs", {}).items():
        found += _different(f"outputs.{name}", value, result.outputs.get(name))
    takes = expect.get("takes", {})
    if "at_most" in takes and result.takes > seconds(takes["at_most"]) + 1:
        found.append(f"it takes {result.takes} s, more than {takes['at_most']}")
    if "at_least" in takes and result.takes < seconds(takes["at_least"]):
        found.append(f"it takes {result.takes} s, less than {takes['at_least']}")
    return found


def _different(what: str, wanted: object, given: object) -> Iterator[str]:
    if wanted is not None and wanted != given:
        yield f"{what} is {given!r}, not {wanted!r}"


@dataclass
class _Decision:
    """A task that is open: the token that wakes it now, and the decision once there is one."""

    token: str
    answer: dict[str, Any] | None = None


class _Staged(World):
    """The world of a case: stubs end steps, and people decide when the case says so."""

    def __init__(self, case: Case) -> None:
        super().__init__(self._stubbed)
        self.case = case
        self.calls: dict[str, list[Mapping[str, Any]]] = {}
        self.times: dict[str, list[float]] = {}
        self._open: dict[tuple[str, str], _Decision] = {}
        self._opened: dict[str, int] = {}

    def __call__(self, call: Call) -> Outcome:
        payload = call.arguments.get("Payload", {})
        if "step" in payload:
            self.times.setdefault(payload["step"], []).append(call.time)
        return super().__call__(call)

    def _stubbed(self, step: str, payload: Mapping[str, Any]) -> Happens:
        stub = self.case.stubs.get(step, {})
        calls = self.calls.setdefault(step, [])
        calls.append(payload)
        takes = float(seconds(stub["takes"])) if "takes" in stub else 0.0
        if stub.get("happens") == TIMED_OUT:
            return Happens(TIMED_OUT, takes, message="the attempt took too long")
        failure = stub.get("fail")
        if failure is not None and len(calls) <= stub.get("times", len(calls)):
            return Happens(FAILED, takes, error=failure["type"], message=failure["message"])
        return Happens(SUCCEEDED, takes, stub.get("outputs", {}))

    def _action(self, payload: Mapping[str, Any]) -> Outcome:
        step = payload["step"]
        before = self.ended.get(step)
        outcome = super()._action(payload)
        if "items" in payload and before not in {None, SUCCEEDED}:
            self.ended[step] = before  # one bad item is enough
        return outcome

    # --- people

    def _task(self, call: Call, payload: Mapping[str, Any]) -> Outcome:
        step = payload["step"]
        key = (step, str(payload.get("items")))
        match payload["op"]:
            case "open":
                self.ended[step] = "waiting"
                self._open[key] = _Decision(payload["token"])
                self._await_decision(call, step, key)
                return Outcome()
            case "escalate":
                task = self._open[key]
                task.token = payload["token"]
                self._wake(call, task)
                return Outcome()
            case "expire":
                task = self._open[key]
                if task.answer is None:
                    self.ended[step] = TIMED_OUT
                    task.answer = {"status": TIMED_OUT, "timeout_reason": "nobody decided"}
                return Outcome(lambda_result(task.answer))
            case op:
                raise AssertionError(f"no scenario knows {op}")

    def _await_decision(self, call: Call, step: str, key: tuple[str, str]) -> None:
        number = self._opened.get(step, 0)
        self._opened[step] = number + 1
        decisions = self.case.decisions.get(step, [])
        if not decisions:
            return
        decision = decisions[min(number, len(decisions) - 1)]
        answer = {
            "status": decision["status"],
            "decided_by": decision.get("by"),
            "comments": decision.get("comments"),
            "form": decision.get("form"),
        }

        def decide() -> None:
            task = self._open[key]
            if task.answer is None:
                task.answer = answer
                self.ended[step] = SUCCEEDED if answer["status"] == "approved" else "rejected"
                self._wake(call, task)

        call.player.at(float(seconds(decision.get("after", "0s"))), decide)

    def _wake(self, call: Call, task: _Decision) -> None:
        answer = task.answer
        if answer is not None:
            call.player.at(0, lambda: call.player.succeed(task.token, answer))
