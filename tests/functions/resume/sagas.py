"""Random workflows with undos that fail somewhere: what has to be undone, and in which order.

What is due is read off what the steps did: each effect that has an undo, newest completion
first; a workflow that was called is undone as a whole, where it stands.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any

from tests.functions.resume.cases import ITEMS, Steps, every, workflows
from tests.functions.resume.town import RUN, Does, Effect, Town


@dataclass
class Saga:
    """A workflow and the one it calls, where it fails and how, and which undos fail."""

    seed: int
    main: Steps
    child: Steps
    stop: str
    how: str
    failing: frozenset[str]

    @property
    def undone(self) -> set[str]:
        """The steps that have an undo."""
        both = (*every(self.main), *every(self.child))
        return {step["id"] for step in both if "compensate" in step}


class Maker:
    """Makes a saga of a seed; times are all different, so that the order is known."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.seed = seed
        self.number = 0

    def saga(self) -> Saga:
        child = self.steps("c", self.random.randint(1, 3), depth=1)
        main = self.steps("s", self.random.randint(3, 6), depth=0)
        main.append({"id": "last", "depends_on": [main[-1]["id"]], "run": "echo last"})
        stops = [self.path(step) for step in every(main) if "run" in step]
        if any("workflow" in step for step in main):
            stops += [self.path(step) for step in every(child)]
        stop = self.random.choice([*stops, "last", "last"])
        how = self.random.choice(["fails", "fails", "in_doubt", "killed", "stops", "late"])
        saga = Saga(self.seed, main, child, stop, how, frozenset())
        failing = {f"{step}_undo" for step in sorted(saga.undone) if self.random.random() < 0.2}
        return Saga(self.seed, main, child, stop, how, frozenset(failing))

    @staticmethod
    def path(step: dict[str, Any]) -> str:
        return f"{step['id']}/1" if step.get("for_each") else step["id"]

    def steps(self, letter: str, count: int, *, depth: int) -> Steps:
        made: Steps = []
        for _ in range(count):
            made.append(self.step(letter, [one["id"] for one in made], depth))
        return made

    def step(self, letter: str, before: list[str], depth: int) -> dict[str, Any]:
        self.number += 1
        chance = self.random.random
        needs = [one for one in before[-3:] if chance() < 0.5]
        made: dict[str, Any] = {"id": f"{letter}{self.number}", "depends_on": needs}
        kind = chance()
        if depth == 0 and kind < 0.25:
            made |= {"type": "subworkflow", "workflow": "child"}
        elif depth == 0 and kind < 0.4:
            made |= {"type": "parallel", "steps": self.steps(letter, 2, depth=2)}
        else:
            made["run"] = f"echo {made['id']}"
            if chance() < 0.75:
                made["compensate"] = {"run": f"echo undo {made['id']}"}
        if "steps" not in made and chance() < 0.25:
            made |= {"for_each": ITEMS[:2], "max_items": 3}
        return made


def ran(saga: Saga) -> Town:
    """Run a saga until it is over, and undone as far as it goes."""
    main, child = workflows(saga.main, saga.child)
    town = Town(main, child=child)
    town.say = saying(saga)
    town.run()
    if saga.how == "stops":
        town.close()
    return town


def saying(saga: Saga, *, mended: bool = False) -> Any:
    """Return what steps and undos do; `mended`: no undo fails any more."""
    chance = random.Random(saga.seed)
    times: dict[str, float] = {}
    bad = {
        "fails": Does(fails="Broken"),
        "in_doubt": Does(fails="Lost", has_effect=True, in_doubt=True),
        "killed": Does(killed=True),
        "stops": Does(stops=True),
        "late": Does(fails="StepTimedOut", has_effect=True),
    }

    def say(path: str, call: Any) -> Does:
        if path.partition("/")[0] in saga.failing and not mended:
            return Does(fails="NotUndone")
        if path == saga.stop:
            return bad[saga.how]
        place = f"{call.get('run', {}).get('id')}/{path}"
        return Does(takes=times.setdefault(place, round(1 + 10 * chance.random(), 3)))

    return say


