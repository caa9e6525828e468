"""The largest outputs that steps may hand on fit wherever they meet.

Step Functions takes 262,144 bytes as a state's input, output or variables; the player ends a run
in `States.DataLimitExceeded` above that. Each stub gives exactly as many bytes as the call that
it was given allows, in characters of several bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.asl_player import Call, Outcome
from tests.asl_player.values import PAYLOAD_LIMIT, size, to_value
from tests.emitted import Happens, Told, World, compiled, run

DEFAULT_LIMIT = 32_768
FILLING = "é\U0001f389"
"""Two characters of six bytes together."""


def filled(limit: int, names: list[str]) -> dict[str, str]:
    """Return outputs under these names that take exactly so many bytes as JSON."""
    outputs = dict.fromkeys(names, "")
    left = limit - size(outputs)
    assert left >= 0, (limit, names)
    outputs[names[0]] = FILLING * (left // 6) + "x" * (left % 6)
    assert size(outputs) == limit
    return outputs


class Full(World):
    """Every action gives all it may; latches answer in what the wire would carry."""

    largest = 0

    def __call__(self, call: Call) -> Outcome:
        """Answer as the function would, and keep the size of the largest payload."""
        self.largest = max(self.largest, size(to_value(call.arguments)))
        return super().__call__(call)


def gives_all(step: str, payload: Mapping[str, Any]) -> Happens:
    """Let a step succeed with as much as it may hand on."""
    del step
    names = payload.get("outputs", [])
    if not names:
        return Happens()
    return Happens(outputs=filled(payload.get("limit", DEFAULT_LIMIT), names))


def fails_loudly(step: str, payload: Mapping[str, Any]) -> Happens:
    """Let a step fail with the longest texts that Step Functions takes."""
    del step, payload
    return Happens("failed", error="Ü" * 256, message=FILLING * 15_000)


def plays(steps: list[dict[str, Any]], happens: Any = gives_all, **root: Any) -> Told:
    """Play a workflow in which nothing may grow too large."""
    made = compiled({"name": "w", "steps": steps, **root})
    world = Full(happens)
    told = run(made, happens, {"n": list(range(100))}, world=world)
    assert told.played.error != "States.DataLimitExceeded", told.played.cause
    assert [c.state for c in told.played.calls if c.error == "States.DataLimitExceeded"] == []
    assert world.largest < PAYLOAD_LIMIT
    return told


def step(
    name: str, needs: list[str], reads: list[str] | None = None, **also: Any
) -> dict[str, Any]:
    """Return a script with an output `o` that reads that of others."""
    env = {f"V{at}": f"${{{{ steps.{read}.outputs.o }}}}" for at, read in enumerate(reads or [])}
    outputs = {"o": f"${{{{ steps.{name}.outputs.o }}}}"}
    return {"id": name, "run": "true", "depends_on": needs, "env": env, "outputs": outputs, **also}


def taken(told: Told, name: str) -> list[int]:
    """Return the sizes of the values that a step was given."""
    for call in told.played.calls:
        payload = call.arguments.get("Payload", {})
        if payload.get("step") == name:
            return [size(to_value(value)) for value in payload["env"].values()]
    raise AssertionError(f"{name} was not called")


@pytest.mark.parametrize("width", [5, 40, 200])
@pytest.mark.parametrize("far", [False, True], ids=["at the join", "later"])
def test_a_wide_join_of_full_outputs(width: int, far: bool):
    """All branches give their most; it is read where they join, or a step later."""
    names = [f"a{at}" for at in range(width)]
    steps = [step(name, []) for name in names]
    if far:
        steps.append(step("between", names))
    steps.append(step("end", ["between"] if far else names, names))
    told = plays(steps)
    assert told.run == "succeeded"
    assert len(taken(told, "end")) == width
    assert sum(taken(told, "end")) > min(width * DEFAULT_LIMIT, 150_000) * 0.9


def test_forks_in_forks_of_full_outputs():
    """Branches that join pass all they took over on to the next join."""
    steps = [step("start", [])]
    inner = []
    for one in range(4):
        steps.append(step(f"b{one}", ["start"], ["start"]))
        for other in range(5):
            inner.append(f"c{one}_{other}")
            steps.append(step(inner[-1], [f"b{one}"], ["start", f"b{one}"]))
        steps.append(step(f"d{one}", inner[-5:], inner[-5:]))
    ends = [f"d{one}" for one in range(4)]
    steps.append(step("end", ends, [*inner, *ends, "start"]))
    assert plays(steps).run == "succeeded"


def test_a_latch_that_hands_on_many_full_outputs():
    """A chain's outputs are read across a latch, all at once."""
    chain = [f"a{at}" for at in range(30)]
    steps = [step(name, chain[at - 1 : at] if at else []) for at, name in enumerate(chain)]
    steps += [
        step("b", []),
        step("only_a", [chain[-1]]),
        step("both", [chain[-1], "b"], [*chain, "b"]),
        step("only_b", ["b"]),
        step("end", ["only_a", "both", "only_b"], [*chain, "both"]),
    ]
    made = compiled({"name": "w", "steps": steps})
    assert made.plan is not None
    assert made.plan.latches
    told = plays(steps)
    assert told.run == "succeeded"
    assert len(taken(told, "both")) == 31


