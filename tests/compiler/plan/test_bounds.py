"""No run takes more than its bounds say, and one that ends well at once takes the least."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from compiler.pipeline import Compilation
from compiler.plan.bounds import Bounds, bounds, components, every_state
from tests.asl_player import Machine, Outcome, lambda_result, play
from tests.asl_player.build import machine, map_over, parallel, put, task
from tests.emitted import Happens, compiled, run

DAGS = json.loads((Path(__file__).parents[2] / "data" / "dags.json").read_text("utf-8"))
PLAIN = compiled("steps:\n  - id: one\n    run: echo\n")


class Emitted:
    """A definition written by a test."""

    def __init__(self, definition: Mapping[str, Any]) -> None:
        self.definition = definition


def bounds_of(made: Compilation) -> Bounds:
    """Return the bounds of a workflow's own machine."""
    assert made.program is not None
    return bounds(made.program, made.machines[0])


def of(states: dict[str, Any]) -> Bounds:
    """Return the bounds of states written by a test."""
    assert PLAIN.program is not None
    return bounds(PLAIN.program, Emitted(machine(states)))


@pytest.mark.parametrize(
    "states",
    [
        {"a": put(1)},
        {"a": put(1, Next="b"), "b": {"Type": "Succeed"}},
        {"a": task(Next="b"), "b": task()},
        {"a": {"Type": "Wait", "Seconds": 5, "End": True}},
        {"a": parallel({"b": put(1)}, {"c": task(Next="d"), "d": put(2)})},
        {"a": parallel({"b": parallel({"c": put(1)}, {"d": put(2)})}, Next="e"), "e": put(3)},
        {"a": map_over([1, 2, 3], {"b": task()})},
    ],
)
def test_of_a_machine_without_a_choice_the_bounds_are_what_a_run_takes(states: dict[str, Any]):
    """Least and most are the same, and the events are counted as AWS writes them."""
    played = play(machine(states), {}, lambda _: Outcome(lambda_result({})))

    found = of(states)
    if "a" in states and states["a"]["Type"] != "Map":
        assert found.least == found.most == played.transitions
    assert (found.most, found.events) == (played.transitions, played.events)


def test_the_least_is_the_shortest_way_to_a_good_end():
    """A way through an error, and one that ends in a failure, do not count."""
    states = {
        "a": {
            "Type": "Choice",
            "Choices": [{"Condition": "{% false %}", "Next": "bad"}],
            "Default": "b",
        },
        "b": task(Next="c", Catch=[{"ErrorEquals": ["States.ALL"], "Next": "d"}]),
        "c": put(1, Next="d"),
        "d": {"Type": "Succeed"},
        "bad": {"Type": "Fail"},
    }

    assert (of(states).least, of(states).most) == (4, 4)


def test_a_loop_is_one_group_of_states():
    states = {
        "a": put(1, Next="b"),
        "b": put(1, Next="c"),
        "c": {
            "Type": "Choice",
            "Choices": [{"Condition": "{% true %}", "Next": "b"}],
            "Default": "d",
        },
        "d": put(1),
    }

    assert [sorted(group) for group in components(states, "a")] == [["d"], ["b", "c"], ["a"]]


WORKFLOWS = {
    "retries": """\
        steps:
          - id: one
            run: echo
            retry: {max_attempts: 4, delay: 1s}
          - id: two
            run: echo
            depends_on: [one]
        """,
    "retries that look at the deadline": """\
        timeout: 20h
        steps:
          - id: one
            run: echo
            retry: {max_attempts: 5, delay: 10m, backoff: 1}
        """,
    "retries of a build": """\
        steps:
          - id: one
            run: echo
            runner: codebuild
            retry: {max_attempts: 5, delay: 1s}
        """,
    "retry conditions": """\
        steps:
          - id: one
            run: echo
            retry:
              max_attempts: 5
              delay: 1s
              conditions: ["${{ failure() }}"]
        """,
    "repeat": """\
        steps:
          - id: one
            run: echo
            outputs: {state: '${{ steps.one.outputs.state }}'}
            repeat: {until: "steps.one.outputs.state == 'ready'", delay: 5s, max_attempts: 7}
        """,
    "for each": """\
        steps:
          - id: one
            run: echo
            for_each: ${{ inputs.list }}
            max_items: 6
            retry: {max_attempts: 3, delay: 1s}
        """,
    "for each of a list that is written out": """\
        steps:
          - id: one
            run: echo
            for_each: [a, b, c]
            retry: {max_attempts: 3, delay: 1s}
            on_error: continue
        """,
    "for each of computed items": """\
        inputs: {b: {type: string, default: b}}
        steps:
          - id: one
            type: parallel
            for_each: [a, "${{ inputs.b }}", "${{ inputs.b }}"]
            steps: [{id: two, run: echo}, {id: three, run: echo, depends_on: [two]}]
        """,
    "for each that fails fast": """\
        steps:
          - id: one
            run: echo
            for_each: [a, b, c]
            fail_fast: true
            max_concurrency: 1
            on_error: continue
        """,
    "for each in chunks": """\
        steps:
          - {id: one, run: echo, max_concurrency: 50, for_each: [MANY]}
        """.replace("MANY", ", ".join(map(str, range(90)))),
    "conditions": """\
        steps:
          - id: one
            run: echo
            outputs: {x: n}
          - id: two
            run: echo
            depends_on: [one]
            condition: steps.one.outputs.x == 'y'
          - id: three
            run: echo
            depends_on: [one]
            condition: failure()
          - id: four
            run: echo
            depends_on: [two, three]
            condition: always()
        """,
    "blocks": """\
        steps:
          - id: block
            type: parallel
            steps:
              - {id: a, run: echo, retry: {max_attempts: 2, delay: 1s}}
              - {id: b, run: echo, depends_on: [a]}
              - {id: c, run: echo, on_error: continue}
          - id: after
            run: echo
            depends_on: [block]
        """,
    "people": """\
        steps:
          - id: review
            type: manual
            title: Fine?
            assignees: [a@example.com]
            timeout: 3h
            escalations: [{after: 1h, notify: b@example.com}]
            on_timeout: continue
          - id: after
            run: echo
            depends_on: [review]
            condition: always()
        """,
}


