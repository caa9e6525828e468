"""What AWS takes of one machine, held against what was emitted, and what to move out of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from compiler.check.program import Program, Step, every_step
from compiler.diagnostics import Diagnostics
from compiler.document.nodes import Json
from compiler.plan.bounds import Counter, Machine, bounds, branches_of, states_of
from compiler.plan.layout_regions import Leaf, Region, Series
from compiler.plan.model import Plan

DEFINITION_LIMIT = 1_000_000
"""Bytes of a CreateStateMachine request: its quota is 1 MB with the headers.

https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html
"""
EVENT_LIMIT = 20_000
"""Events of a run by its bound; AWS ends a run at 25,000, and its own retries need room too."""

_ROOM = 0.9
"""The share of a limit that is proposed to be used."""
_NAMED = 6
_COMPARED = 24

_PLACEHOLDER = re.compile(r"\$\{([a-z]+)(?::([^{}\"\\]*))?\}")
_ACCOUNT = "eu-central-1:123456789012"
_FILLED = {
    "machine": f"arn:aws:states:{_ACCOUNT}:stateMachine:stepsmith-prod-{{}}:123",
    "bus": f"arn:aws:events:{_ACCOUNT}:event-bus/stepsmith-prod",
    "codebuild": "stepsmith-prod-scripts",
}
_FUNCTION = f"arn:aws:lambda:{_ACCOUNT}:function:stepsmith-prod-{{}}:123"
_REQUEST: dict[str, Json] = {
    "name": "stepsmith-production-" + "n" * 59,
    "roleArn": "arn:aws:iam::123456789012:role/" + "r" * 64,
    "publish": True,
    "type": "STANDARD",
    "versionDescription": "v" * 64,
    "loggingConfiguration": {"level": "ALL", "includeExecutionData": True, "destinations": []},
    "tracingConfiguration": {"enabled": True},
}


def request_size(definition: Mapping[str, Json]) -> int:
    """Return the bytes of the request that creates a machine, placeholders filled in.

    The definition is text inside the request's JSON, so its quotes are escaped.
    """
    return _size(_compact(definition))


def _size(text: str) -> int:
    filled = sum(len(_filled(one)) - len(one.group()) for one in _PLACEHOLDER.finditer(text))
    return len(_compact({**_REQUEST, "definition": ""})) + _escaped(text) + filled


def _escaped(text: str) -> int:
    """Return the length of JSON text, which is ASCII, as a text inside JSON."""
    return len(text) + text.count('"') + text.count("\\")


def _filled(found: re.Match[str]) -> str:
    """Return a text of about the length that the deployment puts for a placeholder."""
    kind, name = found.groups()
    return _FILLED.get(kind, _FUNCTION).format(name or kind)


_ENCODER = json.JSONEncoder(separators=(",", ":"))


def _compact(value: Json | Mapping[str, Json]) -> str:
    return _ENCODER.encode(value)


class Named(Machine, Protocol):
    """A machine known by its id: the workflow's, `<it>--close` or `<it>--<for_each step>`."""

    @property
    def id(self) -> str:
        """The id."""


def check_limits(plan: Plan, machines: Sequence[Named], diagnostics: Diagnostics) -> None:
    """Report machines that AWS would not take, or would end before their end."""
    for machine in machines:
        part = machine.id.removeprefix(plan.program.id).removeprefix("--")
        text = _compact(machine.definition)
        size = _size(text)
        if size > DEFINITION_LIMIT:
            _report(
                plan,
                diagnostics,
                "definition-too-large",
                f"the compiled {_told(part)} takes {size:,} bytes, and AWS takes at most "
                f"{DEFINITION_LIMIT:,}",
                _advice_for(plan, part)
                or _advice(plan, size, DEFINITION_LIMIT, _bytes(plan, text, size)),
            )
        events = bounds(plan.program, machine).events
        if events > EVENT_LIMIT:
            _report(
                plan,
                diagnostics,
                "too-many-events",
                f"a run of this {_told(part)} may write {events:,} events with all its retries "
                f"and items, and at most {EVENT_LIMIT:,} are safe",
                _advice_for(plan, part)
                or _advice(plan, events, EVENT_LIMIT, _events(plan, machine)),
            )


_CLOSE = "close"


def _told(part: str) -> str:
    if not part:
        return "workflow"
    return "`on_failure` part" if part == _CLOSE else f"workflow's chunk of items of '{part}'"


def _advice_for(plan: Plan, part: str) -> tuple[int, str] | None:
    """Return the place and the proposal for what is not the workflow's own machine."""
    if part == _CLOSE:
        return 0, "move handlers of `on_failure` to a sub-workflow"
    for at, step in enumerate(plan.program.steps):
        if part and any(inner.id == part for inner in every_step((step,))):
            return at, f"move what is done for an item of '{part}' to a sub-workflow"
    return None


def _report(
    plan: Plan, diagnostics: Diagnostics, code: str, message: str, advice: tuple[int, str]
) -> None:
    steps = plan.program.steps
    diagnostics.error(code, steps[advice[0]].span, message, help=advice[1])


# --- what each step takes -----------------------------------------------------------------------


_STATE = '":{"Type":"'
"""What follows a state's name in JSON text: `Type` is the first key of each."""


