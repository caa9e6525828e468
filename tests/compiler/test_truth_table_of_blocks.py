"""The truth table where its file has no cases: blocks, items, `||`, several references.

Workflows are made up, the table is asked by `protocol.status` alone, and the emitted machine has
to carry out the same steps, know the same statuses and come to the same verdict. A last step
with `always()` tells what the machine knows.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from protocol.status import (
    CONDITION,
    FAILED,
    FAULTS,
    SKIPPED,
    SUCCEEDED,
    Outcome,
    Rule,
    decide,
    has_counting_dependency,
    is_bad,
    run_status,
)
from tests.emitted import Happens, ancestors, compiled, run

CASES = 300
PARTS = 6
ITEMS = 3
PROBE = "probe"
Condition = tuple[Any, ...]


@dataclass
class Part:
    """A step of a case; `inner` are a block's steps."""

    id: str
    kind: str  # run, each, manual, block
    depends_on: tuple[str, ...] | None
    condition: Condition | None = None
    continues: frozenset[str] = frozenset()
    reads: tuple[str, ...] = ()
    inner: list[Part] = field(default_factory=list)


# --- conditions: as data, as text, and what they come to ---------------------------------------


def text(condition: Condition) -> str:
    """Return a condition as it is written."""
    match condition:
        case ("not", inner):
            return f"!({text(inner)})"
        case ("and", one, other):
            return f"({text(one)}) && ({text(other)})"
        case ("or", one, other):
            return f"({text(one)}) || ({text(other)})"
        case ("status", step, op, value):
            return f"steps.{step}.status {op} '{value}'"
        case ("error", step):
            return f"steps.{step}.error.type == 'SomeError'"
        case ("input",):
            return "inputs.x"
        case (name,):
            return f"{name}()"
    raise AssertionError(condition)


def has_functions(condition: Condition | None) -> bool:
    """Return whether a status function is anywhere in a condition."""
    if condition is None:
        return False
    if condition[0] in ("success", "failure", "always"):
        return True
    return any(has_functions(inner) for inner in condition if isinstance(inner, tuple))


def asked(condition: Condition | None, *, negated: bool = False) -> set[str]:
    """Return the steps whose failure a condition asks for."""
    match condition:
        case ("not", inner):
            return asked(inner, negated=not negated)
        case ("and" | "or", one, other):
            return asked(one, negated=negated) | asked(other, negated=negated)
        case ("status", step, op, value):
            when_good = (op == "==") == (value == SUCCEEDED)
            return {step} if when_good == negated else set()
        case ("error", step):
            return {step}
    return set()


def holds(condition: Condition, world: World, *, bad_above: bool) -> bool:
    """Return what a condition comes to."""

    def inner(part: Condition) -> bool:
        return holds(part, world, bad_above=bad_above)

    match condition:
        case ("not", one):
            return not inner(one)
        case ("and", one, other):
            return inner(one) and inner(other)
        case ("or", one, other):
            return inner(one) or inner(other)
        case ("status", step, op, value):
            return (world.outcomes[step].status == value) == (op == "==")
        case ("error", step):
            plain = world.parts[step].kind == "run"
            return plain and world.outcomes[step].status == FAILED
    known = {"input": world.x, "always": True, "failure": bad_above, "success": not bad_above}
    return known[condition[0]]


# --- the table --------------------------------------------------------------------------------


