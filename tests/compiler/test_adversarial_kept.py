"""`checkpoint` on what no wrapper carries out: its outputs are stored in a state behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from compiler.check import WorkflowContract, contract
from tests.asl_player import Machine, Outcome
from tests.emitted import Happens, World, compiled, run

CHILD = WorkflowContract(
    "child",
    None,
    "workflows/child.yaml",
    outputs={"type": "object", "properties": {"ok": {"type": "boolean"}}},
)
WORKFLOW = """
name: w
steps:
  - id: put
    action: aws:dynamodb:putItem
    inputs: {TableName: t}
    outputs: {id: "${{ steps.put.outputs.Id }}-x", place: here}
    compensate: {run: "echo ${{ steps.put.outputs.id }} ${{ steps.put.outputs.place }}"}
  - {id: each, action: "aws:dynamodb:putItem", inputs: {TableName: t, Key: "${{ item }}"},
     for_each: [1, 2], checkpoint: true}
  - {id: call, type: subworkflow, workflow: child, checkpoint: true,
     repeat: {until: "${{ steps.call.outputs.ok }}", delay: 1s, max_attempts: 2}}
  - {id: tell, type: publish, event: e, payload: {}, checkpoint: true}
  - {id: probe, run: echo, env: {id: "${{ steps.put.outputs.id }}",
     all: "${{ length(steps.each.items) }}", ok: "${{ steps.call.outputs.ok }}"}}
  - {id: last, action: "aws:s3:putObject", inputs: {}, checkpoint: true}
"""


def say(_step: str, _: Mapping[str, Any]) -> Happens:
    """Let every step succeed with the same outputs."""
    return Happens(outputs={"Id": "7", "ok": True})


def test_outputs_are_stored_under_the_key_of_item_and_round() -> None:
    """Declared outputs too: an undo reads them."""
    world = World(say)
    told = run(compiled(WORKFLOW, workflows={"child": (CHILD,)}), say, world=world)
    assert told.run == "succeeded"
    assert told.played.query_errors == []
    kept = [(c["step"], c.get("items"), c.get("iteration"), {**c["computed"]}) for c in world.kept]
    given = {"Id": "7", "ok": True}
    assert kept == [
        ("put", None, None, {**given, "id": "7-x", "place": "here"}),
        ("each", [0], None, given),
        ("each", [1], None, given),
        ("call", None, 1, given),
        ("tell", None, None, {"event_id": "run-1/tell"}),
        ("last", None, None, given),
    ]


def test_what_follows_reads_the_outputs_as_before() -> None:
    """The state behind the call hands them on."""
    seen: dict[str, Any] = {}

    def probe(step: str, payload: Mapping[str, Any]) -> Happens:
        if step == "probe":
            seen.update(payload["env"])
        return say(step, payload)

    run(compiled(WORKFLOW, workflows={"child": (CHILD,)}), probe)
    assert seen == {"id": "7-x", "all": 2, "ok": True}


def test_without_a_checkpoint_there_is_no_state_more() -> None:
    """It costs one transition where it was asked for."""
    workflow = WORKFLOW.replace("checkpoint: true", "checkpoint: false")
    made = compiled(workflow, workflows={"child": (CHILD,)})
    assert [name for name in _states(made) if name.endswith(".keep")] == ["put.keep"]


def _states(made: Any) -> list[str]:
    return [*made.machines[0].definition["States"]]


def test_what_could_not_be_stored_is_not_done_again() -> None:
    """The step has failed then, whatever its retries say."""

    class Forgetful(World):
        def _action(self, payload: Mapping[str, Any]) -> Outcome:
            del payload
            return Outcome.fail("ServiceUnavailable", "no table")

    workflow = """
name: w
steps:
  - {id: put, action: "aws:dynamodb:putItem", inputs: {TableName: t}, checkpoint: true,
     retry: {count: 3}}
