"""Keys that every kind of step has, and that do nothing on some: an author would wait for them."""

from __future__ import annotations

from collections.abc import Mapping

from compiler.document.nodes import Path
from compiler.spec import parts
from compiler.spec.report import Reporter
from compiler.spec.written import steps as written

_INSIDE = "put it on the steps inside"
_NO_FILES = "only scripts and actions leave files"
_IDLE: Mapping[type[written.StepPart], Mapping[str, str]] = {
    written.ManualStep: {
        "retry": "write a longer `timeout`; who is asked again is another step",
        "repeat": "write another step that asks",
        "checkpoint": "approvals are asked again",
        "artifacts": _NO_FILES,
    },
    written.ParallelStep: {
        "repeat": "put the steps into a workflow, and repeat the step that calls it",
        "checkpoint": _INSIDE,
        "artifacts": _INSIDE,
    },
    written.WaitStep: {
        "retry": "write a longer `timeout`",
        "checkpoint": "a wait leaves nothing that could be kept",
        "artifacts": _NO_FILES,
    },
    written.SubworkflowStep: {"artifacts": "its outputs come back, files stay with the called run"},
    written.PublishStep: {"artifacts": _NO_FILES},
}
_CALL = "aws:"


def check(report: Reporter, part: written.StepPart, path: Path) -> None:
    """Report keys that do nothing on the kind of step that a part is."""
    found = dict(_IDLE.get(type(part), {}))
    place = part.place
    if isinstance(part, written.ActionStep) and part.action.startswith(_CALL):
        found, place = {"artifacts": _NO_FILES}, "an AWS call"
    for key, help_ in found.items():
        if getattr(part, key):
            parts.refuse(report, path, key, place, help_)