@dataclass
class World:
    """What happens, and, as it is found out, what came of each step."""

    happens: dict[str, list[str]]
    x: bool
    parts: dict[str, Part] = field(default_factory=dict)
    rules: dict[str, Rule] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)

    def decide_all(self, parts: list[Part], outer: Mapping[str, str]) -> None:
        """Find out what comes of the steps of a group; `outer` leads children to their block."""
        for at, part in enumerate(parts):
            self.parts[part.id] = part
            self.rules[part.id] = self._rule(parts, at, outer)
            group = {p.id: self.rules[p.id] for p in parts[: at + 1]}
            bad = [
                name
                for name in ancestors(part.id, group)
                if is_bad(group[name], self.outcomes[name].status)
            ]
            is_met = part.condition is None or holds(part.condition, self, bad_above=bool(bad))
            reason = decide(
                self.rules[part.id],
                bad_above=bad,
                has_counting=has_counting_dependency(group[part.id], group, self.outcomes),
                condition=partial(bool, is_met),
            )
            if reason is None:
                self.outcomes[part.id] = Outcome(self._carried_out(part, outer))
            else:
                self._skip(part, reason)

    def _rule(self, parts: list[Part], at: int, outer: Mapping[str, str]) -> Rule:
        part = parts[at]
        needs = part.depends_on
        left_out = needs is None and at > 0 and not outer.get(part.id)
        if needs is None:
            needs = (parts[at - 1].id,) if left_out else ()
        here = {p.id for p in parts}
        lifted = {self.block_of(step, here) for step in asked(part.condition)}
        rule = Rule(part.id, needs)
        above = ancestors(part.id, {p.id: self.rules.get(p.id, rule) for p in parts[: at + 1]})
        return Rule(
            part.id,
            needs,
            written=not left_out,
            manual=part.kind == "manual",
            continues=part.continues,
            has_condition=part.condition is not None,
            has_status_function=has_functions(part.condition),
            asks=frozenset(step for step in lifted if step in above),
        )

    def block_of(self, step: str, group: set[str]) -> str | None:
        """Return the step of a group that a step is, or stands in."""
        if step in group:
            return step
        for part in self.parts.values():
            if any(child.id == step for child in part.inner) and part.id in group:
                return part.id
        return None

    def _carried_out(self, part: Part, outer: Mapping[str, str]) -> str:
        if part.kind == "block":
            self.decide_all(part.inner, {**outer, **{p.id: part.id for p in part.inner}})
            inner = (is_bad(self.rules[p.id], self.outcomes[p.id].status) for p in part.inner)
            return FAILED if any(inner) else SUCCEEDED
        if part.kind == "each":
            bad = any(status != SUCCEEDED for status in self.happens[part.id])
            return FAILED if bad else SUCCEEDED
        return self.happens[part.id][0]

    def _skip(self, part: Part, reason: str) -> None:
        self.outcomes[part.id] = Outcome(SKIPPED, reason)
        for child in part.inner:
            self.parts[child.id] = child
            self.rules.setdefault(child.id, Rule(child.id))
            self._skip(child, reason)


# --- cases --------------------------------------------------------------------------------


