"""`checkpoint` on what no wrapper carries out: its outputs are stored in a state behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compiler.check import WorkflowContract
from tests.asl_player import Outcome
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
