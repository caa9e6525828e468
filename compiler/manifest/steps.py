"""Steps and rules as they stand in a manifest."""

from __future__ import annotations

from collections.abc import Sequence

from compiler.check.program import (
    Action,
    AwsCall,
    Block,
    EventWait,
    Kind,
    Manual,
    Pause,
    Publish,
    Script,
    Step,
    SubWorkflow,
    every_step,
)
from compiler.manifest.secrets import secrets_of_step
from compiler.source import Source
from protocol.manifest import RuleManifest, StepManifest
from protocol.status import Rule


def steps(written: Sequence[Step], source: Source) -> list[StepManifest]:
    """Return steps in file order, children of parallel steps after these."""
    top = tuple(written)
    return [_step(step, blocks(top).get(step.id), source) for step in every_step(top)]


def blocks(top: Sequence[Step]) -> dict[str, str]:
    """Return, by the ids of steps in parallel steps, the id of the one that each is in."""
    return {
        inner.id: step.id
        for step in every_step(tuple(top))
        if isinstance(step.kind, Block)
        for inner in step.kind.steps
    }


def _step(step: Step, block: str | None, source: Source) -> StepManifest:
    kind, called = _kind(step.kind)
    made: StepManifest = {
        "id": step.id,
        "name": step.name,
        "kind": kind,
        "line": source.line_column(step.span.start)[0],
    }
    if called is not None:
        made["action"] = called
    if block is not None:
        made["block"] = block
    if step.is_undone:
        made["undo"] = True
    if step.repeatable:
        made["repeatable"] = True
    if step.checkpoint or isinstance(step.kind, Action | Script):
        made["stored"] = True
    if step.retry is not None or step.repeat is not None or step.on_error == "pause":
        made["again"] = True
    names = secrets_of_step(step)
    if names:
        made["secrets"] = names
    return made


def _kind(kind: Kind) -> tuple[str, str | None]:
    match kind:
        case Action(action=action):
            return "action", action
        case AwsCall(service=service, operation=operation):
            return "aws", f"aws:{service}:{operation}"
        case Script():
            return "run", None
        case Manual():
            return "manual", None
        case Block():
            return "parallel", None
        case SubWorkflow(workflow=workflow):
            return "subworkflow", workflow
        case Pause() | EventWait():
            return "wait", None
        case Publish():
            return "publish", None


def rules(written: Sequence[Step]) -> dict[str, RuleManifest]:
    """Return the rows of the truth table by the ids of their steps, in file order."""
    return {step.id: _rule(step.rule) for step in every_step(tuple(written))}


def _rule(rule: Rule) -> RuleManifest:
    return {
        "id": rule.id,
        "depends_on": list(rule.depends_on),
        "written": rule.written,
        "manual": rule.manual,
        "continues": sorted(rule.continues),
        "has_condition": rule.has_condition,
        "has_status_function": rule.has_status_function,
        "asks": sorted(rule.asks),
    }
