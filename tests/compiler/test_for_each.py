"""A step for every item of a list, as the emitted machine carries it out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from compiler.plan.bounds import states_of
from tests.emitted import Happens, compiled, run

EACH = """
name: each
inputs:
  hosts: {{type: array}}
steps:
  - id: patch
    run: echo "done=$HOST" >> $GITHUB_OUTPUT
    for_each: ${{{{ inputs.hosts }}}}
    max_items: {most}
    env: {{HOST: "${{{{ item }}}}", NUMBER: "${{{{ index }}}}"}}
    outputs: {{done: "${{{{ steps.patch.outputs.done }}}}"}}
  - id: report
    run: echo reported
    condition: always()
    env:
      ALL: ${{{{ toJSON(steps.patch.outputs) }}}}
      ITEMS: ${{{{ toJSON(steps.patch.items) }}}}
      COUNT: ${{{{ length(steps.patch.items) }}}}
"""


def patching(hosts: Any, *, most: int = 5, failing: str = "") -> tuple[Any, dict[str, Any]]:
    """Play the workflow; return what was told and what `report` was given as its env."""
    seen: dict[str, Any] = {}

    def happens(step: str, payload: Mapping[str, Any]) -> Happens:
        if step == "report":
            seen.update(payload["env"])
            return Happens()
        host = payload["env"]["HOST"]
        if host == failing:
            return Happens("failed", error="Unreachable", message=f"{host} is down")
        return Happens(takes=10.0, outputs={"done": f"{host}:{payload['env']['NUMBER']}"})

    told = run(compiled(EACH.format(most=most)), happens, {"hosts": hosts})
    assert told.played.query_errors == []
    return told, seen


@pytest.mark.parametrize("hosts", [[], ["a"], ["a", "b", "c"]])
def test_lists_of_any_length_stay_lists(hosts: list[str]) -> None:
    """No item, one item and many give a list of outputs of that length."""
    told, seen = patching(hosts)
    assert told.run == "succeeded"
    assert told.steps["patch"]["status"] in ("succeeded", "skipped" if not hosts else "succeeded")
    assert seen["COUNT"] == len(hosts)
    expected = "[" + ",".join(f'{{"done":"{h}:{at}"}}' for at, h in enumerate(hosts)) + "]"
    assert seen["ALL"] == expected


@pytest.mark.parametrize("hosts", [None, "a", {"a": 1}, 7])
def test_what_is_no_list_fails_the_step_with_our_own_error(hosts: Any) -> None:
    """The run tells a ValidationError of the step, no error of an expression."""
    told, _ = patching(hosts)
    assert told.run == "failed"
    assert "patch" in str(told.played.cause)
    assert "ValidationError" in str(told.played.cause)


def test_more_items_than_allowed_start_none() -> None:
    """`max_items` is looked at before the first item starts."""
    told, _ = patching([str(n) for n in range(6)])
    assert told.run == "failed"
    assert "TooManyItems" in str(told.played.cause)
    assert [
        c for c in told.played.calls if c.arguments.get("Payload", {}).get("step") == "patch"
    ] == []


def test_one_bad_item_fails_the_step_when_all_have_run() -> None:
    """The others are carried out, their outputs kept; the bad one's are null."""
    told, seen = patching(["a", "b", "c"], failing="b")
    assert told.run == "failed"
    assert seen["ALL"] == '[{"done":"a:0"},null,{"done":"c:2"}]'
    assert '"status":"failed"' in seen["ITEMS"]
    assert "b is down" in seen["ITEMS"]
    assert "1 items failed: 1 (the first: Unreachable: b is down)" in str(told.played.cause)


def test_a_wide_for_each_goes_to_child_executions_in_chunks() -> None:
    """500 items run in chunks of 40, with indices that go on; results come in order."""
    hosts = [f"h{n}" for n in range(95)]
    told, seen = patching(hosts, most=500, failing="h90")
    assert seen["COUNT"] == 95
    assert len(told.played.children) == 3
    assert '{"done":"h94:94"}' in seen["ALL"]
    assert seen["ALL"].count("null") == 1
    assert told.run == "failed"
    assert told.played.events < 200


HEAVY = """
name: heavy
inputs: {{items: {{type: array}}}}
steps:
  - id: each
    type: parallel
    for_each: ${{{{ inputs.items }}}}
    max_items: 100
    max_concurrency: {at_once}
    steps:
      - id: call
        run: echo
        {more}
        env: {{NUMBER: "${{{{ index }}}}"}}
        outputs: {{state: "${{{{ steps.call.outputs.state }}}}"}}
"""
REPEATED = "repeat: {until: steps.call.outputs.state == 'x', max_attempts: 100, delay: 1s}"
RETRIED = "retry: {max_attempts: 100, delay: 1s}"


