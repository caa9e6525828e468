"""Made-up graphs, as they are, in a block and in a block for each item: who runs and reads what.

Every step reads status, reason, error and an output of steps that may stand far above it. What it
should get is told by `protocol.status` alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from protocol.status import Outcome, Rule, decide, has_counting_dependency, is_bad, run_status
from tests.emitted import Happens, ancestors, compiled, run

GRAPHS = 25
ERRORS = {"failed": "SomeError", "timed_out": "StepTimedOut"}


@dataclass(frozen=True, slots=True)
class Known:
    """What a condition may look at: whether something above is bad, an input, other steps."""

    bad: bool
    x: bool
    outcomes: Mapping[str, Outcome]


Holds = Callable[[Known], bool]
PLAIN: list[tuple[str, Holds]] = [
    ("always()", lambda _: True),
    ("failure()", lambda known: known.bad),
    ("success()", lambda known: not known.bad),
    ("inputs.x", lambda known: known.x),
    ("!failure() && inputs.x", lambda known: not known.bad and known.x),
    ("always() && inputs.x", lambda known: known.x),
]


def about(step: str) -> list[tuple[str, Holds]]:
    """Return conditions that look at one step, alone and with a status function."""
    ran = f"steps.{step}.outputs.x != null"
    return [
        (f"steps.{step}.status == 'failed'", lambda k: k.outcomes[step].status == "failed"),
        (f"steps.{step}.status == 'skipped'", lambda k: k.outcomes[step].status == "skipped"),
        (f"steps.{step}.status != 'succeeded'", lambda k: k.outcomes[step].status != "succeeded"),
        (ran, lambda k: k.outcomes[step].status == "succeeded"),
        (f"always() && {ran}", lambda k: k.outcomes[step].status == "succeeded"),
        (f"failure() || {ran}", lambda k: k.bad or k.outcomes[step].status == "succeeded"),
        (
            f"always() && steps.{step}.reason == 'upstream_failed'",
            lambda k: k.outcomes[step].reason == "upstream_failed",
        ),
    ]


def _never(_: Known) -> bool:
    raise AssertionError("asked about a step without a condition")


@dataclass(frozen=True, slots=True)
class Graph:
    """A made-up workflow and what happens in it."""

    steps: list[dict[str, Any]]
    holds: dict[str, Holds]
    happens: dict[str, Happens]
    x: bool

    def workflow(self, wrap: str) -> dict[str, Any]:
        """Return the steps as a workflow, as they are or inside a block."""
        steps = self.steps
        if wrap != "plain":
            block: dict[str, Any] = {"id": "block", "type": "parallel", "steps": steps}
            each = {"for_each": [1, 2], "max_items": 2} if wrap == "item" else {}
            steps = [block | each]
        return {"name": "w", "inputs": {"x": "boolean"}, "steps": steps}

    def expected(self, rules: Mapping[str, Rule]) -> dict[str, Outcome]:
        """Return how each step ends."""
        found: dict[str, Outcome] = {}
        for step in self.steps:
            name = step["id"]
            rule = rules[name]
            bad = [a for a in ancestors(name, rules) if is_bad(rules[a], found[a].status)]
            known = Known(bool(bad), self.x, found)
            reason = decide(
                rule,
                bad_above=bad,
                has_counting=has_counting_dependency(rule, rules, found),
                condition=partial(self.holds.get(name, _never), known),
            )
            ended = Outcome(self.happens[name].status)
            found[name] = ended if reason is None else Outcome("skipped", reason)
        return found


def graph(seed: int) -> Graph:
    """Make a graph up."""
    pick = random.Random(seed)
    steps: list[dict[str, Any]] = []
    holds: dict[str, Holds] = {}
    above: dict[str, set[str]] = {}
    for at in range(pick.randint(4, 12)):
        name = f"n{at}"
        needs = pick.sample(range(at), min(at, pick.choice([0, 1, 1, 2, 2, 3])))
        step: dict[str, Any] = {"id": name, "run": "true", "depends_on": [f"n{n}" for n in needs]}
        above[name] = set(step["depends_on"]).union(*(above[n] for n in step["depends_on"]))
        asked = pick.random()
        if asked < 0.3:
            step["condition"], holds[name] = pick.choice(PLAIN)
        elif asked < 0.5 and needs:
            step["condition"], holds[name] = pick.choice(about(f"n{pick.choice(needs)}"))
        if pick.random() < 0.15:
            step["on_error"] = "continue"
        step["outputs"] = {"x": f"${{{{ steps.{name}.outputs.x }}}}"}
        step["env"] = {"none": "1"} | {
            f"{other}_{part.partition('.')[0]}": f"${{{{ steps.{other}.{part} }}}}"
            for other in sorted(above[name])
            for part in ("outputs.x", "status", "reason", "error.type")
            if pick.random() < 0.4
        }
        steps.append(step)
    happens = {
        step["id"]: Happens(
            pick.choice(["succeeded"] * 3 + ["failed", "timed_out"]), pick.random() * 50
        )
        for step in steps
    }
    return Graph(steps, holds, happens, pick.random() < 0.6)


def read(outcome: Outcome, part: str, output: str) -> str | None:
    """Return what a part of a step's record is, seen from behind it."""
    return {
        "outputs": output if outcome.status == "succeeded" else None,
        "status": outcome.status,
        "reason": outcome.reason,
        "error": ERRORS.get(outcome.status),
    }[part]


