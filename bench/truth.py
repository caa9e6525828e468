"""The truth table of statuses on the local engine: real machine, latches and tasks, stubs.

`python -m bench.truth [COUNT]` plays that many of its 2,000 cases (300), sampled by a fixed seed,
and prints a line for each that differs. Exits 1 if one does.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cli.project.local_program import local_program
from compiler.check import Surroundings
from compiler.pipeline import compile_source
from compiler.source import Source
from local.clock import Clock
from local.people import People, Said
from local.record import build
from local.stubs import Stub
from local.workflow import Request, run_workflow
from protocol.payloads import MachineInput

TABLE = Path(__file__).parents[1] / "tests" / "data" / "truth_table.json"
SEED, COUNT = 2026, 300
_ANSWERS = {"succeeded": "approved", "rejected": "rejected"}
_KEPT = ("status", "reason", "tolerated")


def sample(count: int = COUNT) -> list[tuple[int, dict[str, Any]]]:
    """Return cases of the table with their numbers; a smaller sample begins a larger one."""
    cases = json.loads(TABLE.read_text(encoding="utf-8"))
    order = random.Random(SEED).sample(range(len(cases)), len(cases))
    return [(number, cases[number]) for number in order[:count]]


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
    stubs: dict[str, Stub] = {}
    decisions: dict[str, list[Said]] = {}
    for step in case["steps"]:
        happens = case["happens"][step["id"]]
        if step.get("type") != "manual":
            stubs[step["id"]] = Stub(happens=None if happens == "succeeded" else happens)
        elif happens in _ANSWERS:
            decisions[step["id"]] = [Said(_ANSWERS[happens])]
    given: MachineInput = {"inputs": case["inputs"], "run": {"id": "r", "attempt": 1}}
    people = People(decisions=decisions)
    request = Request(program.machines, program.workflow, given, stubs=stubs, people=people)
    record = build(run_workflow(request, clock=Clock()), program)
    steps: list[dict[str, Any]] = [dict(step) for step in record["steps"]]
    return {
        "run": record["status"],
        "steps": {
            step["step_id"]: {name: step[name] for name in _KEPT if step.get(name)}
            for step in steps
        },
    }


def main(arguments: Sequence[str]) -> int:
    """Play the cases and print what differs."""
    began = time.perf_counter()
    cases = sample(int(arguments[0]) if arguments else COUNT)
    wrong = 0
    for number, case in cases:
        found = played(case)
        if found != case["expect"]:
            wrong += 1
            print(f"case {number}: {json.dumps(found)}, not {json.dumps(case['expect'])}")
    took = time.perf_counter() - began
    print(f"{len(cases) - wrong} of {len(cases)} as the truth table, in {took:.1f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