def due(saga: Saga, town: Town) -> list[tuple[str, str]]:
    """Return what is to be undone, as run and path, in order.

    What a called workflow did stands where that ended; one that failed itself has been undone
    before its caller was.
    """
    own = [_known(saga, e) for e in town.effects if e.run == RUN and e.step in saga.undone]
    called: dict[str, list[Effect]] = {}
    for effect in town.effects:
        if effect.run != RUN and not effect.step.endswith("_undo"):
            called.setdefault(effect.run, []).append(_known(saga, effect))
    units: list[tuple[float, list[Effect]]] = [(e.at, [e]) for e in own]
    first: list[Effect] = []
    for run, effects in called.items():
        undone = sorted((e for e in effects if e.step in saga.undone), key=lambda e: -e.at)
        ended = town.ended_at.get(run)
        if ended is None:  # it failed, or was cut off with its caller
            first += undone
        else:
            units.append((ended, undone))
    units.sort(key=lambda unit: -unit[0])
    return [(e.run, e.path) for e in (*first, *(e for _, unit in units for e in unit))]


def _known(saga: Saga, effect: Effect) -> Effect:
    """Return an effect as it is known of: of one not reported, that it had begun."""
    is_lost = effect.path == saga.stop and saga.how in ("killed", "stops")
    return replace(effect, at=effect.at - Does().takes + 1e-6) if is_lost else effect


def undone(town: Town) -> list[tuple[str, str]]:
    """Return what was undone, as run and path of the steps, in order."""
    found = []
    for effect in town.effects:
        name, *rest = effect.path.split("/")
        if name.endswith("_undo"):
            items = [part for part in rest if not part.startswith("r")]
            found.append((effect.run, "/".join([name.removesuffix("_undo"), *items])))
    return found


def succeeding(saga: Saga, expected: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return those whose undos do not fail."""
    return [one for one in expected if f"{one[1].partition('/')[0]}_undo" not in saga.failing]


def check_order(saga: Saga, town: Town) -> None:
    """What was done is undone, in order, but for what could not be.

    Workflows that failed themselves were undone at once, side by side perhaps.
    """
    expected, found = succeeding(saga, due(saga, town)), undone(town)
    assert sorted(found) == sorted(expected), saga
    alone = {run for run, _ in expected if run != RUN and run not in town.ended_at}
    for runs in ({run} for run in alone):
        assert [o for o in found if o[0] in runs] == [o for o in expected if o[0] in runs], saga
    rest = [o for o in expected if o[0] not in alone]
    assert [o for o in found if o[0] not in alone] == rest, saga


def check_the_rest(saga: Saga, town: Town) -> None:
    """What is left is undone once it can be; then nothing is."""
    expected = due(saga, town)
    done = undone(town)
    town.say = saying(saga, mended=True)
    if len(done) < len(expected):
        assert town.close().output["compensation"] == "complete", saga
    assert sorted(undone(town)) == sorted(expected), saga
    assert town.close().output == {"compensation": "none", "undone": []}, saga


def check_crashes(saga: Saga, seed: int, most: int) -> None:
    """Stop everything before some call of `records`, and close again: the same is undone."""
    calls = ran(saga).calls_of_records
    points = range(1, calls + 1)
    for point in random.Random(seed).sample(points, min(calls, most)):
        main, child = workflows(saga.main, saga.child)
        town = Town(main, child=child)
        town.say = saying(saga)
        town.stop_before_records = point
        town.run()
        if saga.how == "stops" and town.stop_before_records is not None:
            town.close()
        expected = succeeding(saga, due(saga, town))
        town.stop_before_records = None
        town.close()
        found = undone(town)
        assert sorted(found) == sorted(expected), (point, saga)
        for run in {run for run, _ in expected}:
            assert [o for o in found if o[0] == run] == [o for o in expected if o[0] == run]
