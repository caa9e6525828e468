"""Steps on CodeBuild: a build that carries a script or an action out, and what it stored."""

from __future__ import annotations

import json
from collections.abc import Mapping
from textwrap import dedent
from typing import Any

import pytest

from compiler.check import ActionContract
from tests.emitted import Happens, Told, compiled, run

ANYTHING = {"type": "object", "additionalProperties": True}
CATALOGUE = {
    "pack": ActionContract(ANYTHING, ANYTHING, runner="codebuild", error_types=("PackError",)),
    "tell": ActionContract(ANYTHING, ANYTHING),
}


def played(text: str, happens: Any = None) -> tuple[Told, list[tuple[str, str | None]]]:
    """Play a workflow; return what was told, and of each call its step and the action it names."""
    calls: list[tuple[str, str | None]] = []

    def say(step: str, payload: Mapping[str, Any]) -> Happens:
        calls.append((step, payload.get("action")))
        found: Happens = happens(len(calls)) if happens else Happens(outputs={"file": "a.zip"})
        return found

    made = compiled(dedent(text), catalogue=CATALOGUE, runner_programs=frozenset({"echo"}))
    told = run(made, say, {"list": [1, 2]})
    assert told.played.query_errors == []
    return told, calls


def states(text: str) -> dict[str, Any]:
    """Return the states of a workflow's machine."""
    made = compiled(dedent(text), catalogue=CATALOGUE, runner_programs=frozenset({"echo"}))
    found: dict[str, Any] = json.loads(made.machines[0].to_json())["States"]
    return found


ONE = "steps: [{id: a, action: pack, inputs: {of: b}, artifacts: [c], timeout: 30m}]"


def test_a_build_is_told_which_action_it_carries_out():
    build = states(ONE)["a"]

    assert build["Resource"].endswith("codebuild:startBuild.sync")
    assert "'action': 'pack'" in build["Arguments"]["EnvironmentVariablesOverride"]
    assert build["Arguments"]["TimeoutInMinutesOverride"] == 30
    assert "ImageOverride" not in build["Arguments"]


def test_the_function_of_scripts_fetches_what_was_stored_and_is_told_no_more_than_where():
    fetch = states(ONE)["a.result"]["Arguments"]

    assert fetch["FunctionName"] == "${action:run}"
    assert fetch["Payload"].keys() == {"run", "step", "inputs", "stored", "build_error"}
    assert fetch["Payload"]["inputs"] == {}


