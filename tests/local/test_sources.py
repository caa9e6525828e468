"""Whose files steps work on, as their machines hand it to the functions."""

from __future__ import annotations

from typing import Any

from local.dispatch import Function
from local.engine import Engine, function_arn
from tests.local.runs import compiled

CALLER = """
name: W
inputs: {sha: string}
steps:
  - {id: here, run: cat text}
  - {id: sub, type: subworkflow, workflow: child, inputs: {sha: "${{ inputs.sha }}"}}
"""
CHILD = """
name: Child
inputs: {sha: string, kind: {type: string, default: app}}
SOURCE
steps:
  - {id: there, run: cat text}
"""
OWN = 'source: {repository: "org/${{ inputs.kind }}", ref: "${{ inputs.sha }}"}'
GIVEN = {"run": "r", "repository": "org/caller", "ref": "main"}


def sources(child: str, caller: str = CALLER, given: Any = GIVEN) -> dict[str, Any]:
    """Return the source of each step's call, and the ids of the runs that they were of."""
    found: dict[str, Any] = {}

    def run(call: Any, _context: object) -> dict[str, Any]:
        found[call["step"]] = call["run"]["source"]
        found[f"{call['step']}.run"] = call["run"]["id"]
        return {"step": call["step"], "status": "succeeded", "outputs": {}, "attempt": 1}

    program = compiled(caller, child=child)
    arn = function_arn("run")
    start: Any = {"inputs": {"sha": "abc"}, "run": {"id": "r", "attempt": 1, "source": given}}
    with Engine({arn: Function(run)}) as engine:
        engine.create(program.machines, {"action:run": arn})
        finished = engine.execute(program.workflow, start, "r")
    assert finished.status == "SUCCEEDED", finished.cause
    return found


def test_a_called_workflow_works_on_its_caller_s_files():
    found = sources(CHILD.replace("SOURCE", ""))
    assert found["here"] == found["there"] == GIVEN


def test_a_called_workflow_with_a_source_of_its_own_has_that():
    found = sources(CHILD.replace("SOURCE", OWN))
    assert found["here"] == GIVEN
    own = {"run": found["there.run"], "repository": "org/app", "ref": "abc"}
    assert found["there"] == own
    assert found["there.run"] != "r"


def test_of_a_run_that_is_started_it_is_what_the_starter_worked_out():
    caller = CALLER.replace("steps:", "source: {repository: org/other}\nsteps:")
    assert sources(CHILD.replace("SOURCE", ""), caller)["there"] == GIVEN


def test_a_run_without_one_has_none():
    assert sources(CHILD.replace("SOURCE", ""), given=None)["there"] is None