@pytest.mark.parametrize("more", [REPEATED, RETRIED])
def test_rounds_and_retries_inside_an_item_count_when_items_go_to_child_executions(
    more: str,
) -> None:
    """A hundred items of a hundred rounds are no work for one execution."""
    numbers: list[int] = []

    def happens(_step: str, payload: Mapping[str, Any]) -> Happens:
        numbers.append(payload["env"]["NUMBER"])
        return Happens(outputs={"state": "x"})

    made = compiled(HEAVY.format(more=more, at_once=40))
    told = run(made, happens, {"items": [*range(95)]})
    assert told.run == "succeeded"
    assert len(told.played.children) > 2
    assert sorted(map(int, numbers)) == [*range(95)]


@pytest.mark.parametrize("at_once", [1, 3, 20, 41, 60, 90])
def test_items_in_child_executions_run_as_many_at_once_as_is_said(at_once: int) -> None:
    """In all of them together: the limit is the step's, not a chunk's."""
    made = compiled(HEAVY.format(more=REPEATED, at_once=at_once))
    own, chunk = (states_of(machine.definition) for machine in made.machines)
    chunks, items = own["each.each"]["MaxConcurrency"], chunk["each.items"]["MaxConcurrency"]
    assert isinstance(chunks, int)
    assert isinstance(items, int)
    assert 1 <= chunks * items <= at_once
    assert chunks * items > at_once // 2
    assert items <= 40


BLOCK = """
name: block
steps:
  - id: regions
    type: parallel
    for_each: [eu, us]
    steps:
      - id: deploy
        run: echo ${{ item }}
      - id: check
        run: echo ${{ item }}
        depends_on: [deploy]
  - id: after
    run: echo after
"""


def test_a_parallel_step_can_be_repeated_for_every_item() -> None:
    """Each item runs the whole block, one step after the other inside."""
    seen: list[tuple[str, str]] = []

    def happens(step: str, payload: Mapping[str, Any]) -> Happens:
        seen.append((step, next(iter(payload.get("env", {}).values()), "")))
        return Happens(takes=1.0)

    told = run(compiled(BLOCK), happens)
    assert told.run == "succeeded"
    assert sorted(seen) == [
        ("after", ""),
        ("check", "eu"),
        ("check", "us"),
        ("deploy", "eu"),
        ("deploy", "us"),
    ]


def test_a_child_that_fails_in_one_item_fails_the_block() -> None:
    """The block is one node: what depends on it is skipped, the other item ends."""

    def happens(step: str, payload: Mapping[str, Any]) -> Happens:
        if step == "check" and "us" in payload["env"].values():
            return Happens("failed")
        return Happens()

    told = run(compiled(BLOCK), happens)
    assert told.run == "failed"
    assert told.steps["after"]["status"] == "skipped"


BODIES = """
name: bodies
inputs: {{list: {{type: array}}}}
steps:
  - id: a
    for_each: ${{{{ inputs.list }}}}
    {keys}
"""
ONCE = (
    "run: echo ${{ item }}",
    "run: docker push ${{ item }}",
    "run: docker push ${{ item }}\n    fail_fast: true",
    "{type: manual, title: 'Take ${{ item }}?', assignees: [a@example.com]}",
    "{type: wait, event: {source: [x]}, match: event.detail == item, timeout: 1h}",
    "{type: wait, for: '${{ item }}'}",
    "type: publish\n    event: x\n    payload: {of: '${{ item }}'}\n    checkpoint: true",
    "action: aws:sns:publish\n    inputs: {TopicArn: t, Message: '${{ item }}'}",
)
AGAIN = (
    "run: echo ${{ item }}\n    on_error: pause",
    "run: docker push ${{ item }}\n    retry: {count: 2, delay: 1s}",
    (
        "run: echo\n    outputs: {x: y}\n"
        "    repeat: {until: steps.a.outputs.x == item, delay: 1s, max_attempts: 2}"
    ),
    "type: parallel\n    steps: [{id: b, run: 'echo ${{ item }}'}, {id: c, run: echo}]",
)


CHAIN = """type: parallel
    steps:
      - {id: b, run: "echo ${{ item }}"}
      - {id: c, run: "echo ${{ item }}", depends_on: [b]}"""


def begins(keys: str) -> str:
    """Return the first state of a for_each of such a step."""
    written = keys if not keys.startswith("{") else keys[1:-1].replace(", ", "\n    ")
    made = compiled(BODIES.format(keys=written), runner_programs=frozenset({"echo"}))
    body: Any = states_of(made.machines[0].definition)["a.each"]["ItemProcessor"]
    return str(body["StartAt"])


