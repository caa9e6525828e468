"""Blocks, for_each and close machines: names, deadlines, lost chunks, undos of items."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from compiler.check import Surroundings
from compiler.pipeline import compile_source
from compiler.source import Source
from compiler.spec.names import RESERVED
from tests.asl_player import Outcome
from tests.asl_player.check import check
from tests.emitted import Happens, Told, World, compiled, run


def played(workflow: str, inputs: Any = None, **world: Any) -> tuple[Told, list[dict[str, Any]]]:
    """Play a workflow in which the steps called `bad` fail; return the calls of actions."""
    calls: list[dict[str, Any]] = []

    def say(step: str, payload: Mapping[str, Any]) -> Happens:
        calls.append(dict(payload))
        return Happens("failed" if step == "bad" else "succeeded", takes=60)

    told = run(compiled(workflow), say, inputs, world=World(say, **world))
    assert told.played.query_errors == []
    assert all(child.query_errors == [] for child in told.played.children)
    return told, calls


# --- names ---------------------------------------------------------------------------------------


def test_steps_named_like_the_variables_of_others_keep_their_own() -> None:
    """`patch_1` is a step, and would be the name of what an item of `patch` is kept in."""
    workflow = """
name: w
steps:
  - {id: patch_1, run: echo, outputs: {x: "${{ steps.patch_1.outputs.x }}"}}
  - {id: patch, run: echo, for_each: [1, 2], env: {X: "${{ steps.patch_1.outputs.x }}"}}
  - {id: end, run: echo, env: {X: "${{ steps.patch_1.outputs.x }}",
     ALL: "${{ length(steps.patch.items) }}"}}
"""

    def say(step: str, payload: Mapping[str, Any]) -> Happens:
        if step != "patch_1":
            assert payload["env"]["X"] == "7"
        return Happens(outputs={"x": "7"})

    assert run(compiled(workflow), say).run == "succeeded"


LONG = "x" * 64
LONGEST = [
    f"""{{id: {LONG}, run: echo, for_each: "${{{{ inputs.list }}}}", max_items: 2, on_error: pause,
     retry: {{max_attempts: 2, conditions: ["contains(steps.{LONG}.outputs.error, 'a')"]}},
     repeat: {{until: "${{{{ steps.{LONG}.outputs.ok }}}}", delay: 1s, max_attempts: 2}},
     outputs: {{ok: "${{{{ steps.{LONG}.outputs.ok }}}}"}}}}""",
    f"""{{id: {LONG}, type: manual, title: go, assignees: [a@example.com],
     for_each: "${{{{ inputs.list }}}}", max_items: 2,
     escalations: [{{after: 1h, notify: [b@example.com]}}]}}""",
    f"""{{id: {LONG}, run: echo, for_each: "${{{{ inputs.list }}}}", max_items: 900,
     compensate: {{run: echo}}}}""",
    f"""{{id: {LONG}, type: parallel, fail_fast: true, timeout: 1h, max_items: 2,
     for_each: "${{{{ inputs.list }}}}",
     steps: [{{id: y{LONG[1:]}, type: wait, event: {{source: [a]}}, timeout: 1h, on_error: pause}},
             {{id: z{LONG[1:]}, type: wait, until: "${{{{ inputs.at }}}}", on_error: pause}}]}}""",
]


@pytest.mark.parametrize("step", LONGEST)
def test_the_longest_ids_leave_room_for_every_state(step: str) -> None:
    """A state's name has 80 characters at most, an id 64."""
    made = compiled(
        f"name: w\ninputs:\n  list: {{type: array}}\n  at: string\nsteps:\n  - {step}\n"
    )
    assert [p for machine in made.machines for p in check(machine.definition)] == []


# --- deadlines -----------------------------------------------------------------------------------


