"""Random workflows that fail somewhere, are changed somehow and resumed: made and judged.

The judge is told nothing of how a resume decides: it compares what was written, and what the
steps did.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from functions.domain.keys import StepPlace, child_id
from functions.usecases.resume import NotResumed, Resumed
from tests.functions.resume.town import RUN, Does, Effect, Town

Steps = list[dict[str, Any]]
ITEMS = ["x", "y", "z"]


@dataclass
class Case:
    """A workflow and the one it calls, where the run stops and how, and the corrected version."""

    seed: int
    main: Steps
    child: Steps
    stop: str  # a path, as `town.say` is asked
    how: str  # fails, in_doubt, killed, stops
    change: str
    new_main: Steps = field(default_factory=list)
    new_child: Steps = field(default_factory=list)


def workflows(main: Steps, child: Steps) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return both as workflows."""
    return {"steps": main}, {"steps": child, "inputs": {"given": {"type": "string", "default": ""}}}


def every(steps: Steps) -> Iterator[dict[str, Any]]:
    """Yield the steps, those in parallel steps too."""
    for step in steps:
        if "steps" in step:
            yield from every(step["steps"])
        else:
            yield step


class Maker:
    """Makes a case of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.seed = seed
        self.number = 0

    def case(self) -> Case:
        child = self.steps("c", self.random.randint(1, 4), calls=False)
        main = self.steps("s", self.random.randint(3, 7), calls=True)
        stops = [*self.stops(main), *self.stops_in_child(main, child)]
        case = Case(
            self.seed,
            main,
            child,
            self.random.choice(stops),
            self.random.choice(["fails", "fails", "fails", "in_doubt", "killed", "stops"]),
            self.random.choice(["none", "insert", "remove", "rename", "change", "child"]),
        )
        case.new_main, case.new_child = self.changed(case)
        return case

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def steps(self, letter: str, count: int, *, calls: bool, block: bool = False) -> Steps:
        made: Steps = []
        for _ in range(count):
            step = self.step(letter, [one["id"] for one in made], calls=calls, block=block)
            made.append(step)
        return made

    def step(self, letter: str, before: list[str], *, calls: bool, block: bool) -> dict[str, Any]:
        self.number += 1
        needs = [one for one in before[-4:] if self.chance(0.45)]
        if not needs and before and not block and self.chance(0.6):
            needs = [before[-1]]
        made: dict[str, Any] = {"id": f"{letter}{self.number}", "depends_on": needs}
        kind = self.random.random()
        if calls and not block and kind < 0.15:
            made |= {"type": "subworkflow", "workflow": "child", "inputs": {"given": made["id"]}}
            made |= self.perhaps(0.3, checkpoint=True)
            return made | self.perhaps(0.3, for_each=ITEMS[:2], max_items=4)
        if calls and not block and kind < 0.3:
            inside = self.steps(letter, self.random.randint(1, 3), calls=False, block=True)
            made |= {"type": "parallel", "steps": inside}
            return made | self.perhaps(0.2, for_each=ITEMS[:2], max_items=4)
        if calls and kind < 0.36:
            made |= {"action": "aws:sqs:sendMessage", "inputs": {"QueueUrl": "q"}}
            return made | self.perhaps(0.6, checkpoint=True)
        made |= {"run": f"echo {made['id']}"} | self.perhaps(0.15, for_each=ITEMS, max_items=4)
        made |= self.perhaps(0.1, on_error="continue")
        return made | self.perhaps(0.1 if needs else 0, condition="always()")

    def perhaps(self, probability: float, **fields: Any) -> dict[str, Any]:
        return fields if self.chance(probability) else {}

    def stops(self, steps: Steps) -> list[str]:
        scripts = [step for step in every(steps) if "run" in step]
        return [f"{s['id']}/1" if s.get("for_each") else s["id"] for s in scripts] or ["nothing"]

    def stops_in_child(self, main: Steps, child: Steps) -> list[str]:
        has_child = any(step.get("type") == "subworkflow" for step in main)
        return self.stops(child) if has_child else []

    # --- corrections ---------------------------------------------------------------------------

    def changed(self, case: Case) -> tuple[Steps, Steps]:
        main, child = copy.deepcopy(case.main), copy.deepcopy(case.child)
        target = child if case.change == "child" else main
        at = self.random.randrange(len(target))
        step = target[at]
        if case.change == "insert":
            new = {"id": "new", "run": "echo new", "depends_on": step["depends_on"]}
            step["depends_on"] = ["new"]
            target.insert(at, new)
        elif case.change == "remove":
            del target[at]
            for other in target:
                if step["id"] in other["depends_on"]:
                    rest = [one for one in other["depends_on"] if one != step["id"]]
                    other["depends_on"] = sorted({*rest, *step["depends_on"]})
        elif case.change == "rename":
            old, step["id"] = step["id"], "renamed"
            for other in target:
                other["depends_on"] = [
                    "renamed" if one == old else one for one in other["depends_on"]
                ]
        elif case.change in ("change", "child"):
            inner = self.random.choice([*every([step])])
            if "run" in inner:
                inner["run"] += " changed"
            else:
                inner["inputs"] = {**inner["inputs"], "given": "changed"}
                if "action" in inner:
                    inner["inputs"] = {"QueueUrl": "changed"}
        return main, child


def fixed(_path: str, _call: Mapping[str, Any]) -> Does:
    """Let every step succeed, as after whatever was wrong has been mended."""
    return Does()


def stopping(case: Case) -> Any:
    """Return what the steps do in the first attempt."""
    kinds = {
        "fails": Does(fails="Broken"),
        "in_doubt": Does(fails="Lost", has_effect=True, in_doubt=True),
        "killed": Does(killed=True),
        "stops": Does(stops=True),
    }

    def say(path: str, _call: Mapping[str, Any]) -> Does:
        return kinds[case.how] if path == case.stop else Does(takes=1 + len(path) % 3)

    return say


@dataclass
class Ran:
    """A case that was run, resumed and is over."""

    case: Case
    town: Town
    plan: Resumed
    before: list[Effect]
    now: list[Effect]


def ran(case: Case, *, has_records: bool = True) -> Ran | None:
    """Run a case to where it stops, correct it and resume it; None where it went well."""
    main, child = workflows(case.main, case.child)
    town = Town(main, child=child)
    town.has_records = has_records
    town.say = stopping(case)
    if town.run().status == "SUCCEEDED":
        return None
    before = list(town.effects)
    main, child = workflows(case.new_main, case.new_child)
    town.deploy(main, child=child)
    town.say = fixed
    plan = town.plan()
    redo = frozenset(one.step for one in plan.plan.refused)
    if redo:
        assert_refused(town, case, redo)
        plan = town.plan(redo=redo)
        if plan.plan.refused:
            return Ran(case, town, plan, before, [])
    town.resume(redo=redo)
    return Ran(case, town, plan, before, town.effects[len(before) :])


def assert_refused(town: Town, case: Case, refused: frozenset[str]) -> None:
    """Only what is in doubt is refused, and then nothing of the run has changed."""
    step = case.stop.partition("/")[0]
    assert case.how in ("in_doubt", "killed", "stops"), (case.how, refused)
    assert {one.rpartition(".")[2].partition("/")[0] for one in refused} == {step}
    before = copy.deepcopy(town.results.rows)
    with pytest.raises(NotResumed) as found:
        town.resume()
    assert found.value.plan is not None
    assert town.results.rows == before


def addresses(case: Case, effects: list[Effect]) -> list[str]:
    """Return where effects belong: `step`, or `step/item.inner` inside the workflow called."""
    runs = {RUN: ""}
    for steps in (case.main, case.new_main):
        for step in steps:
            if step.get("type") == "subworkflow":
                places = [(i,) for i in range(3)] if step.get("for_each") else [()]
                for items in places:
                    name = "/".join([step["id"], *map(str, items)])
                    for renewed in (None, 2, 3):
                        place = StepPlace(step["id"], items)
                        runs[child_id(RUN, place, {}, renewed)] = f"{name}."
    return [f"{runs[e.run]}{e.path}" for e in effects]


def bare(address: str) -> str:
    """Return an address without the items of the step itself."""
    head, dot, tail = address.rpartition(".")
    return f"{head}{dot}{tail.partition('/')[0]}"


def text(case: Case) -> str:
    """Return a case as a failing test shows it."""
    return json.dumps(
        {
            "seed": case.seed, "stop": case.stop, "how": case.how, "change": case.change,
            "main": case.main, "child": case.child, "new": case.new_main,
            "new_child": case.new_child,
        },
        indent=1,
    )  # fmt: skip


def judge(done: Ran) -> None:
    """Hold what happened against what was said beforehand, and against what was written."""
    case, plan = done.case, done.plan.plan
    before = addresses(case, done.before)
    now = addresses(case, done.now)
    ran_before, ran_now = {bare(one) for one in before}, {bare(one) for one in now}
    again = {one.step for one in plan.again}
    perhaps = {one.step for one in plan.perhaps}
    following = set(plan.following)
    said = text(case) + json.dumps(done.plan.told(), indent=1)
    kept = set(plan.kept)
    assert not kept & ran_now, (kept & ran_now, said)
    listed = again | perhaps | following
    assert all(_is_named(one, listed, kept) for one in ran_now), (ran_now - listed, said)
    steps = {s["id"] for s in every(case.new_main)} | {s["id"] for s in every(case.new_child)}
    must = {one for one in again & ran_before if one.rpartition(".")[2] in steps}
    assert must <= ran_now, (must - ran_now, said)
    for one in kept & ran_before:
        times = [address for address in before + now if bare(address) == one]
        assert len(times) == len(set(times)), (one, said)
    expected = _expected(done, ran_before)
    top = {one for one in again | perhaps if "." not in one}
    assert expected <= top, (expected - top, said)
    assert not (expected & kept), (expected & kept, said)


def _is_named(address: str, listed: set[str], kept: set[str]) -> bool:
    """Whether something that ran was named: itself, or as a whole the step that called it."""
    if address in listed:
        return True
    head, dot, _ = address.partition(".")
    has_inside = any(one.startswith(f"{head}.") for one in listed | kept)
    return bool(dot) and not has_inside and head.partition("/")[0] in listed


def _expected(done: Ran, ran_before: set[str]) -> set[str]:
    """Return the steps of the workflow itself that have to run again, by what is written.

    A step's print is made of what is written of it and of the prints of what it comes after; what
    stopped has another one in each attempt.
    """
    case = done.case
    stopped = case.stop.partition("/")[0]
    tolerated = next((s for s in every(case.main) if s["id"] == stopped), {}).get("on_error")
    prints = [
        _prints(steps, child, stopped if number and not tolerated else "")
        for number, (steps, child) in enumerate(
            [(case.main, case.child), (case.new_main, case.new_child)]
        )
    ]
    leaves = {s["id"]: s for s in every(case.new_main) if "run" in s}
    return {one for one in leaves if one in ran_before and (prints[0].get(one) != prints[1][one])}


def _prints(main: Steps, child: Steps, stopped: str) -> dict[str, str]:
    found: dict[str, str] = {}
    inside = {s["id"] for s in every(child)}

    def visit(steps: Steps, around: list[str], lists: Any) -> None:
        mine: dict[str, str] = {}
        pending = list(steps)
        while pending:
            for step in list(pending):
                if not set(step["depends_on"]) <= mine.keys():
                    continue
                pending.remove(step)
                above = sorted([*around, *(mine[one] for one in step["depends_on"])])
                if "steps" in step:
                    visit(step["steps"], above, [lists, step.get("for_each")])
                    mine[step["id"]] = "+".join(sorted(found[s["id"]] for s in every([step])))
                    continue
                own = {k: v for k, v in step.items() if k not in ("depends_on", "id", "checkpoint")}
                if step.get("type") == "subworkflow":
                    own["child"] = child
                    if stopped in inside:
                        own["stopped"] = True
                text = json.dumps([own, lists, above, step["id"] == stopped], sort_keys=True)
                found[step["id"]] = mine[step["id"]] = text

    visit(main, [], None)
    return found
