"""The compilers to compare are given the same work, and what they take is measured whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.compilers import by_cdk, by_sfnx, once, ours
from bench.compilers.sources import module, order, workflow
from bench.numbers import compiling
from bench.numbers.compiling import CDK, LARGE, OURS, ROOT, SFNX, Took
from tests.asl_player import Call, Outcome, lambda_result, play

SHAPES = tuple(compiling.PLAN)
STEPS = 20


def carried_out(definition: Any) -> list[tuple[float, str, str]]:
    """Play a definition whose steps take a second; return their times, inputs and names."""

    def answer(call: Call) -> Outcome:
        return Outcome(lambda_result({"step": call.arguments["Payload"]["step"]}), takes=1.0)

    given = {"environment": "staging"}
    played = play(definition, {**given, "inputs": given}, answer)
    assert played.status == "SUCCEEDED", (played.error, played.cause)
    payloads = [(call.time, call.arguments["Payload"]) for call in played.calls]
    return [(time, said["inputs"]["environment"], said["step"]) for time, said in payloads]


def tasks(flow: Any) -> list[Any]:
    """Return all Tasks of a definition."""
    found = []
    for state in flow["States"].values():
        found += [state] if state["Type"] == "Task" else []
        for branch in state.get("Branches", ()):
            found += tasks(branch)
    return found


def retries(task: Any) -> list[Any]:
    """Return how often which failures of a Task are tried again, and after which time."""
    return [
        (one["MaxAttempts"], one["IntervalSeconds"])
        for one in task["Retry"]
        if {"States.TaskFailed", "States.ALL"} & set(one["ErrorEquals"])
    ]


def by_template(text: str) -> Any:
    """Return the definition in a template of CloudFormation."""
    (machine,) = (
        resource["Properties"]
        for resource in json.loads(text)["Resources"].values()
        if resource["Type"] == "AWS::StepFunctions::StateMachine"
    )
    parts = machine["DefinitionString"]["Fn::Join"][1]
    return json.loads("".join(part if isinstance(part, str) else "x" for part in parts))


@pytest.mark.parametrize("tool", [SFNX, CDK])
def test_a_peer_does_not_carry_our_imports(tool: str):
    """They would count as the peer's time and memory."""
    program = f"import sys, bench.compilers.once, bench.compilers.{tool}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )

    assert not {"compiler", "pydantic", "yaml"} & set(done.stdout.split())


@pytest.mark.parametrize("shape", SHAPES)
def test_all_compile_the_same_steps_in_the_same_order_with_the_same_retries(shape: str):
    mine = json.loads(ours.compiled(workflow(shape, STEPS)))
    wanted = carried_out(mine)
    peers = (
        json.loads(by_sfnx.compiled(module(shape, STEPS))),
        by_template(by_cdk.compiled(order(shape, STEPS))),
    )

    assert len({name for _, _, name in wanted}) == STEPS
    assert wanted[-1][0] == (STEPS - 1 if shape == "chain" else 1)
    for theirs in peers:
        assert carried_out(theirs) == wanted
        assert {str(retries(task)) for task in tasks(theirs)} == {"[(2, 10)]"}
    assert {str(retries(task)) for task in tasks(mine)} == {"[(2, 10)]"}


def test_a_compilation_in_a_process_of_its_own_is_measured(tmp_path: Path):
    file = tmp_path / "workflow.yaml"
    file.write_text(workflow("chain", 10), encoding="utf-8")

    took = compiling.once(OURS, file, again=1)

    assert took.cold > took.warm > 0
    assert took.peak > took.above > 0


def test_a_source_that_is_refused_is_not_measured(tmp_path: Path):
    file = tmp_path / "workflow.yaml"
    file.write_text("name: x\nsteps: [{id: a, run: echo, conditon: always()}]\n", encoding="utf-8")

    with pytest.raises(RuntimeError, match="unknown-key"):
        compiling.once(OURS, file, again=0)


@pytest.mark.skipif(not once.PROC.is_dir(), reason="tells of other processes on Linux")
def test_a_process_that_was_started_counts_with_what_it_started_itself():
    program = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1); input()'])"
    before = once.peak()
    with subprocess.Popen(
        [sys.executable, "-uc", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.read(1)  # both are up

        both = once.peak() - before
        child.communicate(b"\n")

    assert both > 2 * 5_000_000


def taken(warm: float, above: int) -> compiling.Taken:
    """Return what all tools took: the peers always the same."""
    peer = Took(1.0, 1.0, 100, 50)
    mine = Took(0.2, warm, 20, above)
    return {
        ("chain", size, tool): mine if tool == OURS else peer
        for size in (100, LARGE)
        for tool in (OURS, SFNX, CDK)
    }


def test_a_compiler_slower_or_larger_than_the_peer_passes_a_limit(
    monkeypatch: pytest.MonkeyPatch,
):
    def passed(warm: float, above: int) -> list[str]:
        monkeypatch.setattr(compiling, "measured", lambda *_: taken(warm, above))
        return [
            one.what
            for group in compiling.groups(quick=True)
            for one in group.numbers
            if not one.is_kept
        ]

    assert passed(0.4, 14) == []
    assert "chain of 100: compiling" in passed(1.1, 14)
    assert "chain of 100: above imports" in passed(0.4, 80)