def test_what_runs_always_has_time_behind_the_deadline() -> None:
    """Also the children of a block and the items of a for_each."""
    workflow = """
name: w
timeout: 1h
steps:
  - {id: plain, run: echo, depends_on: []}
  - {id: late, run: echo, condition: always(), depends_on: []}
  - {id: block, type: parallel, condition: always(), depends_on: [],
     steps: [{id: child, run: echo}]}
  - {id: each, run: echo, for_each: [1], condition: always(), depends_on: []}
"""
    _, calls = played(workflow)
    assert {call["step"]: call["deadline"][11:16] for call in calls} == {
        "plain": "01:00",
        "late": "01:15",
        "child": "01:15",
        "each": "01:15",
    }


def test_the_time_of_a_for_each_is_for_all_its_items() -> None:
    """They share one deadline, and none has a timeout of its own; chunks keep it, too."""
    for most in (5, 900):
        workflow = f"""
name: w
inputs:
  list: {{type: array}}
steps:
  - {{id: first, run: echo}}
  - {{id: each, run: echo, for_each: "${{{{ inputs.list }}}}", max_items: {most},
     max_concurrency: 1, timeout: 2h}}
"""
        _, calls = played(workflow, {"list": [1, 2]})
        items = [call for call in calls if call["step"] == "each"]
        assert [item["deadline"][11:16] for item in items] == ["02:01", "02:01"]
        assert all("timeout" not in item for item in items)


def test_a_long_list_of_short_scripts_stays_on_lambda() -> None:
    """Hours for all items say nothing of one of them."""
    workflow = """
name: w
steps:
  - {id: each, run: echo, for_each: [1, 2], timeout: 4h}
"""
    _, calls = played(workflow)
    assert [call["deadline"][11:16] for call in calls] == ["04:00", "04:00"]
    assert "codebuild" not in json.dumps(compiled(workflow).machines[0].definition)


def test_a_default_timeout_is_for_each_attempt() -> None:
    """`defaults` speak of steps that are carried out, not of lists."""
    workflow = """
name: w
defaults: {timeout: 5m}
steps:
  - {id: each, run: echo, for_each: [1, 2]}
"""
    _, calls = played(workflow)
    assert [(call["timeout"], call.get("deadline")) for call in calls] == [(300, None)] * 2


def test_an_attempt_is_told_the_time_that_its_machine_gives_it() -> None:
    """A build's wrapper knows of the hour; on Lambda it stops before Lambda does."""
    workflow = """
name: w
steps:
  - {id: hour, run: echo, runner: codebuild}
  - {id: long, run: echo, runner: codebuild, timeout: 3h}
  - {id: most, run: echo, runner: lambda, timeout: 15m}
  - {id: short, run: echo, runner: lambda, timeout: 20s}
"""
    _, calls = played(workflow)
    told = {call["step"]: call["timeout"] for call in calls if not call.get("stored")}
    assert told == {"hour": 3600, "long": 10_800, "most": 890, "short": 20}


# --- chunks --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("items", "lost"), [(90, 0), (90, 40), (90, 80), (41, 40), (1, 0)])
def test_a_lost_chunk_leaves_every_item_in_its_place(items: int, lost: int) -> None:
    """All items of the lost execution have failed; those of the others are told as they are."""
    workflow = """
name: w
inputs:
  list: {type: array}
steps:
  - {id: each, run: echo, for_each: "${{ inputs.list }}", max_items: 900}
  - {id: probe, run: echo, condition: always(), env: {all: "${{ toJSON(steps.each.items) }}"}}
"""

    class Losing(World):
        def _aws(self, call: Any) -> Outcome:
            if call.arguments["Input"]["offset"] == lost:
                return Outcome.fail("States.TaskFailed", "the execution is gone")
            return super()._aws(call)

    seen: list[str] = []

    def say(step: str, payload: Mapping[str, Any]) -> Happens:
        if step == "probe":
            seen.append(payload["env"]["all"])
        return Happens()

    told = run(compiled(workflow), say, {"list": [*range(items)]}, world=Losing(say))
    assert told.run == "failed"
    assert told.played.query_errors == []
    found = [part.split(",")[0] for part in seen[0].split('"index":')[1:]]
    assert found == [str(at) for at in range(items)]
    assert seen[0].count('"status":"failed"') == min(40, items - lost)


