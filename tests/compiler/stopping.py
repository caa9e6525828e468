"""Plays a for_each with `fail_fast`, with the results of its items stored, for tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from protocol.names import RECORDS
from tests.asl_player import Call, Outcome, lambda_result
from tests.emitted import Happens, Told, World, compiled, run

TELL = """
  - {id: after, run: echo, depends_on: [patch]}
  - id: tell
    run: echo
    condition: always()
    depends_on: [patch]
    env:
      ITEMS: ${{ toJSON(steps.patch.items) }}
      OUTPUTS: ${{ toJSON(steps.patch.outputs) }}
      STATUS: ${{ steps.patch.status }}
      WHY: ${{ steps.patch.error.message }}
"""
SCRIPT = """
name: w
inputs: {hosts: {type: array}}
steps:
  - id: patch
    run: echo
    for_each: ${{ inputs.hosts }}
    fail_fast: true
    max_concurrency: AT_ONCE
    max_items: MOST
    env: {HOST: "${{ item }}"}
    outputs: {done: "${{ steps.patch.outputs.done }}"}
"""
BLOCK = """
name: w
inputs: {hosts: {type: array}}
steps:
  - id: patch
    type: parallel
    for_each: ${{ inputs.hosts }}
    fail_fast: true
    max_concurrency: AT_ONCE
    max_items: MOST
    steps:
      - {id: before, run: echo, env: {HOST: "${{ item }}"}}
      - {id: work, run: echo, depends_on: [before], env: {HOST: "${{ item }}"}}
"""


@dataclass
class Stored(World):
    """A world in which what functions carried out is stored, and told of a for_each's items."""

    seen: list[Call] = field(default_factory=list)

    def __call__(self, call: Call) -> Outcome:
        """Answer a call; remember it."""
        payload = call.arguments.get("Payload", {})
        if call.arguments.get("FunctionName") == RECORDS and payload["op"] == "items":
            return Outcome(lambda_result({"items": self._items(payload)}))
        if "step" in payload and "op" not in payload:
            self.seen.append(call)
        return super().__call__(call)

    def _items(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        around, found = asked.get("items", []), dict[str, Any]()
        for call in self.seen:
            payload = call.arguments["Payload"]
            if payload["step"] != asked["step"] or payload["items"][:-1] != around:
                continue
            told = self.happens(payload["step"], payload)
            status = "cancelled" if call.status in ("running", "aborted") else call.status
            found[str(payload["items"][-1])] = {
                "status": status,
                "outputs": told.outputs if status == "succeeded" else None,
                "error": {"type": told.error, "message": told.message}
                if status == "failed"
                else None,
            }
        return found

    def hosts(self, step: str) -> list[str]:
        """Return for which items a step was carried out, in their order."""
        payloads = [call.arguments["Payload"] for call in self.seen]
        return [one["env"]["HOST"] for one in payloads if one["step"] == step]


def played(
    workflow: str,
    hosts: Any,
    fates: Mapping[Any, Happens],
    *,
    at_once: int = 1,
    most: int = 20,
    step: str = "patch",
) -> tuple[Told, dict[str, Any], Stored]:
    """Play a workflow; `fates` are what `step` comes to by item; return what `tell` was given."""
    seen: dict[str, Any] = {}

    def say(name: str, payload: Mapping[str, Any]) -> Happens:
        if name == "tell":
            seen.update(payload["env"])
        mine = name == step and payload.get("env", {}).get("HOST", payload.get("title"))
        return fates.get(mine, Happens()) if mine else Happens()

    world = Stored(say)
    text = workflow.replace("AT_ONCE", str(at_once)).replace("MOST", str(most))
    told = run(compiled(text + TELL), say, {"hosts": hosts}, world=world)
    assert told.played.query_errors == []
    return told, seen, world


def statuses(seen: Mapping[str, Any]) -> list[str]:
    items = json.loads(seen["ITEMS"])
    assert [item["index"] for item in items] == [*range(len(items))]
    assert all(set(item) == {"index", "status", "outputs", "error"} for item in items)
    outputs = json.loads(seen["OUTPUTS"])
    assert outputs == [item["outputs"] for item in items]
    return [item["status"] for item in items]


MANUAL = """
name: w
inputs: {hosts: {type: array}}
steps:
  - id: patch
    type: manual
    title: ${{ item }}
    assignees: [a@example.com]
    for_each: ${{ inputs.hosts }}
    fail_fast: true
    max_concurrency: AT_ONCE
    max_items: MOST
"""
BROKEN = Happens("failed", takes=5, error="Unreachable", message="b is down")