def seeded(seed: int) -> tuple[dict[str, Any], Any]:
    """Return the inputs of a run and how its attempts end."""
    chance = random.Random(seed)
    bad = chance.choice([0.0, 0.3, 0.7, 1.0])

    def happens(_step: str, _payload: Mapping[str, Any]) -> Happens:
        status = "failed" if chance.random() < bad else "succeeded"
        return Happens(status, outputs={"state": "waiting", "x": chance.choice(["y", "n"])})

    return {"list": list(range(chance.randrange(7)))}, happens


@pytest.mark.parametrize("name", WORKFLOWS)
def test_no_run_takes_more_than_the_bounds(name: str):
    """Whatever fails, and however often."""
    made = compiled(dedent(WORKFLOWS[name]), runner_programs=frozenset({"echo"}))
    found, definition = bounds_of(made), Machine(made.machines[0].definition)
    taken = []
    for seed in range(25):
        inputs, happens = seeded(seed)
        played = run(made, happens, inputs, machine=definition).played
        taken.append(played)
        assert played.transitions <= found.most
        assert played.events <= found.events
        if played.status == "SUCCEEDED":
            assert played.transitions >= found.least

    assert max(one.transitions for one in taken) > found.most * 0.6, "the bound says something"


@pytest.mark.parametrize("at", range(0, len(DAGS), 6))
def test_real_graphs_take_what_the_bounds_say(at: int):
    """With latches and forks; every step a plain action."""
    graph = DAGS[at]
    needs: list[list[str]] = [[] for _ in range(graph["steps"])]
    for source, target in graph["edges"]:
        needs[target].append(f"s{source}")
    steps = [{"id": f"s{n}", "run": "echo", "depends_on": need} for n, need in enumerate(needs)]
    made = compiled({"steps": steps}, runner_programs=frozenset({"echo"}))

    played = run(made, {}).played
    found = bounds_of(made)
    assert found.least <= played.transitions <= found.most
    assert played.events <= found.events


@pytest.mark.parametrize("items", ["[a, b, c]", "[a, '${{ inputs.b }}', '${{ inputs.b }}']"])
def test_of_a_list_that_is_written_out_the_items_are_counted(items: str):
    """Nobody has to say `max_items` to see what a run takes."""
    inputs = "inputs: {b: string, list: {type: array}}"
    listed = inputs + "\nsteps:\n  - {id: one, run: echo, for_each: %s}"
    found = bounds_of(compiled(listed % items))
    open_ = bounds_of(compiled(listed % "'${{ inputs.list }}', max_items: 3"))

    looked_at = 0 if items == "[a, b, c]" else 1
    assert found.least == open_.least - 1 + looked_at + 3
    assert found.most == open_.most - 1 + looked_at


def test_the_last_chunk_has_what_is_left_of_a_list():
    each = f"for_each: {list(range(90))}"
    made = compiled(f"steps:\n  - {{id: one, run: echo, max_concurrency: 50, {each}}}")
    assert made.program is not None

    chunk = bounds(made.program, made.machines[1])
    assert (chunk.least, chunk.most > 40 * 2) == (2 + 10, True)


def test_a_close_machine_counts_each_undo_once():
    text = dedent("""\
        steps:
          - id: one
            run: echo
            compensate: {run: echo, retry: {max_attempts: 3, delay: 1s}}
          - id: two
            run: echo
            compensate: {run: echo}
        """)
    made = compiled(text, runner_programs=frozenset({"echo"}))
    assert made.program is not None
    close = made.machines[1]
    (undo,) = [state for _, state in every_state(close.definition) if state["Type"] == "Map"]
    assert undo["ItemProcessor"]

    one_undo = bounds(made.program, Emitted(undo["ItemProcessor"]))
    assert bounds(made.program, close).events > 2 * one_undo.events - 10