def test_several_latches_of_one_consumer():
    """A consumer that waits for many producers takes a full output from each."""
    producers = [f"p{at}" for at in range(12)]
    steps = [step(name, []) for name in producers]
    steps += [step(f"own{at}", [name], [name]) for at, name in enumerate(producers)]
    steps.append(step("all", producers, producers))
    steps.append(step("end", ["all", *(f"own{at}" for at in range(12))], [*producers, "all"]))
    assert plays(steps).run == "succeeded"


@pytest.mark.parametrize("read", ["outputs", "items"])
def test_a_map_of_full_outputs(read: str):
    """100 items give their most, and their outputs or items are read as a whole."""
    steps = [
        step("each", [], for_each="${{ inputs.n }}"),
        {
            "id": "end",
            "run": "true",
            "depends_on": ["each"],
            "env": {"ALL": f"${{{{ steps.each.{read} }}}}"},
        },
    ]
    told = plays(steps, inputs={"n": "array"})
    assert told.run == "succeeded"
    assert taken(told, "end")[0] > 30_000


def test_a_map_whose_items_all_fail_loudly():
    """100 errors as long as errors can be are listed, and fail the step with its own error."""
    steps = [
        step("each", [], for_each="${{ inputs.n }}", on_error="continue"),
        {
            "id": "end",
            "run": "true",
            "depends_on": ["each"],
            "condition": "always()",
            "env": {"ALL": "${{ steps.each.items }}"},
        },
    ]
    told = plays(steps, lambda s, p: gives_all(s, p) if s == "end" else fails_loudly(s, p),
                 inputs={"n": "array"})  # fmt: skip
    assert told.run == "succeeded"
    assert taken(told, "end")[0] > 10_000


@pytest.mark.parametrize("width", [5, 40, 200])
def test_a_join_of_branches_that_all_fail_loudly(width: int):
    """The failures of all branches fit into the join, and the first into the run's cause."""
    names = [f"a{at}" for at in range(width)]
    told = plays([*(step(name, []) for name in names), step("end", names)], fails_loudly)
    assert told.run == "failed"
    assert told.played.cause is not None
    assert len(json.loads(told.played.cause)["details"]) == min(width, 10)
    assert len(told.played.cause.encode()) <= 4_096 * 3  # here escapes stand for characters


@pytest.mark.parametrize("outputs", [False, True], ids=["the last step", "the workflow"])
def test_a_deep_chain_whose_end_reads_all(outputs: bool):
    """Each step of a long chain gives its most; the end of it reads them all."""
    names = [f"a{at}" for at in range(100)]
    steps = [step(name, names[at - 1 : at] if at else []) for at, name in enumerate(names)]
    root: dict[str, Any] = {}
    if outputs:
        root = {
            "outputs": {name: {"value": f"${{{{ steps.{name}.outputs.o }}}}"} for name in names}
        }
    else:
        steps.append(step("end", names[-1:], names))
    assert plays(steps, **root).run == "succeeded"


def test_a_block_of_full_outputs():
    """The children of a parallel step hand on all they may."""
    children = [f"c{at}" for at in range(40)]
    inner = [step(name, []) for name in children]
    steps = [
        {"id": "block", "type": "parallel", "depends_on": [], "steps": inner},
        step("end", ["block"], children),
    ]
    assert plays(steps).run == "succeeded"
