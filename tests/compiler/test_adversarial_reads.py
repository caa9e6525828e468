"""What a step far behind reads of others: status, reason and error, whatever happened to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from compiler.check import ActionContract
from tests.asl_player import Outcome, lambda_result
from tests.compiler.test_truth_table import CASES, as_workflow
from tests.emitted import Happens, World, compiled, run

EVERY = 10
"""One case of the truth table in so many is read at a distance."""


def probed(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return a case's workflow with a last step that reads what became of all the others."""
    workflow = as_workflow(dict(case))
    names = [step["id"] for step in workflow["steps"]]
    read = {name: f"${{{{ steps.{name}.status }}}}" for name in names}
    read |= {f"{name}_why": f"${{{{ steps.{name}.reason }}}}" for name in names}
    probe = {"id": "probe", "run": "true", "depends_on": names, "condition": "always()"}
    workflow["steps"].append({**probe, "env": read})
    return workflow


def last_env(workflow: Any, happens: Any, inputs: Any, world: Any = None) -> dict[str, Any]:
    """Play a workflow and return the env that its step `probe` was given."""
    seen: dict[str, Any] = {}

    def say(step: str, payload: Mapping[str, Any]) -> Happens:
        if step == "probe":
            seen.update(payload["env"])
        return happens(step, payload) if callable(happens) else happens.get(step, Happens())

    told = run(compiled(workflow), say, inputs, world=None if world is None else world(say))
    assert not told.played.query_errors
    return seen


def test_status_and_reason_are_read_as_the_record_tells_them() -> None:
    """A last step that always runs reads of each step what the truth table says of it."""
    wrong = []
    for case in CASES[::EVERY]:
        happens = {name: Happens(status) for name, status in case["happens"].items()}
        seen = last_env(probed(case), happens, case["inputs"])
        expect = case["expect"]["steps"]
        told = {name: (seen[name], seen[f"{name}_why"]) for name in expect}
        if told != {n: (one["status"], one.get("reason")) for n, one in expect.items()}:
            wrong.append((told, case))
    assert wrong == []


PROBE = """
  - id: probe
    run: echo
    condition: always()
    env:
      status: ${{ steps.it.status }}
      type: ${{ steps.it.error.type }}
      message: ${{ steps.it.error.message }}
"""


class _Unreachable(World):
    """Nobody can be asked: the function that opens tasks does not answer."""

    def _task(self, call: Any, payload: Mapping[str, Any]) -> Any:
        del call, payload
        return Outcome.fail("Lambda.Unknown", "out of memory")