def _bytes(plan: Plan, text: str, size: int) -> list[int]:
    """Return about the bytes of each of the workflow's own steps, those inside it included.

    `text` is the definition as JSON, `size` what it takes of the request. A state's part of the
    text reaches to where the next one begins, be it behind the state or inside it.
    """
    counter = Counter(plan.program)
    found = dict.fromkeys(range(len(plan.program.steps)), 0)
    owner = _owners(plan.program)
    end = text.find(_STATE)
    while end >= 0:
        name = text[text.rindex('"', 0, end) + 1 : end]
        start, end = end, text.find(_STATE, end + 1)
        at = owner.get(_step_of(counter, name))
        if at is not None:
            found[at] += (end if end >= 0 else len(text)) - start
    return [weight * size // len(text) for weight in found.values()]


def _events(plan: Plan, machine: Machine) -> list[int]:
    """Return about the events of each of the workflow's own steps, those inside it included."""
    counter = Counter(plan.program)
    found = dict.fromkeys(range(len(plan.program.steps)), 0)
    owner = _owners(plan.program)
    for name, state, times in _walk(machine.definition, counter, 1):
        at = owner.get(_step_of(counter, name))
        if at is not None:
            found[at] += counter.own_events(name, state) * times
    return list(found.values())


def _step_of(counter: Counter, state: str) -> str:
    step = counter.step(state)
    return "" if step is None else step.id


def _owners(program: Program) -> dict[str, int]:
    """Return for each step, those inside others included, the place of its outermost step."""
    return {inner.id: at for at, step in enumerate(program.steps) for inner in every_step((step,))}


def _walk(
    flow: Mapping[str, Json], counter: Counter, times: int
) -> Iterator[tuple[str, dict[str, Json], int]]:
    """Yield every state with its name and how often it may be entered."""
    passes = counter.passes(flow)
    for name, state in states_of(flow).items():
        here = times * passes[name]
        yield name, state, here
        for branch in branches_of(state):
            yield from _walk(branch, counter, here)
        processor = state.get("ItemProcessor")
        if isinstance(processor, dict):
            yield from _walk(processor, counter, here * counter.items(name, state))


# --- what to move -------------------------------------------------------------------------------


def _advice(plan: Plan, total: int, limit: int, weights: Sequence[int]) -> tuple[int, str]:
    """Return the place of the first step to move, and the proposal."""
    whole = sum(weights) or 1
    room = int(limit * _ROOM)
    need = total - room
    found = region_to_move(plan, weights, min(need, room // 2), room)
    if found is None:
        at = max(range(len(weights)), key=weights.__getitem__)
        step = plan.program.steps[at]
        share = weights[at] * 100 // whole
        smaller = _fewer(step) if limit == EVENT_LIMIT else "make it smaller"
        return at, f"'{step.id}' alone takes {share}%: {smaller}"
    names = [plan.program.steps[at].id for at in found]
    share = sum(weights[at] for at in found) * 100 // whole
    more = "" if need <= room // 2 else ", then more in the same way"
    return found[0], (
        f"move {_listed(names)} to a sub-workflow of their own, about {share}% of it{more}"
    )


def _fewer(step: Step) -> str:
    """Return how a step writes fewer events."""
    own: list[str] = []
    if step.repeat is not None:
        own.append("fewer `max_attempts` of its `repeat`, with a longer `delay`")
    if step.for_each is not None:
        own.append("a smaller `max_items`")
    if step.retry is not None:
        own.append("fewer attempts of its `retry`")
    move = "move its work to a sub-workflow"
    return f"{', '.join(own)}, or {move}" if own else move


def _listed(names: Sequence[str]) -> str:
    if len(names) <= _NAMED:
        return ", ".join(f"'{name}'" for name in names)
    return f"the {len(names)} steps from '{names[0]}' to '{names[-1]}' ({_some(names)})"


def _some(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names[:3]) + ", ..."


def region_to_move(plan: Plan, weights: Sequence[int], least: int, most: int) -> list[int] | None:
    """Return the places of steps that can become a sub-workflow, None where there is no such part.

    A part of the layout that weighs at least `least` and at most `most`: of the lightest, one
    that the fewest latches cross.
    """
    found = [part for part in _parts(plan.layout.root, weights, least) if part.weight <= most]
    found.sort(key=lambda part: part.weight)
    best: tuple[int, list[int]] | None = None
    for part in found[:_COMPARED]:
        steps = sorted(step for region in part.regions for step in leaves(region))
        if not 1 < len(steps) < len(weights):
            continue
        inside = set(steps)
        crossing = sum((a in inside) != (b in inside) for a, b in plan.layout.latches)
        if best is None or crossing < best[0]:
            best = crossing, steps
    return None if best is None else best[1]


@dataclass(frozen=True, slots=True)
class _Part:
    """Neighbours in a region, and what they weigh."""

    weight: int
    regions: Sequence[Region]


def _parts(root: Region | None, weights: Sequence[int], least: int) -> Iterator[_Part]:
    """Yield, of each region, the shortest runs of neighbours in it that are enough."""
    pending = [] if root is None else [root]
    while pending:
        parts = _inner(pending.pop())
        heavy = [sum(weights[step] for step in leaves(part)) for part in parts]
        start = weight = 0
        for end, added in enumerate(heavy):
            weight += added
            while weight - heavy[start] >= least and start < end:
                weight -= heavy[start]
                start += 1
            if weight >= least:
                yield _Part(weight, parts[start : end + 1])
        # A part that is not enough by itself has no part that is.
        pending.extend(part for part, heft in zip(parts, heavy, strict=True) if heft >= least)


def _inner(region: Region) -> tuple[Region, ...]:
    if isinstance(region, Leaf):
        return ()
    return region.items if isinstance(region, Series) else region.branches


def leaves(region: Region) -> list[int]:
    """Return the steps of a region, in the order of the layout."""
    found: list[int] = []
    pending = [region]
    while pending:
        here = pending.pop()
        if isinstance(here, Leaf):
            found.append(here.step)
        pending.extend(reversed(_inner(here)))
    return found