@pytest.mark.parametrize("wrap", ["plain", "block", "item"])
def test_every_step_of_a_made_up_graph_reads_what_happened(wrap: str) -> None:
    """It runs where the truth table says so, and its env holds what is told of those above it."""
    for seed in range(GRAPHS):
        made_up = graph(seed)
        seen: dict[tuple[str, tuple[int, ...]], Mapping[str, Any]] = {}

        def say(
            step: str, payload: Mapping[str, Any], made_up: Graph = made_up, seen: Any = seen
        ) -> Happens:
            items = tuple(payload.get("items", ()))
            seen[(step, items)] = payload["env"]
            happens = made_up.happens[step]
            return Happens(happens.status, happens.takes, {"x": f"{step}{items}"})

        made = compiled(made_up.workflow(wrap))
        told = run(made, say, {"x": made_up.x})
        assert told.played.query_errors == [], seed
        assert made.plan is not None
        expected = made_up.expected(made.plan.rules)
        for items in [(0,), (1,)] if wrap == "item" else [()]:
            for name, outcome in expected.items():
                env = seen.get((name, items))
                assert (env is not None) is (outcome.status != "skipped"), (seed, name)
                for key, value in (env or {"none": "1"}).items():
                    other, _, part = key.partition("_")
                    if part:
                        wanted = read(expected[other], part, f"{other}{items}")
                        assert value == wanted, (seed, name, key)
        rules = {name: made.plan.rules[name] for name in expected}
        assert told.run == run_status(rules, expected), seed


def test_a_machine_may_end_in_two_places_of_which_neither_is_known_to_be_good() -> None:
    """Both are a Map over the failures, each with a Fail of its own name."""
    steps: list[dict[str, Any]] = [
        {"id": "a", "depends_on": [], "on_error": "continue"},
        {"id": "b", "depends_on": ["a"], "condition": "success()"},
        {"id": "c", "depends_on": ["a", "b"], "condition": "always()"},
        {"id": "d", "depends_on": ["c"], "condition": "inputs.x"},
        {"id": "e", "depends_on": ["d"]},
        {
            "id": "f",
            "depends_on": ["b", "d"],
            "condition": "always() && steps.d.status == 'succeeded'",
        },
    ]
    workflow = {
        "name": "w",
        "inputs": {"x": "boolean"},
        "steps": [{**step, "run": "true"} for step in steps],
    }
    made = compiled(workflow)
    for x in (True, False):
        for bad in "abcdef":
            told = run(made, {bad: Happens("failed")}, {"x": x})
            is_reached = told.steps[bad]["status"] == "failed"
            assert told.run == ("failed" if is_reached and bad != "a" else "succeeded")
