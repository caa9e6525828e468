"""The dependency graph is kept exactly: no step starts late, early, or twice.

Proved on the emitted machines, played with random durations and random failures, for 67 real
graphs and for random ones.
"""

from __future__ import annotations

import json
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from protocol.status import Outcome, Rule, decide, has_counting_dependency, is_bad
from tests.emitted import Happens, Told, ancestors, compiled, run

GRAPHS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "dags.json").read_text(encoding="utf-8")
)
STATES_PER_STEP = 1.47


def workflow_of(count: int, edges: list[list[int]], **conditions: str) -> dict[str, Any]:
    """Return a workflow with a plain action per node; edges are (dependency, dependent)."""
    steps: list[dict[str, Any]] = []
    for at in range(count):
        step: dict[str, Any] = {
            "id": f"s{at}",
            "run": "true",
            "depends_on": [f"s{a}" for a, b in edges if b == at],
        }
        if f"s{at}" in conditions:
            step["condition"] = conditions[f"s{at}"]
        steps.append(step)
    return {"name": "graph", "steps": steps}


def times(told: Told) -> dict[str, tuple[float, float]]:
    """Return when each step that was carried out started and ended; each is called once."""
    found: dict[str, tuple[float, float]] = {}
    for call in told.played.calls:
        if call.arguments["FunctionName"].startswith("${action:"):
            step = call.arguments["Payload"]["step"]
            assert step not in found, f"{step} was carried out twice"
            assert call.end is not None
            found[step] = (call.time, call.end)
    return found


def expected(
    rules: dict[str, Rule], happens: dict[str, Happens], conditions: dict[str, str]
) -> dict[str, tuple[float, float] | None]:
    """Return when each step must start and end, None for a skipped one, by the table alone.

    A skipped step counts as finished when its own dependencies are.
    """
    ended: dict[str, float] = {}
    outcomes: dict[str, Outcome] = {}
    found: dict[str, tuple[float, float] | None] = {}
    waiting = list(rules)
    while waiting:
        name = next(n for n in waiting if all(d in ended for d in rules[n].depends_on))
        waiting.remove(name)
        rule = rules[name]
        start = max((ended[d] for d in rule.depends_on), default=0.0)
        bad = [a for a in ancestors(name, rules) if is_bad(rules[a], outcomes[a].status)]
        holds = {"always()": True, "failure()": bool(bad)}.get(conditions.get(name, ""), True)
        reason = decide(
            rule,
            bad_above=bad,
            has_counting=has_counting_dependency(rule, rules, outcomes),
            condition=partial(bool, holds),
        )
        if reason is None:
            ended[name] = start + happens[name].takes
            outcomes[name] = Outcome(happens[name].status)
            found[name] = (start, ended[name])
        else:
            ended[name] = start
            outcomes[name] = Outcome("skipped", reason)
            found[name] = None
    return found


def check_times(count: int, edges: list[list[int]], seed: int, *, failing: float) -> None:
    """Play a graph and compare every start and end with what the table says."""
    chance = random.Random(seed)
    conditions = {}
    if failing:
        for at in range(count):
            if chance.random() < 0.15:
                conditions[f"s{at}"] = chance.choice(["always()", "failure()"])
    made = compiled(workflow_of(count, edges, **conditions))
    happens = {
        f"s{at}": Happens(
            "failed" if chance.random() < failing else "succeeded",
            takes=float(chance.randint(1, 800)),
        )
        for at in range(count)
    }
    told = run(made, happens)
    assert told.played.query_errors == []
    assert made.plan is not None
    wanted = expected(made.plan.rules, happens, conditions)
    found = times(told)
    assert found == {name: span for name, span in wanted.items() if span is not None}
    bad = any(happens[name].status == "failed" for name, span in wanted.items() if span)
    assert told.run == ("failed" if bad else "succeeded")


@pytest.mark.parametrize("at", range(len(GRAPHS)))
def test_a_real_graph_keeps_its_dependencies(at: int) -> None:
    """Every step starts exactly when the last of its own dependencies has ended."""
    graph = GRAPHS[at]
    for seed in range(3):
        check_times(graph["steps"], graph["edges"], seed, failing=0.0)
        check_times(graph["steps"], graph["edges"], seed + 100, failing=0.15)


@pytest.mark.parametrize("part", range(10))
def test_random_graphs_keep_their_dependencies(part: int) -> None:
    """500 random graphs of up to 60 steps, with and without failures."""
    for at in range(50):
        seed = part * 1000 + at
        chance = random.Random(seed)
        count = chance.randint(2, 60)
        density = chance.choice([0.02, 0.05, 0.1, 0.3])
        order = list(range(count))
        chance.shuffle(order)
        edges = [
            [order[a], order[b]]
            for b in range(count)
            for a in range(b)
            if chance.random() < density or (b - a == 1 and chance.random() < 0.3)
        ]
        check_times(count, edges, seed, failing=0.0 if at % 2 else 0.2)


def test_a_green_run_enters_few_states() -> None:
    """At most 1.47 states a step over the whole set, all counted but the first."""
    steps = entered = 0
    for graph in GRAPHS:
        told = run(compiled(workflow_of(graph["steps"], graph["edges"])), {})
        assert told.run == "succeeded"
        steps += graph["steps"]
        entered += len([s for s in told.played.states() if s != "Start"])
    assert entered / steps <= STATES_PER_STEP, (entered, steps)