class Maker:
    """Makes the steps of one case."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.kinds: dict[str, str] = {}

    def parts(self, count: int, readable: list[str], *, top: bool) -> list[Part]:
        """Return the steps of a group; `readable` are steps that end before the group begins."""
        made: list[Part] = []
        above: dict[str, set[str]] = {}
        for at in range(count):
            self.count += 1
            name = f"s{self.count}"
            kind = self.random.choice(["run", "run", "run", "each", "manual"])
            if top and self.random.random() < 0.3:
                kind = "block"
            part = Part(name, kind, self._needs(made, top=top))
            needs = part.depends_on
            if needs is None:
                needs = (made[-1].id,) if top and at else ()
            above[name] = set(needs).union(*(above[need] for need in needs))
            known = [*readable, *sorted(above[name])]
            known += [c.id for p in made if p.id in above[name] for c in p.inner]
            if known and self.random.random() < 0.6:
                part.condition = self.condition(known)
            if kind in ("run", "each") and known:
                part.reads = tuple(self.random.choices(known, k=self.random.randint(0, 3)))
            if kind == "block":
                part.inner = self.parts(self.random.randint(1, 3), known, top=False)
            if kind == "manual":
                part.continues = frozenset(
                    s for s in ("rejected", "timed_out") if self.random.random() < 0.3
                )
            elif self.random.random() < 0.2:
                part.continues = FAULTS
            self.kinds[name] = kind
            made.append(part)
        return made

    def _needs(self, made: list[Part], *, top: bool) -> tuple[str, ...] | None:
        if self.random.random() < 0.35:
            return None if top else ()
        return tuple(p.id for p in made if self.random.random() < 0.4)

    def condition(self, known: list[str]) -> Condition:
        """Return a condition of one to three tests."""
        found = self.test(known)
        for _ in range(self.random.choice([0, 1, 1, 2])):
            found = (self.random.choice(["and", "or", "or"]), found, self.test(known))
        return ("not", found) if self.random.random() < 0.15 else found

    def test(self, known: list[str]) -> Condition:
        """Return one test."""
        step = self.random.choice(known)
        statuses = ["succeeded", "failed", "skipped", "timed_out"]
        if self.kinds[step] == "manual":
            statuses.append("rejected")
        choices: list[Condition] = [
            ("status", step, self.random.choice(["==", "!="]), self.random.choice(statuses)),
            ("status", step, "==", "failed"),
            ("input",),
            (self.random.choice(["success", "failure", "always"]),),
        ]
        if self.kinds[step] != "manual":
            choices.append(("error", step))
        return self.random.choice(choices)

    def happens(self, parts: list[Part]) -> dict[str, list[str]]:
        """Return the status each step ends with where it is carried out, one for each item."""
        found: dict[str, list[str]] = {}
        for part in parts:
            found |= self.happens(part.inner)
            ends = [SUCCEEDED, SUCCEEDED, SUCCEEDED, FAILED, "timed_out"]
            if part.kind == "manual":
                ends = [SUCCEEDED, SUCCEEDED, "rejected", "timed_out"]
            found[part.id] = [self.random.choice(ends) for _ in range(ITEMS)]
        return found


def written(part: Part) -> dict[str, Any]:
    """Return a step as the file has it."""
    step: dict[str, Any] = {"id": part.id}
    if part.depends_on is not None:
        step["depends_on"] = list(part.depends_on)
    if part.condition is not None:
        step["condition"] = text(part.condition)
    if part.kind == "manual":
        step |= {"type": "manual", "title": "?", "assignees": ["alice@example.com"]}
        step |= {
            f"on_{'timeout' if s == 'timed_out' else 'reject'}": "continue" for s in part.continues
        }
        return step
    if part.continues:
        step["on_error"] = "continue"
    if part.kind == "block":
        return step | {"type": "parallel", "steps": [written(child) for child in part.inner]}
    if part.kind == "each":
        step["for_each"] = list(range(ITEMS))
    if part.reads:
        step["env"] = {name: f"${{{{ steps.{name}.status }}}}" for name in part.reads}
    return step | {"run": "true"}


def every(parts: list[Part]) -> list[Part]:
    """Return the steps and those inside them."""
    return [inner for part in parts for inner in (part, *every(part.inner))]


def check_case(seed: int, *, probed: bool) -> Any:
    """Return what is wrong with a case, None where nothing is."""
    make = Maker(seed)
    parts = make.parts(make.random.randint(2, 6 if seed % 2 else 11), [], top=True)
    world = World(make.happens(parts), make.random.random() < 0.5)
    steps = [written(part) for part in parts]
    names = [part.id for part in every(parts)]
    if probed:
        env = {name: f"${{{{ steps.{name}.status }}}}" for name in names}
        needs = [part.id for part in parts]
        steps.append(
            {"id": PROBE, "run": "true", "condition": "always()", "depends_on": needs, "env": env}
        )
    made = compiled({"name": "case", "inputs": {"x": "boolean"}, "steps": steps})
    world.decide_all(parts, {})

    def happens(step: str, payload: Mapping[str, Any]) -> Happens:
        item = payload.get("items", [0])[0]
        return Happens(world.happens[step][item] if step != PROBE else SUCCEEDED)

    told = run(made, happens, {"x": world.x})
    found: dict[str, Any] = {"run": told.run, "errors": told.played.query_errors}
    outcomes = {name: world.outcomes[name] for name in names}
    top = {part.id: outcomes[part.id] for part in parts}
    wanted: dict[str, Any] = {
        "run": run_status({name: world.rules[name] for name in top}, top),
        "errors": [],
        "carried out": sorted(
            p.id for p in every(parts) if p.kind != "block" and outcomes[p.id].status != SKIPPED
        ),
        "reasons": {name: o.reason for name, o in top.items() if o.status == SKIPPED},
    }
    payloads = [call.arguments["Payload"] for call in told.played.calls]
    called = {payload["step"] for payload in payloads if "step" in payload}
    found["carried out"] = sorted(called - {PROBE})
    read = [p for p in payloads if "step" in p and p["step"] != PROBE and "env" in p]
    found["read"] = [(p["step"], p["env"]) for p in read]
    wanted["read"] = [(p["step"], {name: outcomes[name].status for name in p["env"]}) for p in read]
    assert made.plan is not None
    found["reasons"] = {
        name: reason_told(name, made.plan.rules, outcomes)
        for name, outcome in top.items()
        if outcome.status == SKIPPED
    }
    for name in top:
        assert made.plan.rules[name] == world.rules[name], (seed, name)
    if probed:
        wanted["statuses"] = {name: outcome.status for name, outcome in outcomes.items()}
        probe = [c for c in told.played.calls if c.arguments["Payload"].get("step") == PROBE]
        found["statuses"] = probe[0].arguments["Payload"]["env"] if probe else None
    return None if found == wanted else (seed, found, wanted, steps, world.happens)


def reason_told(
    name: str, rules: Mapping[str, Rule], outcomes: Mapping[str, Outcome]
) -> str | None:
    """Return the reason that a record gives for a skip, from rules and statuses alone."""
    bad = [a for a in ancestors(name, rules) if is_bad(rules[a], outcomes[a].status)]
    counting = has_counting_dependency(rules[name], rules, outcomes)
    found = decide(rules[name], bad_above=bad, has_counting=counting, condition=lambda: False)
    return found or CONDITION


@pytest.mark.parametrize("part", range(PARTS))
def test_blocks_and_wide_conditions_follow_the_table(part: int):
    """Who is carried out, what the machine knows of each, and the verdict are the table's."""
    wrong = [
        found
        for seed in range(part, CASES, PARTS)
        if (found := check_case(seed, probed=seed % 3 != 0)) is not None
    ]
    assert wrong == []
