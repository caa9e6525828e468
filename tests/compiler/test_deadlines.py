"""How retries are compiled where there is a deadline above them, and where there is none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.emitted import compiled

CALL = 'action: "aws:dynamodb:putItem", inputs: {TableName: t, Item: {pk: {S: x}}}'


def states(does: str, retry: str, *, deadline: bool = True) -> dict[str, Any]:
    """Return the states of a machine of one step."""
    head = "name: A\ntimeout: 10h\n" if deadline else "name: A\n"
    made = compiled(f"{head}steps:\n  - {{id: it, {does}, retry: {{{retry}}}}}\n")
    found: dict[str, Any] = json.loads(made.machines[0].to_json())["States"]
    return found


def test_a_retrier_in_front_of_the_author_s_lets_go_of_what_is_too_late():
    retriers = states("run: exit 1", "count: 3, delay: 30s")["it"]["Retry"]
    never, author = retriers[-2:]
    assert "DeadlinePassed" in never["ErrorEquals"]
    assert never["MaxAttempts"] == 0
    assert (author["ErrorEquals"], author["MaxAttempts"]) == (
        ["States.TaskFailed", "States.Timeout"], 3,
    )  # fmt: skip


def test_a_retrier_that_names_its_errors_never_names_that_one():
    retriers = states("run: exit 1", "count: 3, conditions: [{error_type: TimeoutError}]")
    assert "DeadlinePassed" not in json.dumps(retriers["it"]["Retry"])


@pytest.mark.parametrize(
    ("does", "retry", "looped"),
    [
        ("run: exit 1", "count: 9, delay: 60s", False),
        ("run: exit 1", "count: 9, delay: 61s", True),
        ("run: exit 1", "count: 9, backoff: {base_delay: 10s, max_delay: 1m}", False),
        ("run: exit 1", "count: 9, backoff: {base_delay: 10s}", True),
        ("run: exit 1", "count: 2, backoff: {base_delay: 30s}", False),
        ("run: exit 1", "count: 3, backoff: {base_delay: 30s}", True),
        ("run: exit 1", "count: 90, backoff: {base_delay: 10s, max_delay: 2m}", True),
        (CALL, "count: 3, delay: 10s", False),
        (CALL, "count: 9, delay: 10s", True),
        ("type: publish, event: a.b, payload: {x: 1}", "count: 99, delay: 1s", True),
    ],
)
def test_what_could_pass_the_deadline_by_long_is_a_loop_that_looks_at_it(does, retry, looped):
    found = states(does, retry)
    assert ("it.again" in found) is looped
    author = (
        [one for one in found["it"]["Retry"] if "States.TaskFailed" in one["ErrorEquals"]]
        if ("Retry" in found["it"])
        else []
    )
    assert bool(author) is not looped
    if looped:
        first, late = found["it.again"]["Choices"]
        assert "$toMillis($deadline)" in first["Condition"]
        assert "DeadlinePassed" in late["Output"]


@pytest.mark.parametrize("does", ["run: exit 1", CALL])
def test_without_a_deadline_nothing_is_said_of_one(does):
    found = states(does, "count: 99, delay: 15m", deadline=False)
    assert "it.again" not in found
    assert "DeadlinePassed" not in json.dumps(found)
    looped = states("run: exit 1, runner: codebuild", "count: 9", deadline=False)
    assert len(looped["it.again"]["Choices"]) == 1
    assert "DeadlinePassed" not in json.dumps(looped)


@pytest.mark.parametrize("name", ["States.TaskFailed", "States.ALL"])
def test_a_loop_takes_the_names_of_all_errors_as_a_retrier_does(name):
    retry = f"count: 9, delay: 10m, conditions: [{{error_type: {name}}}]"
    condition = states(CALL, retry)["it.again"]["Choices"][0]["Condition"]
    assert "$not($states.input.Error in ['ValidationError'" in condition
    assert name not in condition


def test_our_functions_have_time_to_say_that_the_deadline_has_passed():
    assert "$max([10, " in states("run: exit 1", "count: 1")["it"]["TimeoutSeconds"]