def test_chunks_of_a_handler_know_the_failure_and_what_is_stored() -> None:
    """A child execution sees no variable of the close machine but those it is given."""
    workflow = """
name: w
steps:
  - {id: made, run: echo, outputs: {x: "${{ steps.made.outputs.x }}"}}
  - {id: bad, run: exit 1}
on_failure:
  - {id: tell, for_each: "${{ failure.steps }}", max_items: 900,
     run: "echo ${{ failure.step_id }} ${{ steps.made.outputs.x }} ${{ item.step_id }}"}
"""
    record = {"status": "succeeded", "outputs": {"x": "9"}}
    _, calls = played(workflow, stored=lambda _: {"steps": {"made": record}})
    assert [*calls[-1]["env"].values()] == ["bad", "9", "bad"]


# --- undos ---------------------------------------------------------------------------------------


def test_an_undo_knows_the_item_that_its_step_was_done_for() -> None:
    """Of a for_each, of a block in one, and of a for_each in such a block."""
    workflow = """
name: w
inputs:
  hosts: {type: array}
steps:
  - {id: list, run: echo, outputs: {all: "${{ steps.list.outputs.all }}"}}
  - {id: host, run: echo, for_each: "${{ inputs.hosts }}",
     compensate: {run: "echo ${{ index }} ${{ item.name }}"}}
  - id: region
    type: parallel
    max_items: 3
    for_each: ${{ fromJSON(steps.list.outputs.all) }}
    steps:
      - {id: one, run: echo, compensate: {run: "echo ${{ item }}"}}
      - {id: many, run: echo, for_each: ["${{ item }}", "y"], max_items: 3,
         compensate: {run: "echo ${{ index }} ${{ item }}"}}
  - {id: bad, run: exit 1}
"""
    due = [("many", [1, 0]), ("many", [1, 1]), ("one", [1]), ("host", [0])]
    stored = {
        "steps": {"list": {"status": "succeeded", "outputs": {"all": '["p","q"]'}}},
        "undo": [{"step": s, "items": at, "record": {"outputs": {}}} for s, at in due],
    }

    def say(step: str, payload: Mapping[str, Any]) -> Happens:
        if step.endswith("_undo"):
            seen.append((step, payload["items"], sorted(map(str, payload["env"].values()))))
        return Happens("failed" if step == "bad" else "succeeded", outputs={"all": '["p","q"]'})

    seen: list[Any] = []
    world = World(say, stored=lambda _: stored)
    told = run(compiled(workflow), say, {"hosts": [{"name": "n0"}]}, world=world)
    assert [child.query_errors for child in told.played.children] == [[]]
    assert seen == [
        ("many_undo", [1, 0], ["0", "q"]),
        ("many_undo", [1, 1], ["1", "y"]),
        ("one_undo", [1], ["q"]),
        ("host_undo", [0], ["0", "n0"]),
    ]


def test_no_step_is_called_as_a_state_of_the_machine_itself() -> None:
    """An id with a capital would take the place of that state, or lose its own."""
    steps = [{"id": name, "run": "true"} for name in sorted(RESERVED)]
    source = Source("w.yaml", json.dumps({"name": "w", "steps": steps}))
    made = compile_source(source, Surroundings())
    assert [found.code for found in made.diagnostics] == ["bad-id"] * len(RESERVED)
    full = compiled(FULL)
    own = {name for machine in full.machines for name in machine.definition["States"]}
    assert {name.partition(".")[0] for name in own if name[0].isupper()} <= RESERVED


def test_a_wide_step_called_close_is_not_what_follows_a_failed_run() -> None:
    """Both would be the machine `w--close`."""
    made = compiled(
        "name: w\ninputs:\n  list: {type: array}\nsteps:\n"
        '  - {id: close, run: echo, for_each: "${{ inputs.list }}", max_items: 900}\n'
        "on_failure: {run: echo}\n"
    )
    names = [machine.id for machine in made.machines]
    assert len(set(names)) == len(names) == 3


FULL = """
name: w
concurrency: {group: deploy}
steps:
  - {id: one, run: echo, depends_on: [], compensate: {run: echo}}
  - {id: two, run: echo, depends_on: []}
  - {id: three, run: echo, depends_on: []}
on_failure: {run: echo}
"""
