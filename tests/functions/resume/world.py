"""Everything outside the machines of one attempt of a run: see `town`.

Steps are carried out by the real wrapper, on the town's tables; what each action does is counted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from functions.domain.action import Action
from functions.domain.context import Context
from functions.domain.errors import StepError, StepTimedOut, named_error
from functions.domain.keys import step_path
from functions.domain.records.closing import cut_off_of
from functions.domain.records.executions import Execution
from functions.record_ports import Known as KnownExecution
from functions.usecases.carry_out import Surroundings as Around
from functions.usecases.carry_out import carry_out
from functions.usecases.stored import note_undo, stored
from protocol.evaluate import evaluate
from protocol.payloads import StoredRecords, Undo
from tests.asl_player import EPOCH, Call, Outcome, Played, Player, lambda_result, play_nested
from tests.asl_player.values import to_json
from tests.emitted import Happens as Plain
from tests.emitted import World

if TYPE_CHECKING:
    from tests.functions.resume.town import Town

RUN = "run-1"


class Killed(BaseException):
    """The process is gone, and with it whatever it was about to do."""


class Stopped(BaseException):
    """Everything stands still: the executions are stopped here."""


@dataclass(frozen=True, slots=True)
class Does:
    """What an attempt at a step does: it takes seconds, has its effect, and ends.

    `fails` is an error's name; `has_effect`: before it failed. `killed` ends the function in the
    middle, `stops` all executions just behind the effect.
    """

    takes: float = 1.0
    outputs: Mapping[str, Any] = field(default_factory=dict)
    fails: str | None = None
    has_effect: bool = False
    in_doubt: bool = False
    killed: bool = False
    stops: bool = False


@dataclass(frozen=True, slots=True)
class Effect:
    """One time that an action did something: where, in which attempt of the run, with what."""

    run: str
    path: str
    attempt: int
    at: float  # when it was done: virtual seconds

    @property
    def step(self) -> str:
        return self.path.partition("/")[0]


class _Values(BaseModel):
    model_config = ConfigDict(extra="allow")


class PlayersClock:
    """The player's time, and what the call has taken of it so far."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.slept = 0.0

    def now(self) -> datetime:
        return EPOCH + timedelta(seconds=self._player.now + self.slept)

    def sleep(self, seconds: float) -> None:
        self.slept += seconds


class _Nowhere:
    """No files, no secrets, nothing large."""

    def lay(self, *_arguments: Any) -> None:
        pass

    def store(self, *_arguments: Any) -> None:
        pass

    def get(self, name: str) -> str:
        return f"secret of {name}"


def stopped(played: Played, given: Any) -> Execution:
    """Return the execution of a workflow that was called, as records see it."""
    at = EPOCH + timedelta(seconds=played.end or 0)
    return Execution("arn", "m", played.name, played.status, EPOCH, at, input=given)


