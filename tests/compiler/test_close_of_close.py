"""What a handler or an undo calls is not undone again: nothing follows the close machine."""

from __future__ import annotations

import json

import pytest

from compiler.check import contract
from tests.emitted import compiled

CHILD = "name: child\nsteps:\n  - {id: a, run: echo, compensate: {run: echo}}\n"
CALL = "type: subworkflow, workflow: child"
PLACES = {
    "handler": f"on_failure: {{{CALL}}}",
    "handler in a block": f"on_failure: [{{id: b, type: parallel, steps: [{{id: c, {CALL}}}]}}]",
    "handler for items": f"on_failure: {{{CALL}, for_each: [1, 2]}}",
    "undo": f"  - {{id: book, run: echo, compensate: {{{CALL}}}}}",
}


@pytest.mark.parametrize("place", PLACES)
def test_a_call_with_undos_of_its_own_leads_to_machines_that_are_there(place: str):
    child = compiled(CHILD)
    assert child.workflow is not None
    text = f"name: w\nsteps:\n  - {{id: last, run: exit 1}}\n{PLACES[place]}\n"
    workflows = {"child": (contract(child.workflow, "workflows/child.yaml"),)}
    made = compiled(text, workflows=workflows)

    machines = [machine.id for machine in (*made.machines, *child.machines)]
    assert machines == ["w", "w--close", "child", "child--close"]
    close = json.dumps(made.machines[1].definition)
    assert "${machine:child}" in close
    assert "--close}" not in close
    assert '"keep": true' not in close  # nobody asks for its result
