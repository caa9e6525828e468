"""Searches for the cheapest cuts of a set of steps that is neither in pieces nor in stages.

A candidate is two sets: the steps that may signal and the steps that may wait. An edge from the
one to the other may be cut, and where nothing else splits a set, all such edges in it are. What
the forks of the outcome cost follows, and is remembered per set, for a move changes few of them.
The search goes downhill from a few starts, over moves on single steps and on twins (steps with the
same neighbours), within a budget of looked-at sets: the same input gives the same result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import NamedTuple

from compiler.plan.graph import members, reverse
from compiler.plan.layout_regions import JOINED_FORK, PASSED_FORK
from compiler.plan.layout_split import pieces, stages

_IMPOSSIBLE = 1 << 30


@dataclass(slots=True)
class Node:
    """A set of steps and how it is split.

    `fork` is what a fork in its place would cost; 0 inside a fork, which takes it in. `children`
    is empty for a single step. `cut` says that edges run between the branches of a fork.
    """

    steps: int
    fork: int
    depth: int
    series: bool = False
    cut: bool = False
    children: list[Node] = field(default_factory=list)


class Marks(NamedTuple):
    """The steps that may signal and those that may wait: an edge between them may be cut."""

    signals: int
    waits: int


class _Move(NamedTuple):
    add: Marks
    drop: Marks

    def of(self, marks: Marks) -> Marks:
        return Marks(
            marks.signals & ~self.drop.signals | self.add.signals,
            marks.waits & ~self.drop.waits | self.add.waits,
        )


class _Split(NamedTuple):
    """How a set is split, and what all splits in it take; `series` and `cut` as in Node."""

    parts: list[int]
    series: bool = False
    cut: bool = False
    forks: int = 0  # states
    signals: int = 0  # steps
    waits: int = 0  # steps
    latches: int = 0  # edges


def all_joins(near: Sequence[int]) -> Marks:
    """Every step with several dependencies waits for all of them: what is left is trees."""
    signals = waits = 0
    for step, needs in enumerate(near):
        if needs & (needs - 1):
            signals |= needs
            waits |= 1 << step
    return Marks(signals, waits)


def sparing(near: Sequence[int], behind: Sequence[int]) -> Marks:
    """Steps with several dependencies wait for those that others need too.

    Of the dependencies that only such a step needs it keeps all where joining them is cheaper
    than their signals, otherwise one.
    """
    signals = waits = 0
    for step, needs in enumerate(near):
        if not needs & (needs - 1):
            continue
        own = [need for need in members(needs) if behind[need] == 1 << step]
        if len(own) == needs.bit_count():
            continue
        kept = own if len(own) > JOINED_FORK else own[:1]
        signals |= needs & ~_mask(kept)
        waits |= 1 << step
    return Marks(signals, waits)


def uncut(near: Sequence[int], behind: Sequence[int], steps: int, marks: Marks) -> list[int]:
    """The neighbours of each step of `steps` that no cut edge leads to."""
    links = [a | b for a, b in zip(near, behind, strict=True)]
    for step in members(steps & (marks.signals | marks.waits)):
        if marks.signals >> step & 1:
            links[step] &= ~(behind[step] & marks.waits)
        if marks.waits >> step & 1:
            links[step] &= ~(near[step] & marks.signals)
    return links


class Search:
    """The cheapest cuts of one connected set, its steps numbered from 0.

    `above` are all ancestors, `near` the direct dependencies; `paid` are the steps that signal and
    wait already for reasons outside the set, which therefore cost nothing here.
    """

    def __init__(
        self, above: Sequence[int], near: Sequence[int], fork: int, paid: tuple[int, int]
    ) -> None:
        self._above = above
        self._near = near
        self._behind = reverse(near)
        self._links = [a | b for a, b in zip(near, self._behind, strict=True)]
        self._all = (1 << len(near)) - 1
        self._fork = fork
        self._free = Marks(*paid)
        self._shapes: dict[int, tuple[bool, list[int]]] = {}
        self._splits: dict[tuple[int, int, int, int], _Split] = {}
        self._work = 0

    def run(self, budget: int) -> Node:
        """The cheapest split found while at most about `budget` sets are looked at."""
        moves = list(dict.fromkeys(self._moves()))
        _, marks = min(self._descend(start, moves, budget) for start in self._starts())
        return self._node(self._all, self._fork, marks)

    def _descend(
        self, start: Marks, moves: list[_Move], budget: int
    ) -> tuple[tuple[int, int], Marks]:
        """The score and marks reached from `start` by taking each move that helps."""
        best, marks = self._score(start)
        quiet = 0
        for move in cycle(moves):
            if quiet == len(moves) or self._work >= budget:
                break
            quiet += 1
            changed = move.of(marks)
            if changed != marks:
                score, used = self._score(changed)
                if score < best:
                    best, marks, quiet = score, used, 0
        return best, marks

    def _starts(self) -> list[Marks]:
        """Where to begin; the second always splits the set.

        Steps with several dependencies wait for all of them; or only for those that others need
        too; or every step waits for those, also where it has no other.
        """
        shared = _mask(step for step, users in enumerate(self._behind) if users & (users - 1))
        users = _mask(step for step, needs in enumerate(self._near) if needs & shared)
        every = all_joins(self._near)
        nested = Marks(every.signals & shared, every.waits & users)
        return [sparing(self._near, self._behind), every, nested, Marks(shared, users)]

    def _moves(self) -> Iterator[_Move]:
        twins: dict[tuple[int, int], int] = {}
        for step, key in enumerate(zip(self._near, self._behind, strict=True)):
            twins[key] = twins.get(key, 0) | 1 << step
        group = {step: mask for mask in twins.values() for step in members(mask)}
        for mask in dict.fromkeys([*twins.values(), *(1 << step for step in group)]):
            step = mask.bit_length() - 1
            near, behind = self._near[step], self._behind[step]
            yield from self._both_ways(mask if behind else 0, 0)
            yield from self._both_ways(0, mask if near else 0)
            yield from self._both_ways(near, mask if near else 0)
            yield from self._both_ways(mask if behind else 0, behind)
            yield from self._both_ways(near | mask, behind | mask)
            for kept in dict.fromkeys(group[need] & near for need in members(near)):
                yield from self._both_ways(kept, mask)
                yield _Move(Marks(near & ~kept, mask), Marks(kept, 0))
            for kept in dict.fromkeys(group[user] & behind for user in members(behind)):
                yield _Move(Marks(mask, behind & ~kept), Marks(0, kept))

    def _both_ways(self, signals: int, waits: int) -> Iterator[_Move]:
        marks, none = Marks(signals, waits), Marks(0, 0)
        if marks != none:
            yield _Move(marks, none)
            yield _Move(none, marks)

    def _score(self, marks: Marks) -> tuple[tuple[int, int], Marks]:
        """The states of forks, signals and waits, then the number of latches; the marks in use."""
        self._work += 1
        split = self._split(self._all, self._fork, marks)
        if split.forks >= _IMPOSSIBLE:
            return (split.forks, 0), marks
        states = split.forks + (split.signals & ~self._free.signals).bit_count()
        states += (split.waits & ~self._free.waits).bit_count()
        return (states, split.latches), Marks(split.signals, split.waits)

    def _split(self, steps: int, fork: int, marks: Marks) -> _Split:
        key = (steps, fork, marks.signals & steps, marks.waits & steps)
        known = self._splits.get(key)
        if known is None:
            known = self._splits[key] = self._best_split(steps, fork, marks)
        return known

    def _best_split(self, steps: int, fork: int, marks: Marks) -> _Split:
        if not steps & (steps - 1):
            return _Split([])
        self._work += 1
        series, parts = self._shape(steps)
        best = _Split([], forks=_IMPOSSIBLE)
        if parts:
            best = self._summed(_Split(parts, series=series), fork, marks)
        if (series or not parts) and marks.signals & steps and marks.waits & steps:
            parts = pieces(steps, uncut(self._near, self._behind, steps, marks))
            if len(parts) > 1:
                split = self._summed(self._cut(steps, parts, marks), fork, marks)
                if split.forks < best.forks:
                    best = split
        return best

    def _summed(self, split: _Split, fork: int, marks: Marks) -> _Split:
        """The split with what its parts take."""
        _, series, cut, forks, signals, waits, latches = split
        forks += 0 if series else fork
        for part, place in _places(split, fork):
            inner = self._split(part, place, marks)
            forks += inner.forks
            signals |= inner.signals
            waits |= inner.waits
            latches += inner.latches
        return _Split(split.parts, series, cut, forks, signals, waits, latches)

    def _cut(self, steps: int, parts: list[int], marks: Marks) -> _Split:
        """A fork of `parts`, with the edges between them cut."""
        signals = waits = latches = 0
        for part in parts:
            outside = steps & ~part
            for step in members(part & marks.waits):
                needs = self._near[step] & outside
                if needs:
                    signals |= needs
                    waits |= 1 << step
                    latches += needs.bit_count()
        return _Split(parts, cut=True, signals=signals, waits=waits, latches=latches)

    def _shape(self, steps: int) -> tuple[bool, list[int]]:
        """Whether `steps` splits in series, and its parts: none if it does not split by itself."""
        shape = self._shapes.get(steps)
        if shape is None:
            parts = pieces(steps, self._links)
            series = len(parts) == 1
            if series:
                parts = stages(steps, self._above)
            shape = self._shapes[steps] = (series, parts if len(parts) > 1 else [])
        return shape

    def _node(self, steps: int, fork: int, marks: Marks) -> Node:
        split = self._split(steps, fork, marks)
        node = Node(steps, fork, 0, split.series, split.cut)
        node.children = [self._node(part, place, marks) for part, place in _places(split, fork)]
        return node


def _places(split: _Split, fork: int) -> Iterator[tuple[int, int]]:
    """The parts of a split, each with what a fork in its place costs."""
    last = len(split.parts) - 1
    for at, part in enumerate(split.parts):
        if not split.series:
            yield part, 0
        else:
            yield part, JOINED_FORK if at < last else fork or PASSED_FORK


def _mask(steps: Iterable[int]) -> int:
    return sum(1 << step for step in steps)
