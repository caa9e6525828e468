"""What AWS would not take is refused, with a part that can move to a sub-workflow."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from compiler.check import ActionContract, Surroundings
from compiler.pipeline import compile_source
from compiler.plan.bounds import bounds
from compiler.plan.layout import layout
from compiler.plan.limits import region_to_move, request_size
from compiler.source import Source
from tests.emitted import compiled

PROGRAMS = frozenset({"echo"})


def errors(workflow: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the codes and the advice of what is said about a workflow."""
    source = Source("workflow.yaml", json.dumps(workflow))
    made = compile_source(source, Surroundings(runner_programs=PROGRAMS))
    return [(found.code, found.help or "") for found in made.diagnostics]


def chain(count: int, **also: Any) -> dict[str, Any]:
    """Return a workflow of steps one after the other."""
    return {"steps": [{"id": f"s{n}", "run": "echo", **also} for n in range(count)]}


def test_a_definition_that_is_too_large_is_refused_with_what_to_move():
    text = "echo " + "x" * 20_000

    ((code, advice),) = errors({"steps": [{"id": f"s{n}", "run": text} for n in range(60)]})

    assert code == "definition-too-large"
    assert advice.startswith("move the ")
    assert "to a sub-workflow of their own" in advice


def test_one_step_that_is_too_large_is_named():
    steps = [{"id": "small", "run": "echo"}, {"id": "large", "run": "echo " + "x" * 1_100_000}]

    ((code, advice),) = errors({"steps": steps})

    assert (code, advice) == ("definition-too-large", "'large' alone takes 99%: make it smaller")


def test_a_run_that_may_write_too_many_events_is_refused():
    retry = {"max_attempts": 12, "delay": "1s"}

    ((code, advice),) = errors(chain(600, retry=retry))

    assert code == "too-many-events"
    assert advice.startswith("move the ")


def test_a_repeat_counts_with_all_its_rounds():
    step = {
        "id": "poll",
        "run": "echo",
        "outputs": {"state": "${{ steps.poll.outputs.state }}"},
        "repeat": {"until": "steps.poll.outputs.state == 'x'", "max_attempts": 3000},
    }

    ((code, advice),) = errors({"steps": [{"id": "start", "run": "echo"}, step]})

    assert code == "too-many-events"
    assert advice.startswith("'poll' alone takes 99%: fewer `max_attempts` of its `repeat`")


def polling(attempts: int) -> dict[str, Any]:
    """Return a workflow whose items poll six times over, each with so many rounds."""
    polls = [
        {
            "id": f"poll{n}",
            "run": "echo",
            "outputs": {"state": f"${{{{ steps.poll{n}.outputs.state }}}}"},
            "repeat": {"until": f"steps.poll{n}.outputs.state == 'x'", "max_attempts": attempts},
        }
        for n in range(6)
    ]
    each = {
        "id": "each",
        "type": "parallel",
        "for_each": "${{ inputs.list }}",
        "max_items": 60,
        "steps": polls,
    }
    return {"steps": [each]}


def test_items_that_are_too_much_for_a_chunk_are_told_as_such():
    """They run in an execution of their own, which is neither the workflow's nor its handlers'."""
    ((code, advice),) = errors(polling(900))

    assert code == "too-many-events"
    assert advice == "move what is done for an item of 'each' to a sub-workflow"


@pytest.mark.parametrize("attempts", [2, 5, 20, 60, 120])
def test_heavy_items_go_to_smaller_chunks_down_to_one_item(attempts: int):
    made = compiled(polling(attempts), runner_programs=PROGRAMS)
    items = json.dumps(made.machines[0].definition["States"])
    (size,) = map(int, re.findall(r"partition\(.*?, (\d+)\)", items))
    chunk = bounds(made.program, made.machines[1]).events

    assert 1 <= size <= 40
    assert chunk <= 10_010 or size == 1
    assert size == 40 or chunk + chunk // size > 9_000  # no smaller than it has to be


def test_eight_hundred_plain_steps_fit():
    assert errors(chain(800, retry={"max_attempts": 3, "delay": "10s"})) == []


def test_a_plain_step_takes_about_a_thousand_bytes_of_the_request():
    def size(count: int) -> int:
        retry = {"max_attempts": 3, "delay": "10s"}
        steps = [{"id": f"s{n}", "action": "deploy", "retry": retry} for n in range(count)]
        contract = ActionContract({"type": "object"}, {"type": "object"})
        made = compiled({"steps": steps}, catalogue={"deploy": contract})
        return request_size(made.machines[0].definition)

    assert (size(60) - size(10)) / 50 <= 1050


def test_quotes_and_letters_of_other_scripts_count_as_they_are_sent():
    """The definition is text in a JSON request, and JSON is sent as ASCII."""
    plain = request_size({"States": "aaaa"})

    assert request_size({"States": '""""'}) == plain + 4 * 3
    assert request_size({"States": "éééé"}) == plain + 4 * 6


def test_placeholders_count_as_what_is_filled_in():
    assert request_size({"x": "${action:run}"}) > request_size({"x": "$[action:run]"}) + 40


class Planned:
    """As much of a plan as the search for a part looks at."""

    def __init__(self, needs: Sequence[Sequence[int]]) -> None:
        self.layout = layout(needs)


@pytest.mark.parametrize(
    ("needs", "weights", "least", "most", "part"),
    [
        ([[], [0], [1], [2]], [1, 1, 1, 1], 2, 3, [0, 1]),
        ([[], [0], [1], [2]], [1, 1, 5, 1], 5, 8, [2, 3]),
        ([[], [0], [0], [1, 2]], [1, 3, 3, 1], 6, 6, [1, 2]),
        ([[], [0]], [5, 5], 6, 20, None),
        ([[]], [5], 1, 20, None),
    ],
)
def test_the_part_to_move_is_a_region_that_is_just_heavy_enough(needs, weights, least, most, part):
    found = region_to_move(Planned(needs), weights, least, most)

    assert found == part


def test_a_part_that_no_latch_crosses_is_preferred():
    """0 and 1 lead crosswise to 2 and 3, behind them stands a chain."""
    needs = [[], [], [0], [0, 1], [2, 3], [4], [5]]

    found = region_to_move(Planned(needs), [2, 2, 2, 2, 1, 1, 1], 2, 4)

    assert found is not None
    assert set(found) <= {4, 5, 6} or set(found) == {0, 1, 2, 3}
