"""What a `compensate` may be, and on what it may stand: all else would never happen."""

from __future__ import annotations

from textwrap import indent

import pytest

from compiler.check import contract
from compiler.plan.close import closing
from tests.compiler.spec.reading import helps, mistakes
from tests.emitted import compiled

KINDS = {
    "run": "run: echo",
    "build": "run: git status\nrunner: codebuild",
    "aws": "action: aws:dynamodb:putItem\ninputs: {TableName: t}",
    "subworkflow": "type: subworkflow\nworkflow: child",
    "publish": "type: publish\nevent: e",
    "manual": "type: manual\ntitle: Go?\nassignees: [ann@example.com]",
    "parallel": "type: parallel\nsteps: [{id: inside, run: echo}]",
    "wait": "type: wait\nfor: 1s",
    "event": "type: wait\nevent: e",
}
LEAVES_NOTHING = ("manual", "parallel", "wait", "event")
KEYS = {
    "depends_on": "[]",
    "condition": "always()",
    "on_error": "continue",
    "continue_on_failure": "true",
    "continue-on-failure": "true",
    "for_each": "[1, 2]",
    "repeat": "{until: 'true'}",
    "compensate": "{run: echo}",
}
CHILD = compiled("name: child\nsteps:\n  - {id: a, run: echo}\n").workflow
assert CHILD is not None
WORKFLOWS = {"child": (contract(CHILD, "workflows/child.yaml"),)}


def undo(text: str) -> str:
    """Return a workflow whose first step is undone by a step."""
    return (
        "name: w\nsteps:\n  - id: book\n    run: echo\n    compensate:\n"
        f"{indent(text, '      ')}\n  - {{id: last, run: echo}}\n"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_step_undoes_another_or_is_refused(kind: str):
    """None is a fault of ours, and none is taken and left out."""
    text = undo(KINDS[kind])
    if kind in LEAVES_NOTHING:
        assert [code for code, _ in mistakes(text)] == ["not-here"]
        assert "type: subworkflow" in str(helps(text))
        return
    (_, close) = compiled(text, workflows=WORKFLOWS).machines
    states = close.definition["States"]["Undo"]["ItemProcessor"]["States"]
    assert states["book.undo"]["Type"] == "Task"


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_step_is_undone_or_its_undo_is_refused(kind: str):
    """What leaves no stored result would never be undone."""
    step = indent(f"{KINDS[kind]}\ncompensate: {{run: echo}}", "    ")
    text = f"name: w\nsteps:\n  - id: it\n{step}\n  - {{id: last, run: echo}}\n"
    if kind in LEAVES_NOTHING:
        assert mistakes(text) == [("not-here", "compensate")]
        return
    program = compiled(text, workflows=WORKFLOWS).program
    assert program is not None
    assert [step.id for step in closing(program).undone] == ["it"]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_that_does_nothing_on_an_undo_is_refused(key: str):
    found = mistakes(undo(f"run: echo\n{key}: {KEYS[key]}"))
    assert found == [("not-here", key)]


@pytest.mark.parametrize(
    "handlers",
    [
        "{run: echo, compensate: {run: echo}}",
        "[{id: h, run: echo, compensate: {run: echo}}]",
        "[{id: h, type: parallel, steps: [{id: i, run: echo, compensate: {run: echo}}]}]",
    ],
)
def test_nobody_undoes_a_handler(handlers: str):
    text = f"steps:\n  - {{id: a, run: echo}}\non_failure: {handlers}\n"
    assert mistakes(text) == [("not-here", "compensate")]
