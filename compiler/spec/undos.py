"""What stands on an undo, or on a handler, and would never happen there."""

from __future__ import annotations

from compiler.document.nodes import Path
from compiler.spec import model, parts
from compiler.spec.report import Reporter
from compiler.spec.written.steps import ManualStep, ParallelStep, StepPart, WaitStep

_UNDO = "the undo of a step"
_ASK = "ask in its script, or in a workflow that it calls"
_FAILED = "one that failed is told, and stops no other; it may have a `retry`"
_ONCE = "it is carried out once for each result; write the loop in a workflow that it calls"
_NEVER = {
    "depends_on": "undos run newest first",
    "condition": _ASK,
    "on_error": _FAILED,
    "continue_on_failure": _FAILED,
    "for_each": _ONCE,
    "repeat": _ONCE,
    "compensate": "leave it out",
}
_KINDS = {
    "manual": "asks nobody",
    "parallel": "is one step",
    "wait": "waits for nothing",
}


def can_be_undone(report: Reporter, part: StepPart, path: Path) -> bool:
    """Report a `compensate` on what leaves no result, and so would never be undone."""
    help_ = "put it on the steps inside"
    if not isinstance(part, ParallelStep):
        help_ = "it leaves nothing behind; put it on the step that does"
        if not isinstance(part, ManualStep | WaitStep):
            return True
    parts.refuse(report, path, "compensate", part.place, help_)
    return False


def check_undo(report: Reporter, part: StepPart, path: Path) -> None:
    """Report keys that do nothing on the step of a `compensate`."""
    for key, help_ in _NEVER.items():
        if getattr(part, key) is not None:
            written = report.document.written((*path, key))[-1]
            parts.refuse(report, path, str(written), _UNDO, help_)


def check_kind(report: Reporter, undo: model.Step) -> None:
    """Report a kind of step that cannot undo another: it is one state between two others."""
    does = _KINDS.get(undo.kind)
    if does is not None:
        report.error(
            "not-here",
            (*undo.path, "type"),
            f"`type: {undo.kind}` cannot stand on {_UNDO}: it {does}",
            "put it into a workflow of its own, and call that: `type: subworkflow`",
        )


def check_handlers(report: Reporter, handlers: tuple[model.Step, ...]) -> None:
    """Report a `compensate` on a handler, or on a step inside of one: nobody undoes those."""
    stack = list(reversed(handlers))
    while stack:
        step = stack.pop()
        if step.compensate is not None:
            help_ = "undos have run before the handlers; leave it out"
            parts.refuse(report, step.path, "compensate", "a handler of `on_failure`", help_)
        stack.extend(reversed(step.children))
