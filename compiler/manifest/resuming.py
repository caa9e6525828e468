"""What a manifest says of steps for runs that are resumed when the workflow is another."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence

from compiler.asl.children import loops_of
from compiler.asl.people import MOST_PAUSES
from compiler.asl.resuming import is_told
from compiler.check.portable import portable
from compiler.check.program import (
    Action,
    AwsCall,
    Block,
    EventWait,
    ForEach,
    Manual,
    Pause,
    Program,
    Publish,
    Script,
    Step,
    SubWorkflow,
    Value,
)
from compiler.document.nodes import Json
from compiler.expressions import to_portable
from compiler.plan.model import Plan
from compiler.plan.reading import reads_of_value, values_of_step
from protocol.manifest import ResumeManifest

_DIGITS = 16


def resuming(program: Program, plan: Plan) -> dict[str, ResumeManifest]:
    """Return it by the ids of the steps, parallel steps left out."""
    return {
        step.id: _about(step, around, program, plan) for step, around in _each(program.steps, ())
    }


def _each(
    steps: Sequence[Step], around: tuple[ForEach, ...]
) -> Iterator[tuple[Step, tuple[ForEach, ...]]]:
    """Yield the steps with the lists that they are carried out for, their own last."""
    for step in steps:
        inside = around if step.for_each is None else (*around, step.for_each)
        if isinstance(step.kind, Block):
            yield from _each(step.kind.steps, inside)
        else:
            yield step, inside


def _about(step: Step, around: tuple[ForEach, ...], program: Program, plan: Plan) -> ResumeManifest:
    lists = [one.items for one in around]
    made: ResumeManifest = {
        "fingerprint": _fingerprint(step, lists, program),
        "reads": sorted(set(_reads(step, lists, program, plan))),
    }
    gives = [output.name for output in step.outputs if output.form in ("declared", "derived")]
    if gives:
        made["gives"] = gives
    if around:
        made["each"] = [one.max_items for one in around]
    loops = {letter: _most(step, letter) for letter in loops_of(step)}
    if isinstance(step.kind, SubWorkflow) and loops:
        made["loops"] = loops
    if isinstance(step.kind, Action) and step.kind.callback:
        made["callback"] = True
    if is_told(step):
        made["told"] = True
    return made


def _most(step: Step, letter: str) -> int:
    """Return how far a loop's counter can come."""
    if letter == "a":
        return 1 if step.retry is None else step.retry.attempts
    if letter == "n":
        return 1 if step.repeat is None else step.repeat.attempts + MOST_PAUSES
    return 1 + MOST_PAUSES


def _reads(step: Step, lists: list[Value], program: Program, plan: Plan) -> Iterator[str]:
    for value in (*values_of_step(step), *lists):
        for read in reads_of_value(value, program.by_id, step.id, travels=True):
            yield read.step
    yield from plan.files.get(step.id, ())


def _fingerprint(step: Step, lists: list[Value], program: Program) -> str:
    outputs: list[Json] = [
        [one.name, one.form, None if one.value is None else portable(one.value)]
        for one in sorted(step.outputs, key=lambda one: one.name)
    ]
    asked: list[Json] = [
        _kind(step),
        [[name, portable(value)] for name, value in sorted(step.env, key=lambda one: one[0])],
        outputs,
        [*sorted(step.artifacts)],
        [portable(one) for one in lists],
    ]
    text = json.dumps(asked, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    if '["ref","vars"' in text:
        text += json.dumps(program.vars, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def _kind(step: Step) -> list[Json]:
    kind = step.kind
    match kind:
        case Action():
            made: list[Json] = ["action", kind.action, portable(kind.inputs), kind.callback]
            made += [] if kind.image is None else [kind.image]
            return [*made, *([name, portable(value)] for name, value in kind.variables)]
        case AwsCall():
            return ["aws", kind.service, kind.operation, portable(kind.arguments)]
        case Script():
            variables = [[name, portable(value)] for name, value in kind.variables]
            return ["run", kind.text, [*variables], kind.runner, kind.image]
        case SubWorkflow():
            return ["subworkflow", kind.workflow, portable(kind.inputs)]
        case Publish():
            return ["publish", portable(kind.event), portable(kind.payload)]
        case Manual():
            return ["manual", portable(kind.title), portable(kind.description)]
        case EventWait():
            match = None if kind.match is None else to_portable(kind.match)
            return ["event", kind.pattern, match]
        case Pause():
            return ["wait"]
        case Block():
            raise AssertionError("a parallel step has no result of its own")