class Outside(World):
    """Everything outside the machines of one attempt of a run."""

    def __init__(self, town: Town) -> None:
        super().__init__(lambda step, _: self._plain(step), machines=town.machines)
        self.town = town
        self.given: dict[tuple[str, int], Any] = {}
        self.workflows: dict[str, str] = {}
        self.known: list[tuple[KnownExecution, str]] = []
        self.called: list[tuple[Played, Any]] = []

    def add(self, name: str, given: Any, workflow: str = "main") -> None:
        """Take note of an execution that begins."""
        if "failure" in given or "offset" in given:
            return
        run = given["run"]
        self.given[run["id"], run["attempt"]] = given
        self.workflows[run["id"]] = workflow
        if run.get("parent"):
            known = KnownExecution(
                name, "arn", "child", run["id"], run["attempt"], str(len(self.known)),
                run["step"], run["items"],
            )  # fmt: skip
            self.known.append((known, run["parent"]))

    def status_of(self, run_id: str, played: Played) -> str:
        """Return what a run came to."""
        mine = next((p for p, given in self.called if given["run"]["id"] == run_id), played)
        words = {"SUCCEEDED": "succeeded", "ABORTED": "cancelled"}
        return words.get(mine.status, "failed")

    def _plain(self, step: str) -> Plain:
        does = self.town.say(step, {})
        status = "failed" if does.fails else "succeeded"
        return Plain(status, does.takes, does.outputs, does.fails or "")

    def __call__(self, call: Call) -> Outcome:
        payload = call.arguments.get("Payload")
        if isinstance(payload, dict) and payload.get("op") in ("stored", "undo", "undone"):
            return self._records(payload)
        if "lambda:invoke" in call.resource and isinstance(payload, dict) and "op" not in payload:
            return self._carried_out(payload, call.player)
        return super().__call__(call)

    def _records(self, payload: Any) -> Outcome:
        town = self.town
        town.calls_of_records += 1
        if town.calls_of_records == town.stop_before_records:
            raise Stopped
        if town.no_answer_of_records:
            return Outcome.fail("Lambda.Unknown", "out of memory")
        if payload["op"] == "stored":
            return Outcome(lambda_result(stored(payload, town.results, self._lost)))
        return Outcome(lambda_result(note_undo(payload, town.results)))

    def _lost(self, message: StoredRecords) -> list[tuple[datetime, Undo]]:
        run = message["run"]
        found = [
            (played, given)
            for played, given in self.town.called
            if (given["run"]["parent"], given["run"]["attempt"]) == (run["id"], run["attempt"])
        ]
        return cut_off_of((stopped(*one) for one in found), message["undo"])

    def _aws(self, call: Call) -> Outcome:
        reference = str(call.arguments.get("StateMachineArn"))[10:-1]
        machine = self.machines.get(reference)
        if "codebuild" in call.resource:
            return self._built(call)
        if machine is None:
            step = call.state.split(".", maxsplit=1)[0]
            outcome = super()._aws(call)
            if outcome.failure is None:
                now = call.player.now
                self.town.effects.append(Effect(RUN, step, self._attempt(call), now))
            return outcome
        name, given = call.arguments["Name"], call.arguments["Input"]
        if name in self.town.names:
            return Outcome.fail("StepFunctions.ExecutionAlreadyExistsException", name)
        self.town.names.add(name)
        self.add(name, given, reference)
        outcome = play_nested(call, machine, given, self, name=name, machine=f"m-{reference}")
        if "failure" not in given and given["run"].get("parent") and outcome.child is not None:
            self.called.append((outcome.child.played, given))
            self.town.called.append((outcome.child.played, given))
        return outcome

    def _built(self, call: Call) -> Outcome:
        (variable,) = call.arguments["EnvironmentVariablesOverride"]
        self.town.builds += 1
        ended = self._carried_out(json.loads(variable["Value"]), call.player)
        if ended.failure is not None:
            return Outcome.fail("States.TaskFailed", "the build failed", takes=ended.takes)
        return Outcome({}, takes=ended.takes)

    def _attempt(self, call: Call) -> int:
        execution = next(e for e in call.player.executions if e.arn == call.execution)
        return int(to_json(execution.input)["run"]["attempt"])

    def _carried_out(self, payload: Any, player: Player) -> Outcome:
        clock = PlayersClock(player)
        call = json.loads(json.dumps(payload))
        path = step_path(call)
        does = self.town.say(path, call)
        around: Any = Around(
            clock=clock,
            results=self.town.results,
            blobs=_Nowhere(),
            files=_Nowhere(),
            sources=_Nowhere(),
            secrets=_Nowhere(),
            evaluate=evaluate,
            inherited={},
        )
        action: Any = Action(
            "stub",
            _Values,
            _Values,
            lambda _inputs, context: self._act(does, call, context),
            repeatable=call["step"] in self.town.tolerates_repeats,
        )
        is_work = not (call.get("keep") or call.get("stored"))
        try:
            envelope = carry_out(call, action, around)
        except StepError as error:
            late = isinstance(error, StepTimedOut)
            if is_work:
                self.ended[call["step"]] = "timed_out" if late else "failed"
            cause = json.dumps({"errorMessage": str(error)})
            return Outcome.fail(type(error).__name__, cause, takes=clock.slept)
        except Killed:
            if is_work:
                self.ended[call["step"]] = "failed"
            return Outcome.fail("Lambda.Unknown", "the process is gone", takes=clock.slept)
        if is_work:
            self.ended[call["step"]] = "succeeded"
        return Outcome(lambda_result(envelope), takes=clock.slept)

    def _act(self, does: Does, call: Any, context: Context) -> _Values:
        context.sleep(does.takes)
        at = (context.now() - EPOCH).total_seconds()
        effect = Effect(call["run"]["id"], step_path(call), call["run"]["attempt"], at)
        if does.fails is None or does.has_effect:
            self.town.effects.append(effect)
        if does.killed:
            raise Killed
        if does.stops:
            raise Stopped
        if does.fails is not None:
            error = named_error(does.fails, "it broke", None)
            error.in_doubt = does.in_doubt
            raise error
        return _Values.model_validate(dict(does.outputs))
