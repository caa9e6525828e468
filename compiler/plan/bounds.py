"""Bounds on what one run of an emitted machine takes, counted on its states.

Loops and retries are counted with the author's numbers in full. What AWS's own hiccups add (the
retries of Lambda's transient errors) is not: it is what the margin below the limit is for. A
person who has a paused step tried again is counted once for each such step.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import prod
from typing import Protocol, TypeAlias

from compiler.check.lengths import length, most_items
from compiler.check.program import Program, Step, every_step
from compiler.document.nodes import Json
from protocol.names import STEP_IN_PROGRESS, child_machine

State: TypeAlias = "dict[str, Json]"

PRICE_PER_TRANSITION = 0.025 / 1000
"""US dollars in most regions: https://aws.amazon.com/step-functions/pricing/"""

BY_PAUSE = 2
"""Passes of a step that a person may have tried again."""


CHUNK = 40
"""Items of a for_each that go to one child execution, where they are not too heavy."""
CHUNK_EVENTS = 10_000
"""Events that the items of one child execution may take by their bound."""

_CHUNKS = re.compile(r"\$partition\(.*, (\d+)\)", re.DOTALL)


def chunk_size(events: int) -> int:
    """Return how many items go to one child execution, one of which takes so many events."""
    return max(1, min(CHUNK, CHUNK_EVENTS // (events + 2)))


class Machine(Protocol):
    """What is counted on: a state machine as emitted."""

    @property
    def definition(self) -> Mapping[str, Json]:
        """The machine in ASL; a state's name is its step's id up to the first dot."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of one run: state transitions at least (one that ends well) and at most, events at most."""

    least: int
    most: int
    events: int


@dataclass(frozen=True, slots=True)
class Weights:
    """What one state takes with all that is inside it."""

    least: int
    most: int
    events: int


def bounds(program: Program, machine: Machine) -> Bounds:
    """Return the bounds of a machine of a program: its own or its close machine."""
    found = Counter(program).flow(machine.definition)
    return Bounds(found.least, found.most, found.events + 2)  # its start and its end


def executions(program: Program, machines: Mapping[str, Machine]) -> dict[str, int]:
    """Return how many executions of each machine, by its id, there are in a run at most.

    Those of chunks are counted where they are started; the others are one each.
    """
    counter = Counter(program)
    found: dict[str, int] = {}

    def count(name: str) -> int:
        if name not in found:
            arn = child_machine(name)
            others = ((by, one) for by, one in machines.items() if by != name)
            started = ((by, counter.calls(one.definition, arn)) for by, one in others)
            found[name] = sum(count(by) * often for by, often in started if often) or 1
        return found[name]

    return {name: count(name) for name in machines}


class Counter:
    """Counts states of a program's machines."""

    def __init__(self, program: Program) -> None:
        self._by_id = {step.id: step for step in _every(program)}

    def step(self, state: str) -> Step | None:
        """Return the step that a state belongs to; of an undo the step that undoes."""
        name, _, part = state.partition(".")
        step = self._by_id.get(name)
        is_undo = part.partition(".")[0].startswith("undo")
        return step.compensate if step is not None and is_undo else step

    def flow(self, flow: Mapping[str, Json]) -> Weights:
        """Return what a list of states takes, from its start to an end."""
        states = states_of(flow)
        weights = {name: self._weights(name, state) for name, state in states.items()}
        after = {name: ways(state) for name, state in states.items()}
        start = str(flow["StartAt"])
        order = list(_components(after, start))
        passes = self._passes(after, order)
        most = _longest(after, order, {n: w.most * passes[n] for n, w in weights.items()})
        events = _longest(after, order, {n: w.events * passes[n] for n, w in weights.items()})
        least = _shortest(states, start, {n: w.least for n, w in weights.items()})
        return Weights(most if least is None else least, most, events)

    def passes(self, flow: Mapping[str, Json]) -> dict[str, int]:
        """Return how often each state of a flow may be entered because of the loops it is in."""
        after = {name: ways(state) for name, state in states_of(flow).items()}
        return self._passes(after, _components(after, str(flow["StartAt"])))

    def _passes(
        self, after: Mapping[str, Sequence[str]], groups: Iterable[Sequence[str]]
    ) -> dict[str, int]:
        passes = dict.fromkeys(after, 1)
        for group in groups:
            if len(group) > 1 or group[0] in after[group[0]]:
                steps = {step.id: step for name in group if (step := self.step(name)) is not None}
                # Which retries are loops is for the emission to say, by their states.
                again = {s.id for n in group if n.endswith(".again") and (s := self.step(n))}
                times = prod(_loops(s, retried=s.id in again) for s in steps.values())
                passes.update(dict.fromkeys(group, times))
        return passes

    def _weights(self, name: str, state: State) -> Weights:
        kind = state.get("Type")
        if kind == "Task":
            attempts = self._attempts(name, state)
            resource = str(state.get("Resource", ""))
            waits = resource.endswith((".waitForTaskToken", ".sync", ".sync:2"))
            # Scheduled, started and ended, each time; submitted where the answer comes later.
            return Weights(1, attempts, 2 + attempts * (4 if waits else 3))
        if kind == "Parallel":
            inner = [self.flow(branch) for branch in branches_of(state)]
            return Weights(
                1 + sum(w.least for w in inner),
                1 + sum(w.most for w in inner),
                4 + sum(w.events for w in inner),
            )
        if kind == "Map":
            body = self.flow(_object(state["ItemProcessor"]))
            items = self.items(name, state)
            least = self._least_items(name, items)
            return Weights(
                1 + least * body.least, 1 + items * body.most, 4 + items * (2 + body.events)
            )
        return Weights(1, 1, 1 if kind == "Fail" else 2)

    def _attempts(self, name: str, state: State) -> int:
        step = self.step(name)
        retry = None if step is None else step.retry
        retriers = state.get("Retry")
        if retry is None or retry.conditions or not isinstance(retriers, list) or not retriers:
            return 1
        last = retriers[-1]
        own = isinstance(last, dict) and last.get("MaxAttempts") == retry.attempts - 1
        own = own and STEP_IN_PROGRESS not in str(last)  # the author's is behind that one
        return retry.attempts if own else 1

    def calls(self, flow: Mapping[str, Json], machine: str) -> int:
        """Return how often a run of a flow starts another machine at most, named by its ARN."""
        passes = self.passes(flow)
        return sum(
            passes[name] * self._calls_of(name, state, machine)
            for name, state in states_of(flow).items()
        )

    def _calls_of(self, name: str, state: State, machine: str) -> int:
        kind = state.get("Type")
        if kind == "Parallel":
            return sum(self.calls(branch, machine) for branch in branches_of(state))
        if kind == "Map":
            body = _object(state["ItemProcessor"])
            inside = self.calls(body, machine)
            return inside and inside * self.items(name, state)
        arguments = state.get("Arguments")
        called = arguments.get("StateMachineArn") if isinstance(arguments, dict) else None
        return int(called == machine)

    def own_events(self, name: str, state: State) -> int:
        """Return the events of a state alone, without what is inside it and without loops."""
        inside = state.get("Type") in ("Parallel", "Map")
        return 4 if inside else self._weights(name, state).events

    def items(self, name: str, state: State) -> int:
        """Return how often the body of a Map is run at most."""
        items = state.get("Items")
        if isinstance(items, list):
            return len(items)
        step = self.step(name)
        body = _object(state["ItemProcessor"])
        if step is not None and step.for_each is not None:
            most = most_items(step.for_each)
            chunks = _CHUNKS.search(str(items))
            if chunks is not None:  # each is one item here
                return -(-most // int(chunks[1]))
            is_chunk = name == f"{step.id}.items"
            return min(most, chunk_size(self.flow(body).events)) if is_chunk else most
        inside = states_of(body)
        return max(1, sum(self._undos(inner) for inner in inside))

    def _least_items(self, name: str, most: int) -> int:
        """Return how often the body of a Map is run at least: known of a list that is written."""
        step = self.step(name)
        count = None if step is None or step.for_each is None else length(step.for_each.items)
        if count is None or step is None:
            return 0
        # The last chunk has what the others have left.
        return (count - 1) % most + 1 if name == f"{step.id}.items" and most else most

    def _undos(self, state: str) -> int:
        """Return how often a close machine does an undo: once for each item of its step."""
        name, _, part = state.partition(".")
        step = self._by_id.get(name)
        if step is None or part != "undo":
            return 0
        return 1 if step.for_each is None else most_items(step.for_each)


def _every(program: Program) -> Iterator[Step]:
    yield from every_step(program.steps)
    yield from every_step(program.handlers)


def _loops(step: Step, *, retried: bool) -> int:
    times = 1 if step.repeat is None else step.repeat.attempts
    if step.retry is not None and retried:
        times *= step.retry.attempts
    return times * (BY_PAUSE if step.on_error == "pause" else 1)


# --- graphs of states ---------------------------------------------------------------------------


def states_of(flow: Mapping[str, Json]) -> dict[str, State]:
    """Return the states of a machine, a branch or an item processor, by name."""
    return {name: _object(state) for name, state in _object(flow["States"]).items()}


def branches_of(state: State) -> list[State]:
    """Return the branches of a Parallel."""
    branches = state.get("Branches")
    return [_object(branch) for branch in branches] if isinstance(branches, list) else []


def every_state(flow: Mapping[str, Json]) -> Iterator[tuple[str, State]]:
    """Yield each state of a machine with its name, those inside others included."""
    pending: list[Mapping[str, Json]] = [flow]
    while pending:
        for name, state in states_of(pending.pop()).items():
            yield name, state
            pending.extend(branches_of(state))
            if "ItemProcessor" in state:
                pending.append(_object(state["ItemProcessor"]))


def ways(state: State, *, caught: bool = True) -> list[str]:
    """Return the states that may follow a state; without `caught`, not those after an error."""
    found = [state.get("Next"), state.get("Default")]
    for key in ("Choices", "Catch") if caught else ("Choices",):
        listed = state.get(key)
        found += [_object(one).get("Next") for one in listed] if isinstance(listed, list) else []
    return [name for name in dict.fromkeys(found) if isinstance(name, str)]


def _object(value: Json) -> State:
    assert isinstance(value, dict)
    return value


def components(states: Mapping[str, State], start: str) -> list[list[str]]:
    """Return the states that can be reached, each loop as one group, those that follow first.

    Tarjan's algorithm, without recursion.
    """
    return _components({name: ways(state) for name, state in states.items()}, start)


def _components(after: Mapping[str, Sequence[str]], start: str) -> list[list[str]]:
    index: dict[str, int] = {start: 0}
    low: dict[str, int] = {start: 0}
    open_: list[str] = [start]
    is_open = {start}
    found: list[list[str]] = []
    stack: list[tuple[str, Iterator[str]]] = [(start, iter(after[start]))]
    while stack:
        name, rest = stack[-1]
        following = next(rest, None)
        if following is None:
            stack.pop()
            if stack:
                low[stack[-1][0]] = min(low[stack[-1][0]], low[name])
            if low[name] == index[name]:
                found.append(_closed(name, open_, is_open))
        elif following not in index:
            index[following] = low[following] = len(index)
            open_.append(following)
            is_open.add(following)
            stack.append((following, iter(after[following])))
        elif following in is_open:
            low[name] = min(low[name], index[following])
    return found


def _closed(root: str, open_: list[str], is_open: set[str]) -> list[str]:
    group: list[str] = []
    while not group or group[-1] != root:
        group.append(open_.pop())
        is_open.discard(group[-1])
    return group[::-1]


def _longest(
    after: Mapping[str, Sequence[str]],
    groups: Sequence[Sequence[str]],
    weights: Mapping[str, int],
) -> int:
    """Return the heaviest way from the start, the last of the groups, to an end."""
    best: dict[str, int] = {}
    total = 0
    for group in groups:
        inside = set(group)
        behind = [best[to] for name in group for to in after[name] if to not in inside]
        total = sum(weights[name] for name in group) + max(behind, default=0)
        best.update(dict.fromkeys(group, total))
    return total


def _shortest(states: Mapping[str, State], start: str, weights: Mapping[str, int]) -> int | None:
    """Return the lightest way to a good end that takes no error's way; None without one."""
    queue = [(weights[start], start)]
    done: set[str] = set()
    while queue:
        so_far, name = heappop(queue)
        if name in done:
            continue
        done.add(name)
        state = states[name]
        if state.get("End") is True or state.get("Type") == "Succeed":
            return so_far
        for following in ways(state, caught=False):
            heappush(queue, (so_far + weights[following], following))
    return None
