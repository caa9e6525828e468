"""What a handler or an undo calls is not undone again: nothing follows the close machine."""

from __future__ import annotations

import json
from typing import Any

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


def test_a_close_machine_asks_for_calls_that_were_cut_off_where_there_may_be_some():
    """What undoes a call is told which machine its run was of; an undo that calls is no step."""
    child = compiled(CHILD)
    assert child.workflow is not None
    workflows = {"child": (contract(child.workflow, "workflows/child.yaml"),)}
    text = f"name: w\nsteps:\n  - {{id: c, {CALL}}}\n{PLACES['undo']}\n"
    states: Any = compiled(text, workflows=workflows).machines[1].definition["States"]
    asked = states["Stored"]["Arguments"]["Payload"]
    given = "$states.context.Execution.Input"
    assert asked["execution"] == (
        f"{{% $exists({given}.cut_off) and $type({given}.again) = 'number' ? null : "
        f"$exists({given}.called) ? {given}.called : "
        f"{given}.AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID %}}"
    )
    assert asked["close"] == "{% $states.context.Execution.Id %}"
    inside = states["Undo"]["ItemProcessor"]["States"]
    assert inside["c.undo"]["Arguments"]["Input"]["called"] == "${machine:child}"
    for name in ("Undo.begin", "Undo.end"):
        assert "child.id" in inside[name]["Arguments"]["Payload"]["child"]

    plain: Any = child.machines[1].definition["States"]
    assert not {"execution", "close"} & set(plain["Stored"]["Arguments"]["Payload"])
    assert "child" not in json.dumps(plain["Undo"])
