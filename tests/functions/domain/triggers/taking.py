"""Helpers: triggers as they are written, recorded events, and what the one makes of the other."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from compiler.manifest import manifest
from functions.domain.triggers.incoming import Incoming
from functions.domain.triggers.recorded import recorded
from functions.domain.triggers.taking import Ignored, Rejected, Taken, take
from protocol.manifest import WorkflowManifest
from tests.golden.project import compiled_text, surroundings

EVENTS = Path(__file__).parents[3] / "events"
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def event(name: str) -> dict[str, Any]:
    """Return an event as its source delivers it."""
    return json.loads((EVENTS / f"{name}.json").read_text(encoding="utf-8"))


@cache
def workflow(trigger: str, *root: str) -> WorkflowManifest:
    """Return the manifest of a workflow with a trigger, written as in a file, and other keys."""
    text = "\n".join(["name: w", f"trigger: {trigger}", *root, "steps: [{id: a, run: echo}]"])
    made = compiled_text(text, surroundings())
    assert made.ok, [one.message for one in made.diagnostics]
    return manifest(made)


def taken(
    trigger: str, one: str | dict[str, Any] | Incoming, *root: str
) -> Taken | Ignored | Rejected:
    """Return what a recorded event is to a trigger; `root` are other keys of its workflow."""
    whole = workflow(trigger, *root)
    if isinstance(one, str):
        one = event(one)
    if not isinstance(one, Incoming):
        one = recorded(whole["triggers"][0], one, NOW)
    return take(whole, whole["triggers"][0], one)


def given(trigger: str, one: str | dict[str, Any] | Incoming, *root: str) -> Any:
    """Return what the run is given that an event starts."""
    found = taken(trigger, one, *root)
    assert isinstance(found, Taken), found
    return found.given


def why(trigger: str, one: str | dict[str, Any] | Incoming, *root: str) -> str:
    """Return why an event is ignored."""
    found = taken(trigger, one, *root)
    assert isinstance(found, Ignored), found
    return found.reason


def problems(trigger: str, one: str | dict[str, Any] | Incoming, *root: str) -> dict[str, str]:
    """Return what is wrong with an event, by the pointers into the inputs."""
    found = taken(trigger, one, *root)
    assert isinstance(found, Rejected), found
    return {problem["pointer"]: problem["detail"] for problem in found.problems}
