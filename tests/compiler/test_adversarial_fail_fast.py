"""A parallel step with `fail_fast`: the first bad child ends it, the rest are called off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.asl_player import Outcome
from tests.emitted import Happens, Told, World, compiled, run

BLOCK = """
name: w
steps:
  - id: all
    type: parallel
    fail_fast: true
    on_error: {on_error}
    steps:
      - {{id: build, run: echo, outputs: {{file: "${{{{ steps.build.outputs.file }}}}"}}}}
      - {{id: test, run: echo, depends_on: [build]}}
      - {{id: lint, run: echo, depends_on: [build]}}
      - {{id: pack, run: echo, depends_on: [test, lint]}}
      - {{id: note, run: echo, depends_on: [test]}}
      - {{id: review, type: manual, title: go, assignees: [a@example.com]}}
      - {{id: rescue, run: echo, condition: failure(), depends_on: [build]}}
  - {{id: after, run: echo, depends_on: [all]}}
  - id: probe
    run: echo
    condition: always()
    depends_on: [all]
    env:
      all: ${{{{ steps.all.status }}}}
      why: ${{{{ steps.all.error.message }}}}
      build: ${{{{ steps.build.status }}}} ${{{{ steps.build.outputs.file }}}}
      test: ${{{{ steps.test.status }}}}
      lint: ${{{{ steps.lint.status }}}}
      pack: ${{{{ steps.pack.status }}}}
      review: ${{{{ steps.review.status }}}}
"""
STORED = {
    "build": {"status": "succeeded", "outputs": {"file": "app.tgz"}},
    "lint": {"status": "failed", "error": {"type": "StepInDoubt"}, "in_doubt": True},
}


def played(
    workflow: str, happens: Mapping[str, Happens], stored: Any = STORED
) -> tuple[Told, dict[str, Any], World]:
    """Play a workflow; return what was told, what `probe` was given, and the world."""
    seen: dict[str, Any] = {}

    def say(step: str, payload: Mapping[str, Any]) -> Happens:
        if step == "probe":
            seen.update(payload["env"])
        return happens.get(step, Happens())

    asked: list[Any] = []

    def records(message: Mapping[str, Any]) -> Any:
        asked.append(message)
        return {"steps": stored}

    world = World(say, stored=records)
    told = run(compiled(workflow), say, world=world)
    assert told.played.query_errors == []
    assert all(set(message) >= {"run", "steps", "undo"} for message in asked)
    return told, seen, world


def test_without_a_failure_nothing_is_different() -> None:
    """Records are taken over from the branches, and nothing is read back."""
    told, seen, world = played(BLOCK.format(on_error="fail"), {}, stored=None)
    assert told.run == "succeeded"
    assert told.steps["rescue"]["status"] == "skipped"
    assert {seen[name] for name in ("all", "test", "lint", "pack", "review")} == {"succeeded"}
    assert world.closed == []


@pytest.mark.parametrize("on_error", ["fail", "continue"])
def test_the_first_bad_child_ends_the_block_at_once(on_error: str) -> None:
    """Finished children are read back, the others are cancelled, open tasks are closed."""
    happens = {
        "test": Happens("failed", takes=5, message="23 tests failed"),
        "lint": Happens(takes=500),
        "review": Happens("timed_out"),
    }
    told, seen, world = played(BLOCK.format(on_error=on_error), happens)
    assert told.run == ("failed" if on_error == "fail" else "succeeded")
    assert (told.steps["after"]["status"] == "skipped") is (on_error == "fail")
    assert seen == {
        "all": "failed",
        "why": "test failed: SomeError",
        "build": "succeeded app.tgz",
        "test": "failed",
        "lint": "cancelled",
        "pack": "cancelled",
        "review": "cancelled",
    }
    assert world.closed == ["review"]
    assert told.steps["rescue"]["status"] == "skipped"
    assert told.played.end is not None
    assert told.played.end - told.played.start < 100


def test_a_no_of_a_person_ends_the_block_too() -> None:
    """The decision is nowhere stored as a result, and is told all the same."""
    happens = {"review": Happens("rejected", takes=1), "build": Happens(takes=50)}
    told, seen, _ = played(BLOCK.format(on_error="fail"), happens, stored={})
    assert told.run == "failed"
    assert (seen["review"], seen["build"]) == ("rejected", "cancelled ")


def test_a_tolerated_failure_does_not_end_the_block() -> None:
    """Only a bad child does."""
    workflow = """
name: w
steps:
  - id: all
    type: parallel
    fail_fast: true
    steps:
      - {id: one, run: echo, on_error: continue}
      - {id: two, run: echo}
"""
    told, _, _ = played(workflow, {"one": Happens("failed")})
    assert told.run == "succeeded"


def test_items_of_a_for_each_stop_each_for_itself() -> None:
    """A block inside a for_each asks for the records of its own item."""
    workflow = """
name: w
steps:
  - id: regions
    type: parallel
    for_each: [eu, us]
    steps:
      - id: all
        type: parallel
        fail_fast: true
        steps:
          - {id: one, run: echo}
          - {id: two, run: "echo ${{ item }}", depends_on: [one]}
      - id: probe
        run: echo
        condition: always()
        depends_on: [all]
        env: {one: "${{ steps.one.status }}", two: "${{ steps.two.status }}"}
"""
    seen: dict[int, Any] = {}

    def say(step: str, payload: Mapping[str, Any]) -> Happens:
        if step == "probe":
            seen[payload["items"][0]] = payload["env"]
        return Happens("failed" if step == "two" and payload["items"] == [1] else "succeeded")

    asked: list[Any] = []

    def records(message: Mapping[str, Any]) -> Any:
        asked.append(message["items"])
        return {"steps": {"one": {"status": "succeeded", "outputs": {}}}}

    told = run(compiled(workflow), say, world=World(say, stored=records))
    assert told.run == "failed"
    assert asked == [[1]]
    assert seen == {
        0: {"one": "succeeded", "two": "succeeded"},
        1: {"one": "succeeded", "two": "failed"},
    }


def test_nobody_to_ask_leaves_the_children_cancelled() -> None:
    """The block has failed, whatever else fails."""

    class Silent(World):
        def __call__(self, call: Any) -> Any:
            if call.arguments["Payload"].get("op") in ("close", "stored"):
                return Outcome.fail("Lambda.Unknown", "out of memory")
            return super().__call__(call)

    def say(step: str, _: Mapping[str, Any]) -> Happens:
        return Happens({"review": "timed_out", "test": "failed"}.get(step, "succeeded"))

    told = run(compiled(BLOCK.format(on_error="fail")), say, world=Silent(say))
    assert told.run == "failed"
    assert "all: StepsFailed: test failed: SomeError" in str(told.played.cause)
