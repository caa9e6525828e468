"""A for_each with `fail_fast` in child executions, in another one, and in a block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.asl_player import Call, Outcome
from tests.compiler.stopping import BLOCK, BROKEN, SCRIPT, TELL, Stored, played, statuses
from tests.emitted import Happens, compiled, run


def test_items_in_child_executions_stop_each_other() -> None:
    """Of the chunk that failed, and of those beside it; behind them none is started."""
    hosts = [f"h{n}" for n in range(200)]
    fates = {"h50": BROKEN} | {host: Happens(takes=3) for host in hosts if host != "h50"}
    told, seen, world = played(SCRIPT, hosts, fates, at_once=60, most=500)
    assert told.run == "failed"
    assert len(world.hosts("patch")) == 80
    found = statuses(seen)
    assert found[50] == "failed"
    assert found.count("succeeded") == 59
    assert found.count("cancelled") == 140
    assert seen["WHY"] == "item 50 failed: Unreachable: b is down"
    assert {child.status for child in told.played.children} == {"FAILED", "ABORTED"}


@pytest.mark.parametrize("at_once", [1, 41])
def test_blocks_in_child_executions_write_down_what_they_came_to(at_once: int) -> None:
    hosts = [f"h{n}" for n in range(90)]
    fates = {"h70": Happens("failed", takes=9, error="Unreachable", message="down")}
    told, seen, _ = played(BLOCK, hosts, fates, at_once=at_once, most=500, step="work")
    assert told.run == "failed"
    found = statuses(seen)
    assert found[70] == "failed"
    assert found[:70] == ["succeeded"] * 70
    if at_once == 1:
        assert found[71:] == ["cancelled"] * 19
    assert seen["WHY"] == "item 70 failed: StepsFailed: work failed: Unreachable"


def test_a_chunk_that_is_lost_stops_the_step_without_blaming_an_item() -> None:
    """What is stored of its items is told, the rest is cancelled."""

    class Broken(Stored):
        def __call__(self, call: Call) -> Outcome:
            if call.state == "patch.chunk":
                return Outcome.fail("StepFunctions.ExecutionLimitExceeded", "too many")
            return super().__call__(call)

    seen: dict[str, Any] = {}

    def say(name: str, payload: Mapping[str, Any]) -> Happens:
        if name == "tell":
            seen.update(payload["env"])
        return Happens()

    text = SCRIPT.replace("AT_ONCE", "60").replace("MOST", "500") + TELL
    told = run(compiled(text), say, {"hosts": [*range(90)]}, world=Broken(say))
    assert told.run == "failed"
    assert set(statuses(seen)) == {"cancelled"}
    assert seen["WHY"].startswith("items 0 to 39: StepFunctions.ExecutionLimitExceeded too many")


NESTED = """
name: w
inputs: {hosts: {type: array}}
steps:
  - id: waves
    type: parallel
    for_each: ${{ inputs.hosts }}
    fail_fast: OUTER
    max_concurrency: AT_ONCE
    steps:
      - id: patch
        run: echo
        for_each: ${{ item }}
        fail_fast: INNER
        max_concurrency: 1
        max_items: MOST
        env: {HOST: "${{ item }}"}
      - id: probe
        run: echo
        condition: always()
        depends_on: [patch]
        env: {ITEMS: "${{ toJSON(steps.patch.items) }}"}
  - id: tell
    run: echo
    condition: always()
    depends_on: [waves]
    env: {ITEMS: "${{ toJSON(steps.waves.items) }}", OUTPUTS: "${{ toJSON(steps.waves.outputs) }}"}
"""


@pytest.mark.parametrize(
    ("outer", "inner", "carried_out", "waves"),
    [
        ("false", "false", ["a", "b", "c", "d", "e"], ["succeeded", "failed", "succeeded"]),
        ("false", "true", ["a", "b", "c", "e"], ["succeeded", "failed", "succeeded"]),
        ("true", "false", ["a", "b", "c", "d"], ["succeeded", "failed", "cancelled"]),
        ("true", "true", ["a", "b", "c"], ["succeeded", "failed", "cancelled"]),
    ],
)
def test_waves_of_items_stop_as_each_of_the_two_says(
    outer: str, inner: str, carried_out: list[str], waves: list[str]
) -> None:
    """A wave in which an item failed is a bad one, however the wave itself goes on."""
    seen: dict[str, Any] = {}

    def say(name: str, payload: Mapping[str, Any]) -> Happens:
        if name == "tell":
            seen.update(payload["env"])
        bad = name == "patch" and payload["env"]["HOST"] == "c"
        return BROKEN if bad else Happens()

    world = Stored(say)
    text = NESTED.replace("OUTER", outer).replace("INNER", inner)
    text = text.replace("AT_ONCE", "1").replace("MOST", "9")
    hosts = [["a", "b"], ["c", "d"], ["e"]]
    told = run(compiled(text), say, {"hosts": hosts}, world=world)
    assert told.run == "failed"
    assert world.hosts("patch") == carried_out
    assert statuses(seen) == waves


def test_inside_a_block_that_fails_fast_the_first_bad_item_ends_that_too() -> None:
    workflow = """
name: w
steps:
  - id: all
    type: parallel
    fail_fast: true
    steps:
      - {id: patch, run: echo, for_each: [a, b], fail_fast: true, max_concurrency: 1,
         env: {HOST: "${{ item }}"}}
      - {id: slow, run: echo}
"""

    def say(name: str, _: Mapping[str, Any]) -> Happens:
        return Happens(takes=1000) if name == "slow" else BROKEN

    world = Stored(say)
    told = run(compiled(workflow), say, world=world)
    assert told.run == "failed"
    assert world.hosts("patch") == ["a"]
    assert told.played.duration < 1000
