"""Real dependency graphs, compiled and run: every step starts when its own dependencies end."""

from __future__ import annotations

import json
import random
from functools import partial
from pathlib import Path

import boto3
import pytest

from cli.project.local_program import local_program
from compiler.check import Surroundings
from compiler.pipeline import compile_source
from compiler.source import Source
from functions.handlers import latches
from functions.wiring import latch_wiring
from local import workflow
from local.clock import Clock
from local.dispatch import Function
from local.engine import REGION, Engine
from local.tables import create_tables

GRAPHS = json.loads((Path(__file__).parents[1] / "data/dags.json").read_text())


def needs_of(graph) -> dict[str, list[str]]:
    needs: dict[str, list[str]] = {f"n{number}": [] for number in range(graph["steps"])}
    for before, after in graph["edges"]:
        needs[f"n{after}"].append(f"n{before}")
    return needs


def compiled(needs):
    steps = "".join(
        f"  - {{id: {step}, depends_on: [{', '.join(above)}], runner: lambda, run: 'true'}}\n"
        for step, above in needs.items()
    )
    compilation = compile_source(Source("graph", f"name: graph\nsteps:\n{steps}"), Surroundings())
    assert compilation.ok, compilation.diagnostics
    return local_program(compilation)


def times_of(program, seconds):
    """Run a program whose steps only take their time; return when each began and ended."""
    clock, times = Clock(), {}

    def take(call, _context):
        began = clock.now()
        clock.sleep(seconds[call["step"]])
        times[call["step"]] = (began, clock.now())
        return {"step": call["step"], "status": "succeeded", "attempt": 1, "outputs": {}}

    meet = latches.handler_with(partial(latch_wiring, workflow.SETTINGS, clock))
    with Engine({"run": Function(take), "latches": Function(meet)}, clock) as engine:
        create_tables(boto3.client("dynamodb", region_name=REGION), workflow.TABLES)
        engine.create(program.machines, {"action:run": "run", "latches": "latches"})
        finished = engine.execute(program.workflow, {"inputs": {}, "run": {"id": "r"}})
    assert finished.status == "SUCCEEDED", finished.cause
    return finished.started_at, times


@pytest.mark.parametrize("number", range(len(GRAPHS)))
def test_each_step_starts_at_the_end_of_its_last_dependency(number):
    needs = needs_of(GRAPHS[number])
    durations = random.Random(number)
    seconds = {step: durations.randint(1, 800) for step in needs}
    start, times = times_of(compiled(needs), seconds)
    for step, above in needs.items():
        due = max((times[one][1] for one in above), default=start)
        assert abs((times[step][0] - due).total_seconds()) < 0.01, step
