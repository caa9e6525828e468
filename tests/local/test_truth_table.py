"""The truth table of statuses on the local engine: real machine, latches and tasks, stubs."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from cli.local_program import local_program
from compiler.check import Surroundings
from compiler.pipeline import compile_source
from compiler.source import Source
from local.clock import Clock
from local.people import People, Said
from local.record import build
from local.stubs import Stub
from local.workflow import Request, run_workflow
from protocol.payloads import MachineInput

CASES = json.loads(
    (Path(__file__).parents[1] / "data" / "truth_table.json").read_text(encoding="utf-8")
)
SAMPLE = random.Random(2026).sample(range(len(CASES)), 300)
SHORT = SAMPLE[:40]
ANSWERS = {"succeeded": "approved", "rejected": "rejected"}


def written(case: dict[str, Any]) -> str:
    """Return a case's workflow: each step a script, a manual one a question."""
    steps = [
        {**step, "title": "May it go on?", "assignees": ["alice@example.com"]}
        if step.get("type") == "manual"
        else {**step, "run": "true"}
        for step in case["steps"]
    ]
    return json.dumps({"name": "case", "inputs": {"x": "boolean"}, "steps": steps})


def played(case: dict[str, Any]) -> dict[str, Any]:
    """Run a case with stubs and decisions; return what became of it, as the table says it."""
    compilation = compile_source(Source("case.yaml", written(case)), Surroundings())
    assert compilation.ok, compilation.diagnostics
    program = local_program(compilation)
    stubs, decisions = {}, {}
    for step in case["steps"]:
        happens = case["happens"][step["id"]]
        if step.get("type") != "manual":
            stubs[step["id"]] = Stub(happens=None if happens == "succeeded" else happens)
        elif happens in ANSWERS:
            decisions[step["id"]] = [Said(ANSWERS[happens])]
    given: MachineInput = {"inputs": case["inputs"], "run": {"id": "r", "attempt": 1}}
    request = Request(
        program.machines,
        program.workflow,
        given,
        stubs=stubs,
        people=People(decisions=decisions),
    )
    record = build(run_workflow(request, clock=Clock()), program)
    kept = ("status", "reason", "tolerated")
    return {
        "run": record["status"],
        "steps": {
            step["step_id"]: {name: step[name] for name in kept if step.get(name)}
            for step in record["steps"]
        },
    }


@pytest.mark.parametrize("number", SHORT)
def test_statuses_reasons_and_verdict_are_those_of_the_table(number):
    assert played(CASES[number]) == CASES[number]["expect"]


@pytest.mark.slow
@pytest.mark.parametrize("number", SAMPLE[len(SHORT) :])
def test_they_are_for_all_300_sampled_cases(number):
    assert played(CASES[number]) == CASES[number]["expect"]