"""
    told = run(compiled(workflow), say, world=Forgetful(say))
    assert told.run == "failed"
    assert len([c for c in told.played.calls if "dynamodb" in c.resource]) == 1


UNDONE = """
name: child
inputs: {n: string}
steps:
  - {id: book, run: "echo ${{ inputs.n }}", compensate: {run: "echo cancel ${{ inputs.n }}"}}
on_failure: {run: echo, id: page}
"""
PARENT = """
name: parent
steps:
  - {id: call, type: subworkflow, workflow: child, inputs: {n: seven}}
  - {id: bad, run: exit 1}
on_failure: {run: echo, id: tell}
"""


def _contract(text: str) -> WorkflowContract:
    made = compiled(text)
    assert made.workflow is not None
    return contract(made.workflow, f"workflows/{made.workflow.id}.yaml")


@pytest.mark.parametrize("is_stored", [True, False])
def test_a_child_that_ended_well_is_undone_by_its_own_close_machine(is_stored: bool) -> None:
    """With its own inputs, under the name `records` would use, and without its handlers."""
    child = _contract(UNDONE)
    assert child.has_undos
    inner = compiled(UNDONE)
    made = compiled(PARENT, workflows={"child": (child,)})
    calls: list[tuple[str, list[Any]]] = []

    def told_to(step: str, payload: Mapping[str, Any]) -> Happens:
        calls.append((step, [*payload.get("env", {}).values()]))
        return Happens("failed" if step == "bad" else "succeeded")

    world = World(told_to)
    machines = (*made.machines[1:], *inner.machines)
    world.machines = {machine.id: Machine(machine.definition) for machine in machines}

    def records(message: Mapping[str, Any]) -> Any:
        if message["run"]["id"] == "run-1":
            (kept,) = world.kept
            record = {"outputs": {}} | ({"child": kept["child"]} if is_stored else {})
            return {"undo": [{"step": "call", "items": [], "record": record}]}
        assert message["run"]["id"] == world.kept[0]["child"]["id"]
        return {"undo": [{"step": "book", "items": [], "record": {"outputs": {}}}]}

    world.stored = records
    told = run(made, told_to, world=world)
    assert told.run == "failed"
    names = [name for name, _ in calls]
    assert names == ["book", "bad", *(["book_undo"] if is_stored else []), "tell"]
    if is_stored:
        assert calls[2] == ("book_undo", ["seven"])
    close = next(c for c in told.played.children if c.name == "run-1-1-close")
    assert close.output["compensation"] == ("complete" if is_stored else "partial")


def test_a_failed_child_closes_with_its_handlers_as_ever() -> None:
    """Only the undo of one that ended well leaves them out."""
    made = compiled(UNDONE)

    def told_to(step: str, _: Mapping[str, Any]) -> Happens:
        ran.append(step)
        return Happens("failed" if step == "book" else "succeeded")

    ran: list[str] = []
    run(made, told_to, {"n": "1"}, world=World(told_to, stored=lambda _: {"undo": []}))
    assert ran == ["book", "page"]


def test_what_can_be_undone_is_seen_through_children_of_children() -> None:
    """A workflow without undos of its own is undone where one it calls is."""
    inner = _contract(UNDONE)
    middle = WorkflowContract("middle", None, "workflows/middle.yaml", children=("child",))
    plain = WorkflowContract("plain", None, "workflows/plain.yaml")
    workflows = {"child": (inner,), "middle": (middle,), "plain": (plain,)}
    for called, expected in (("child", True), ("middle", True), ("plain", False)):
        text = f"name: w\nsteps:\n  - {{id: it, type: subworkflow, workflow: {called}}}\n"
        given = "" if called != "child" else ", inputs: {n: a}"
        text = text.replace(f"workflow: {called}", f"workflow: {called}{given}")
        made = compiled(text, workflows=workflows)
        assert [machine.id for machine in made.machines] == ["w", *["w--close"] * expected]