KINDS: dict[str, tuple[str, Any, Any, Any, tuple[str, str]]] = {
    "too many items": (
        '{id: it, run: echo, for_each: "${{ inputs.list }}", max_items: 1}',
        {},
        {"list": [1, 2]},
        None,
        ("failed", "TooManyItems"),
    ),
    "no list": (
        '{id: it, run: echo, for_each: "${{ inputs.text }}", max_items: 1}',
        {},
        {"text": "a"},
        None,
        ("failed", "ValidationError"),
    ),
    "a failed item": (
        "{id: it, run: echo, for_each: [1, 2]}",
        {"it": Happens("failed")},
        {},
        None,
        ("failed", "ItemsFailed"),
    ),
    "no time": (
        '{id: it, type: wait, until: "${{ inputs.text }}"}',
        {},
        {"text": "tomorrow"},
        None,
        ("failed", "ValidationError"),
    ),
    "rejected": (
        "{id: it, type: manual, title: go, assignees: [a@example.com]}",
        {"it": Happens("rejected")},
        {},
        None,
        ("rejected", "Rejected"),
    ),
    "rejected, and let pass": (
        "{id: it, type: manual, title: go, assignees: [a@example.com], on_reject: continue}",
        {"it": Happens("rejected")},
        {},
        None,
        ("rejected", "Rejected"),
    ),
    "nobody decided": (
        "{id: it, type: manual, title: go, assignees: [a@example.com]}",
        {"it": Happens("timed_out")},
        {},
        None,
        ("timed_out", "States.Timeout"),
    ),
    "nobody could be asked": (
        "{id: it, type: manual, title: go, assignees: [a@example.com]}",
        {},
        {},
        _Unreachable,
        ("failed", "Lambda.Unknown"),
    ),
    "no event": (
        "{id: it, type: wait, event: {source: [shop]}, timeout: 1h}",
        {"it": Happens("timed_out")},
        {},
        None,
        ("timed_out", "StepTimedOut"),
    ),
    "a child of a block": (
        "{id: it, type: parallel, steps: [{id: inner, run: echo}]}",
        {"inner": Happens("failed")},
        {},
        None,
        ("failed", "StepsFailed"),
    ),
    "an AWS call": (
        '{id: it, action: "aws:s3:getObject", inputs: {}}',
        {"it": Happens("failed", error="S3.NoSuchKeyException")},
        {},
        None,
        ("failed", "S3.NoSuchKeyException"),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_a_step_fails_by_its_status_and_error_can_be_read(kind: str) -> None:
    """No way of failing leaves a step that looks as if it had been skipped."""
    step, happens, inputs, world, expected = KINDS[kind]
    head = "name: w\ninputs:\n  list: {type: array}\n  text: {}\nsteps:\n"
    seen = last_env(f"{head}  - {step}\n{PROBE}", happens, inputs, world)
    assert (seen["status"], seen["type"]) == expected
    assert seen["message"]


def test_a_failure_that_a_person_let_pass_can_be_read() -> None:
    """The status of a skipped pause is failed, and the error is still told."""

    class Desk(World):
        def _task(self, call: Any, payload: Mapping[str, Any]) -> Any:
            answer = {"choice": "skip", "outputs": None}
            call.player.at(1, lambda: call.player.succeed(payload["token"], answer))
            return Outcome()

    step = "{id: it, run: echo, on_error: pause}"
    seen = last_env(f"name: w\nsteps:\n  - {step}\n{PROBE}", {"it": Happens("failed")}, {}, Desk)
    assert seen == {"status": "failed", "type": "SomeError", "message": "it broke"}


def test_a_published_event_tells_its_id() -> None:
    """The id under which intake knows it: the step's key."""
    workflow = """
name: w
steps:
  - {id: it, type: publish, event: order.paid, payload: {n: 1}}
  - {id: each, type: publish, event: order.paid, payload: {n: 1}, for_each: [1, 2]}
  - {id: probe, run: echo, env: {one: "${{ steps.it.outputs.event_id }}",
     all: "${{ toJSON(steps.each.outputs) }}"}}
"""
    assert last_env(workflow, {}, {}) == {
        "one": "run-1/it",
        "all": '[{"event_id":"run-1/each/0"},{"event_id":"run-1/each/1"}]',
    }


OUTWARD = """
name: w
inputs:
  go: boolean
  list: {{type: array}}
steps:
  - {{id: bad, run: exit 1, condition: inputs.go, depends_on: []}}
  - {{id: asked, run: echo, condition: inputs.go, depends_on: []}}
  - {{id: below, run: echo, depends_on: [bad]}}
  - {{id: none, type: parallel, depends_on: [bad], steps: [{{id: child, run: echo}}]}}
  - id: probe
    {inside}
    condition: always()
    depends_on: [asked, below, none]
"""
ENV = """env: {a: "${{ steps.asked.reason }}", b: "${{ steps.below.reason }}",
      c: "${{ steps.child.reason }}", n: "${{ steps.none.reason }}"}"""
INSIDE = {
    "a step": f"run: echo\n    {ENV}",
    "an item": f"run: echo\n    {ENV}\n    for_each: [1]",
    "a chunk": f'run: echo\n    {ENV}\n    for_each: "${{{{ inputs.list }}}}"\n    max_items: 900',
    "a child": "type: parallel\n    steps:\n      - id: inner\n        run: echo\n        " + ENV,
}


@pytest.mark.parametrize("inside", INSIDE)
def test_reasons_are_known_inside_and_children_share_that_of_their_block(inside: str) -> None:
    """A block, an item and a chunk's execution see why steps around them were skipped."""
    workflow = OUTWARD.format(inside=INSIDE[inside])
    for go, expected in (
        (True, {"a": None, "b": "upstream_failed", "c": "upstream_failed", "n": "upstream_failed"}),
        (
            False,
            {"a": "condition", "b": "upstream_skipped", "c": "upstream_skipped",
             "n": "upstream_skipped"},
        ),
    ):  # fmt: skip
        seen: dict[str, Any] = {}

        def say(step: str, payload: Mapping[str, Any], seen: Any = seen) -> Happens:
            if step in ("probe", "inner"):
                seen.update(payload["env"])
            return Happens("failed" if step == "bad" else "succeeded")

        told = run(compiled(workflow), say, {"go": go, "list": [1]})
        assert told.played.query_errors == []
        assert all(child.query_errors == [] for child in told.played.children)
        assert seen == expected


def test_outputs_of_a_callback_are_what_came_from_outside_and_what_the_step_says() -> None:
    """Literals where nothing came, expressions over what did."""
    workflow = """
name: w
steps:
  - id: it
    action: job
    callback: true
    outputs:
      given: ours
      missing: ours
      made: ${{ steps.it.outputs.given }}-x
  - {id: probe, run: echo, env: {given: "${{ steps.it.outputs.given }}",
     missing: "${{ steps.it.outputs.missing }}", made: "${{ steps.it.outputs.made }}"}}
"""
    seen: dict[str, Any] = {}

    class Outside(World):
        def _task(self, call: Any, payload: Mapping[str, Any]) -> Any:
            if payload["op"] == "open_callback":
                return Outcome(lambda_result({"url": "https://example.com"}))
            answer = {"outputs": {"given": "theirs"}}
            call.player.at(1, lambda: call.player.succeed(payload["token"], answer))
            return Outcome()

    def say(step: str, payload: Mapping[str, Any]) -> Happens:
        if step == "probe":
            seen.update(payload["env"])
        return Happens()

    contract = ActionContract(inputs={"type": "object"}, outputs={"type": "object"})
    run(compiled(workflow, catalogue={"job": contract}), say, world=Outside(say))
    assert seen == {"given": "theirs", "missing": "ours", "made": "theirs-x"}
