"""Every key that all steps may have changes the machine of each kind, or is refused there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compiler.check import Surroundings, contract
from compiler.check.surroundings import StageSettings
from compiler.pipeline import compile_source
from compiler.source import Source
from tests.emitted import compiled

FIRST = {"id": "first", "run": "echo o=1 >> $GITHUB_OUTPUT", "outputs": {"o": None}}
KINDS: dict[str, dict[str, Any]] = {
    "run": {"run": "echo"},
    "build": {"run": "git status", "runner": "codebuild"},
    "aws": {"action": "aws:dynamodb:putItem", "inputs": {"TableName": "t"}},
    "subworkflow": {"type": "subworkflow", "workflow": "child"},
    "publish": {"type": "publish", "event": "e"},
    "manual": {"type": "manual", "title": "Go?", "assignees": ["ann@example.com"]},
    "parallel": {"type": "parallel", "steps": [{"id": "inside", "run": "echo"}]},
    "wait": {"type": "wait", "for": "1s"},
    "event": {"type": "wait", "event": "e"},
}
EXPRESSION = "${{ contains(steps.it.outputs.error, 'x') }}"
KEYS: dict[str, list[Any]] = {
    "condition": ["always()", "steps.first.outputs.o == '1'"],
    "retry": [{"count": 2, "delay": "1s"}, {"count": 2, "conditions": [EXPRESSION]}],
    "timeout": ["10m"],
    "on_error": ["continue", "pause"],
    "for_each": [[1, 2], "${{ fromJSON(steps.first.outputs.o) }}"],
    "repeat": [{"until": "steps.it.status == 'failed'", "max_attempts": 2}],
    "compensate": [{"run": "echo"}],
    "checkpoint": [True],
    "artifacts": [["a"]],
}
KEPT = {("run", "checkpoint"), ("build", "checkpoint"), ("wait", "on_error")}
"""What is so anyway: a script is always kept, a wait for a time does not fail."""
CHILD = compiled("name: child\nsteps:\n  - {id: a, run: echo}\n").workflow
assert CHILD is not None
WORKFLOWS = {"child": (contract(CHILD, "workflows/child.yaml"),)}
AROUND = Surroundings(workflows=WORKFLOWS, stage=StageSettings(approvers=("lead@example.com",)))


def machines(step: dict[str, Any]) -> list[str] | None:
    """Return the machines of a workflow with a step; None where it is refused."""
    text = json.dumps({"name": "w", "steps": [FIRST, {"id": "it", **step}]})
    made = compile_source(Source("w.yaml", text), AROUND)
    return [json.dumps(one.definition) for one in made.machines] if made.ok else None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", KEYS)
def test_no_key_is_taken_and_left_out(kind: str, key: str):
    plain = machines(KINDS[kind])
    assert plain is not None
    for value in KEYS[key]:
        made = machines({**KINDS[kind], key: value})
        assert (made == plain) == ((kind, key) in KEPT), value
