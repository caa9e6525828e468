"""Outputs that a step declares, of the kinds that the machine carries out itself."""

from __future__ import annotations

from typing import Any

import pytest

from local.program import Program
from local.stubs import Stub
from tests.local.runs import compiled, played

CHILD = """
    name: child
    outputs: {given: {value: child}}
    steps: [{id: only, run: "true"}]
"""
WORKFLOW = """
    name: declared
    inputs: {{word: {{type: string, default: typed}}}}
    env: {{KNOWN: known}}
    outputs:
      read: {{value: "${{{{ steps.it.outputs }}}}"}}
      {named}
    steps:
      - id: it
        {kind}
        {each}
        outputs:
          computed: ${{{{ inputs.word }}}}
          known: ${{{{ env.KNOWN }}}}
          literal: written
          given: {given}
"""
KINDS = {
    "wait": "type: wait\n        for: 1s",
    "publish": "type: publish\n        event: a.b",
    "parallel": 'type: parallel\n        steps: [{id: inner, run: "true"}]',
    "subworkflow": "type: subworkflow\n        workflow: child",
    "aws": 'action: "aws:sqs:createQueue"\n        inputs: {QueueName: q}',
    "script": 'run: echo given=child >> "$GITHUB_OUTPUT"',
}


def program(kind: str, *, each: bool, named: bool) -> Program:
    given = "written"
    if kind == "subworkflow":
        given = "v-${{ steps.it.outputs.given }}"
    return compiled(
        WORKFLOW.format(
            kind=KINDS[kind],
            each="for_each: [1, 2]" if each else "",
            given=f'"{given}"',
            named='known: {value: "${{ steps.it.outputs.known }}"}' if named else "",
        ),
        child=CHILD,
    )


def outputs_of(kind: str, *, each: bool = False, named: bool = False) -> Any:
    stubs = {"inner": Stub(), "only": Stub()} if kind in ("parallel", "subworkflow") else {}
    _, record = played(program(kind, each=each, named=named), stubs)
    assert record["status"] == "succeeded", record
    return record["outputs"]


def expected(kind: str) -> dict[str, Any]:
    given = {"subworkflow": "v-child", "script": "child"}.get(kind, "written")
    return {"computed": "typed", "known": "known", "literal": "written", "given": given}


@pytest.mark.parametrize("kind", KINDS)
def test_who_reads_all_outputs_of_a_step_reads_the_declared_ones_too(kind: str):
    found = outputs_of(kind, named=True)
    assert found["read"].items() >= expected(kind).items()
    assert found["known"] == "known"


@pytest.mark.parametrize("kind", KINDS)
def test_each_item_of_a_for_each_has_the_declared_outputs(kind: str):
    first, second = outputs_of(kind, each=True)["read"]
    assert first.items() >= expected(kind).items()
    assert second.items() >= expected(kind).items()
