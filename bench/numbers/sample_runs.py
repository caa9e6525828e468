"""Runs of a workflow of ours, and of a machine by hand, on the local engine; what they called."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any

from cli.project.local_program import local_program
from compiler.check import ActionContract, Surroundings
from compiler.pipeline import Compilation, compile_source
from compiler.source import Source
from functions.domain.context import Context
from functions.domain.errors import StepError, named_error
from local.clock import Clock
from local.dispatch import Function
from local.engine import Engine, function_arn
from local.finished import Event, Finished
from local.people import People, Said
from local.stubs import Stub, Stubs
from local.workflow import Request, run_workflow
from protocol.payloads import Json, MachineInput

START = datetime(2026, 1, 5, 8, tzinfo=UTC)
_OBJECT: dict[str, Json] = {"type": "object"}
_MESSAGE: dict[str, Json] = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("id", "body", "receipt")},
    "required": ["id", "body", "receipt"],
}
_OUTPUTS: Mapping[str, dict[str, Json]] = {
    "read-messages": {
        "type": "object",
        "properties": {"messages": {"type": "array", "items": _MESSAGE}},
        "required": ["messages"],
    }
}
LAMBDAS = (
    *("reserve-flight", "reserve-car", "pay", "confirm-flight", "confirm-car"),
    *("cancel-flight", "cancel-car", "refund", "read-messages", "delete-message"),
)
"""The functions of the samples: actions of ours, Lambda functions by hand."""


@dataclass(frozen=True, slots=True)
class Case:
    """What happens in a run of a sample.

    `stubs` answer functions and AWS calls, by steps; a function that has none gives nothing.
    `people` decide after some time: they approve, or refuse where their stub fails.
    """

    name: str
    stubs: Mapping[str, Stub] = field(default_factory=dict)
    people: Mapping[str, Stub] = field(default_factory=dict)

    @property
    def functions(self) -> dict[str, Stub]:
        """What each function comes to; steps that call them have their names."""
        return {name: self.stubs.get(name, Stub()) for name in LAMBDAS}


@dataclass(frozen=True, slots=True)
class Ran:
    """A run: its end, its virtual seconds, what it called in order, and what AWS counts of it."""

    status: str
    seconds: float
    calls: tuple[str, ...]
    transitions: int
    events: int


def compiled(workflow: str) -> Compilation:
    """Compile a sample; it must have no error."""
    contracts = {
        name: ActionContract(inputs=_OBJECT, outputs=_OUTPUTS.get(name, _OBJECT), repeatable=True)
        for name in LAMBDAS
    }
    made = compile_source(Source("workflow.yaml", workflow), Surroundings(catalogue=contracts))
    assert made.ok, made.diagnostics
    return made


def run_ours(made: Compilation, case: Case, inputs: Mapping[str, Any]) -> Ran:
    """Run a compiled sample with the real functions, its actions and AWS calls answered."""
    program = local_program(made)
    given: MachineInput = {"inputs": dict(inputs), "run": {"id": "r", "attempt": 1}}
    ran = run_workflow(
        Request(
            program.machines,
            program.workflow,
            given,
            stubs={**case.stubs, **case.functions},
            people=People(decisions=_decisions(case.people)),
            actions={name: _Action(name) for name in LAMBDAS},
        ),
        clock=Clock(START),
    )
    return _ran([ran.finished, *(child.finished for child in ran.others)])


def run_by_hand(definition: Mapping[str, Any], case: Case, inputs: Mapping[str, Any]) -> Ran:
    """Run a definition by hand; people answer its tasks where it waits for their tokens."""
    clock = Clock(START)
    text = json.dumps(definition)
    functions = {}
    for name, stub in case.functions.items():
        text = text.replace(f"${{{name}}}", function_arn(name))
        functions[function_arn(name)] = Function(partial(_answer, stub))
    stubs = Stubs({**case.stubs, **case.people}, clock)
    with Engine(functions, clock, stubs=stubs) as engine:
        engine.create({"by-hand": json.loads(text)}, {})
        return _ran([engine.execute("by-hand", dict(inputs), "r")])


def _decisions(people: Mapping[str, Stub]) -> dict[str, list[Said]]:
    return {
        step: [Said("rejected" if stub.fail else "approved", after=stub.takes)]
        for step, stub in people.items()
    }


def _answer(stub: Stub, _event: object, _context: object) -> object:
    """Answer as a Lambda function does: with its outputs, or by an error."""
    if stub.fail is not None:
        raise named_error(stub.fail.type, stub.fail.message, None)
    return dict(stub.outputs)


@dataclass(frozen=True, slots=True)
class _Action:
    """An action that its stub is carried out for; `functions.ports.Carries`."""

    name: str
    files: tuple[str, ...] = ()
    reads_files: bool = False
    error_types: tuple[type[StepError], ...] = ()

    def may_repeat(self, _raw: Mapping[str, Json]) -> bool:
        """Return true: nothing happens."""
        return True

    def call(self, _raw: Mapping[str, Json], _context: Context) -> dict[str, Json]:
        """Never called."""
        raise NotImplementedError


def _ran(executions: Sequence[Finished]) -> Ran:
    first = executions[0]
    events = [event for execution in executions for event in execution.history]
    return Ran(
        status=first.status,
        seconds=(first.completed_at - first.started_at).total_seconds(),
        calls=tuple(_calls(events)),
        transitions=sum(map(_is_transition, events)),
        events=len(events),
    )


def _is_transition(event: Event) -> bool:
    return _type(event).endswith("StateEntered")


def _type(event: Event) -> str:
    return str(getattr(event["type"], "value", event["type"]))


def _calls(events: Sequence[Event]) -> Iterator[str]:
    """Yield what was called of the samples' own: functions, AWS calls, people."""
    for event in events:
        if _type(event) == "TaskScheduled":
            details = event["taskScheduledEventDetails"]
            called = _called(details, json.loads(details["parameters"]))
            if called is not None:
                yield called


def _called(details: Mapping[str, Any], parameters: Mapping[str, Any]) -> str | None:
    service, resource = details["resourceType"].removeprefix("aws-sdk:"), details["resource"]
    if service == "states":  # our own machine of undos
        return None
    if service == "lambda":
        function = parameters["FunctionName"].rpartition(":")[2]
        payload = parameters.get("Payload", {})
        if payload.get("op") == "open":
            return f"ask {payload['step']}"
        name = function.removeprefix("stepsmith-local-action-")
        return name if name in LAMBDAS else None
    if resource.endswith(".waitForTaskToken"):
        return f"ask {parameters['TopicArn'].rpartition(':')[2]}"
    return f"{service}:{resource} {json.dumps(parameters, sort_keys=True)}"