@pytest.mark.parametrize("keys", [*ONCE, CHAIN])
def test_an_item_costs_no_state_of_its_own(keys: str) -> None:
    assert begins(keys) == "a.item"


def test_an_item_is_kept_inside_a_block_whose_first_state_is_come_to_again() -> None:
    keys = "type: parallel\n    steps: [{id: b, run: 'echo ${{ item }}', on_error: pause}]"
    made = compiled(BODIES.format(keys=keys), runner_programs=frozenset({"echo"}))
    body: Any = states_of(made.machines[0].definition)["a.each"]["ItemProcessor"]

    assert (body["StartAt"], body["States"]["a.item"]["Branches"][0]["StartAt"]) == (
        *("a.item", "a.begin"),
    )


@pytest.mark.parametrize("keys", AGAIN)
def test_an_item_is_kept_first_where_its_first_state_is_come_to_again(keys: str) -> None:
    assert begins(keys) == "a.begin"


def test_an_item_of_a_block_costs_two_states_beside_its_steps() -> None:
    """The Parallel, and what tells how it ended; a failed one tells the block's own error."""

    def happens(step: str, payload: Mapping[str, Any]) -> Happens:
        is_bad = step == "c" and payload["items"] == [1]
        return Happens("failed", error="Broken", message="x" * 500) if is_bad else Happens()

    keys = CHAIN + "\n    on_error: continue"
    text = (
        BODIES.format(keys=keys)
        + """
  - id: last
    run: echo
    env: {ITEMS: "${{ toJSON(steps.a.items) }}"}
"""
    )
    calls: list[Any] = []
    made = compiled(text, runner_programs=frozenset({"echo"}))

    def seen(step: str, payload: Mapping[str, Any]) -> Happens:
        calls.append(payload)
        return happens(step, payload)

    told = run(made, seen, {"list": ["x", "y"]})

    entered = told.played.states()
    assert told.run == "succeeded"
    assert told.played.query_errors == []
    assert sorted(name for name in entered if name.startswith("a.item") and name != "a.items") == [
        *("a.item", "a.item"),
        *("a.item.joined", "a.item.joined"),
    ]
    first, second = json.loads(calls[-1]["env"]["ITEMS"])
    assert first == {"index": 0, "status": "succeeded", "outputs": {}, "error": None}
    assert (second["status"], second["error"]) == (
        "failed",
        {"type": "StepsFailed", "message": "c ended badly"},
    )
    assert [call["items"] for call in calls[:-1] if call["step"] == "b"] == [[0], [1]]


def test_a_text_that_looks_like_the_item_s_variable_stays_a_text() -> None:
    script = "run: docker tag '$item_a_1' \"$index_a_1\" ${{ item }}"
    seen: list[Any] = []

    def happens(_: str, payload: Mapping[str, Any]) -> Happens:
        seen.append(payload)
        return Happens()

    made = compiled(BODIES.format(keys=script), runner_programs=frozenset({"echo"}))
    told = run(made, happens, {"list": ["x"]})

    assert told.run == "succeeded"
    assert seen[0]["inputs"]["script"].startswith("docker tag '$item_a_1' \"$index_a_1\" ")
    assert (seen[0]["items"], seen[0]["env"]) == ([0], {"SS_ITEM": "x"})


CALLS = """
name: calls
steps:
  - id: a
    action: aws:sqs:listQueues
    outputs: {y: "${{ steps.a.outputs.x }}!", z: known}
  - id: each
    for_each: [p, q]
    action: aws:sqs:listQueues
    outputs: {y: "${{ steps.each.outputs.x }}!", z: known}
  - id: last
    run: echo
    env:
      ALL: ${{ toJSON(steps.a.outputs) }}
      ONE: ${{ steps.a.outputs.y }}
      ITEM: ${{ toJSON(steps.each.outputs) }}
"""


def test_all_outputs_of_a_call_hold_the_declared_ones_too() -> None:
    seen: dict[str, Any] = {}

    def happens(step: str, payload: Mapping[str, Any]) -> Happens:
        seen.update(payload.get("env", {}) if step == "last" else {})
        return Happens(outputs={"x": "1"})

    told = run(compiled(CALLS), happens)

    assert told.run == "succeeded"
    assert told.played.query_errors == []
    assert seen["ONE"] == "1!"
    every = {"x": "1", "y": "1!", "z": "known"}
    assert json.loads(seen["ALL"]) == every
    assert json.loads(seen["ITEM"]) == [every, every]