@pytest.mark.parametrize("length", [1, 3_000, 12_000, 20_000])
def test_no_variable_of_a_build_is_longer_than_codebuild_takes(length: int):
    """The call goes into several and comes out as it was, however long an input turns out."""
    calls: list[Mapping[str, Any]] = []

    def say(_: str, payload: Mapping[str, Any]) -> Happens:
        calls.append(payload)
        return Happens(outputs={})

    text = "inputs: {of: string}\nsteps: [{id: a, action: pack, inputs: {of: '${{ inputs.of }}'}}]"
    long = 'é"\\\n🚀 ' * (length // 6 + 1)
    told = run(compiled(text, catalogue=CATALOGUE), say, {"of": long})

    assert told.run == "succeeded"
    assert [call["inputs"] for call in calls] == [{"of": long}]


def test_a_step_names_the_image_of_its_build():
    text = "steps: [{id: a, action: pack, image: 'python:3.13'}]"

    assert states(text)["a"]["Arguments"]["ImageOverride"] == "python:3.13"


def test_what_says_lambda_or_is_for_it_is_a_call_of_its_function():
    text = "steps: [{id: a, action: pack, runner: lambda}, {id: b, action: tell}]"
    found = states(text)

    assert "a.result" not in found
    names = {name: found[name]["Arguments"]["FunctionName"] for name in "ab"}
    assert names == {"a": "${action:pack}", "b": "${action:tell}"}
    assert "action" not in found["a"]["Arguments"]["Payload"]


def test_the_steps_behind_read_what_the_build_stored():
    text = """
        steps:
          - {id: a, action: pack}
          - {id: b, run: echo, condition: steps.a.outputs.file == 'a.zip'}
        """
    told, calls = played(text)

    assert calls == [("a", "pack"), ("b", None)]
    assert told.steps["b"]["status"] == "succeeded"


WAYS = """
    inputs: {list: {type: array}}
    steps:
      - {id: a, action: pack%s}
      - {id: b, run: echo%s}
    """


@pytest.mark.parametrize(
    ("keys", "behind", "asked"),
    [
        ("", "", False),
        ("", ", condition: steps.a.status == 'succeeded'", False),
        ("", ", condition: steps.a.outputs.file == 'a.zip'", True),
        ("", ', env: {ALL: "${{ toJSON(steps.a.outputs) }}"}', True),
        (
            ", repeat: {until: steps.a.outputs.file == 'a.zip', delay: 1s, max_attempts: 2}",
            "",
            True,
        ),
        (', for_each: "${{ inputs.list }}"', "", False),
        (', for_each: "${{ inputs.list }}"', ', env: {A: "${{ toJSON(steps.a.items) }}"}', True),
    ],
)
def test_only_what_is_looked_at_is_fetched_from_a_build(keys: str, behind: str, asked: bool):
    """A build that ended well has stored a result: a state that fetches it costs a transition."""
    told, calls = played(WAYS % (keys, behind))

    entered = told.played.states()
    fetched = [name for name in entered if name.endswith(".result")]
    assert told.run == "succeeded"
    assert calls[-1] == ("b", None)
    assert bool(fetched) == asked


@pytest.mark.parametrize("keys", ["", ', for_each: "${{ inputs.list }}"'])
def test_why_a_build_failed_is_fetched_whoever_asks(keys: str):
    told, _ = played(WAYS % (keys, ""), lambda _: Happens("failed", error="PackError"))

    assert any(name.endswith(".result") for name in told.played.states())
    assert told.run == "failed"


def test_lists_in_lists_reach_a_build_as_they_are():
    """JSONata takes the items of a list found inside another one by one."""
    text = """
        inputs: {list: {type: array, items: {type: integer}}, one: {type: array}}
        steps:
          - id: a
            action: pack
            inputs:
              of:
                - [x, [y]]
                - ${{ inputs.list }}
                - ${{ inputs.one }}
                - ${{ inputs.list[0] }}
                - - ${{ inputs.list }}
                - "two\\nlines of 'text'"
                - null
            outputs: {name: "app:${{ steps.a.outputs.file }}"}
        """
    calls: list[Mapping[str, Any]] = []

    def say(_: str, payload: Mapping[str, Any]) -> Happens:
        calls.append(payload)
        return Happens(outputs={"file": "a.zip", "name": "app:a.zip"})

    told = run(compiled(dedent(text), catalogue=CATALOGUE), say, {"list": [1, 2], "one": [[3]]})

    assert told.run == "succeeded"
    assert told.played.query_errors == []
    (call,) = calls
    lines = "two\nlines of 'text'"
    assert call["inputs"]["of"] == [["x", ["y"]], [1, 2], [[3]], 1, [[1, 2]], lines, None]
    assert call["derived"] == {"name": ["text", "app:", ["ref", "steps", "a", "outputs", "file"]]}


def test_a_build_that_fails_is_tried_again_for_the_error_that_it_stored():
    text = """
        steps:
          - id: a
            action: pack
            retry: {max_attempts: 3, delay: 1s, conditions: [{error_type: PackError}]}
        """

    def fails(*times: int, error: str = "PackError") -> tuple[str, int]:
        told, calls = played(
            text, lambda call: Happens("failed", error=error) if call in times else Happens()
        )
        return told.run, len(calls)

    assert fails(1, 2) == ("succeeded", 3)
    assert fails(1, 2, 3) == ("failed", 3)
    assert fails(1, error="OtherError") == ("failed", 1)


@pytest.mark.parametrize("each", ["[1, 2]", '"${{ inputs.list }}"'])
def test_each_item_is_a_build_of_its_own(each: str):
    text = f"""
        inputs: {{list: {{type: array, items: {{type: integer}}}}}}
        steps:
          - {{id: a, action: pack, for_each: {each}, max_items: 2}}
          - {{id: b, run: echo, condition: "steps.a.outputs[1].file == 'a.zip'"}}
        """
    told, calls = played(text)

    assert calls == [("a", "pack"), ("a", "pack"), ("b", None)]
    assert told.steps["b"]["status"] == "succeeded"


def test_an_undo_and_a_handler_may_be_builds_too():
    text = """
        steps: [{id: a, run: echo, compensate: {id: undo, action: pack}}]
        on_failure: {id: tidy, action: pack}
        """
    made = compiled(dedent(text), catalogue=CATALOGUE, runner_programs=frozenset({"echo"}))
    close = made.machines[1].to_json()

    assert close.count("codebuild:startBuild.sync") == 2
    assert close.count("'action': 'pack'") == 2
    assert "${action:pack}" not in close
