"""Lays a dependency graph out into nested series and forks; what does not nest becomes latches.

The order that the regions give is part of the graph's own order, so no step waits for a step it
does not depend on; each direct dependency that the regions do not give is a latch, so no step
starts early. Together: a step starts exactly when the last of its dependencies has ended.

A set of steps falls into unlinked pieces (a fork) or into stages (a series) wherever it can.
Where it can do neither, edges are cut: by a search in sets of up to `SEARCHED` steps, by a rule
in larger ones. A part's layout depends on that part, on how deep it lies, and on nothing else
but the effort that a workflow of its size allows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from math import inf
from typing import TypeAlias

from compiler.plan.graph import ancestors, members, reduce, reverse
from compiler.plan.layout_regions import (
    JOINED_FORK,
    PASSED_FORK,
    TERMINAL_FORK,
    Fork,
    Layout,
    Leaf,
    Region,
    Series,
    cost,
)
from compiler.plan.layout_search import Node, Search, all_joins, sparing, uncut
from compiler.plan.layout_split import pieces, stages

__all__ = ["TERMINAL_FORK", "Fork", "Layout", "Leaf", "Region", "Series", "cost", "layout"]

_Branches: TypeAlias = list[tuple[int, Region]]

SEARCHED = 64
"""The largest set whose cuts are searched for."""

EFFORT: Sequence[tuple[float, int]] = ((100, 40), (1000, 12), (inf, 4))
"""For workflows of up to so many steps: sets looked at for each step of a searched set."""

MAX_DEPTH = 32
"""Forks inside one another: what would be deeper becomes chains side by side, with latches."""


def layout(dependencies: Sequence[Collection[int]]) -> Layout:
    """The regions and latches of a graph in which step `i` depends on `dependencies[i]`.

    Indices may come in any order; an edge that a longer path implies changes nothing. Branches
    are ordered by their smallest step. Raises ValueError for a cycle.
    """
    if not dependencies:
        return Layout(None, ())
    return _Planner(dependencies).plan()


class _Planner:
    def __init__(self, dependencies: Sequence[Collection[int]]) -> None:
        self._above = ancestors(dependencies)
        self._near = reduce(dependencies)
        behind = reverse(self._near)
        self._links = [a | b for a, b in zip(self._near, behind, strict=True)]
        self._effort = next(effort for most, effort in EFFORT if len(self._near) <= most)
        self._signals = 0  # steps that signal and wait by the cuts made so far
        self._waits = 0
        self._latches: list[tuple[int, int]] = []

    def plan(self) -> Layout:
        root = Node((1 << len(self._near)) - 1, TERMINAL_FORK, 0)
        nodes = [root]
        for node in nodes:  # grows while it is read
            if not node.children or (node.depth + 1 >= MAX_DEPTH and not node.series):
                self._split(node)
            if node.cut:
                self._mark(node)
            for child in node.children:
                child.depth = node.depth + (not node.series)
            nodes.extend(node.children)
        built: dict[int, _Branches] = {}
        for node in reversed(nodes):
            built[node.steps] = self._branches(node, [built[part.steps] for part in node.children])
        return Layout(_fork(built[root.steps]), tuple(sorted(self._latches)))

    # -- splitting, from the top down

    def _split(self, node: Node) -> None:
        steps = node.steps
        node.cut = False
        if not steps & (steps - 1):
            return
        parts = pieces(steps, self._links)
        if len(parts) == 1:
            parts = stages(steps, self._above)
            node.series = len(parts) > 1
        if node.series:
            last = len(parts) - 1
            node.children = [
                Node(part, JOINED_FORK if at < last else node.fork or PASSED_FORK, 0)
                for at, part in enumerate(parts)
            ]
        elif node.depth + 1 >= MAX_DEPTH:
            self._cut(node, [1 << step for step in members(steps)])
        elif len(parts) > 1:
            node.children = [Node(part, 0, 0) for part in parts]
        elif steps.bit_count() <= SEARCHED:
            self._search(node)
        else:
            self._cut(node, self._by_rule(steps))

    def _cut(self, node: Node, parts: list[int]) -> None:
        node.cut = True
        node.children = [Node(part, 0, 0) for part in parts]

    def _mark(self, node: Node) -> None:
        for needs, step in self._crossing(node.steps, [child.steps for child in node.children]):
            self._signals |= needs
            self._waits |= 1 << step

    def _crossing(self, steps: int, parts: list[int]) -> Iterator[tuple[int, int]]:
        """The steps of `steps` that need steps of another part: those needs, and the step."""
        for part in parts:
            for step in members(part):
                needs = self._near[step] & steps & ~part
                if needs:
                    yield needs, step

    def _search(self, node: Node) -> None:
        """Split `node` by the search, on steps numbered from 0: small sets are fast to handle."""
        part = _Part(node.steps)
        search = Search(
            part.local(self._above),
            part.local(self._near),
            node.fork,
            (part.inner(self._signals), part.inner(self._waits)),
        )
        found = search.run(self._effort * len(part.order))
        pending = [found]
        for split in pending:  # grows while it is read
            split.steps = part.outer(split.steps)
            pending.extend(split.children)
        node.series, node.cut, node.children = found.series, found.cut, found.children

    def _by_rule(self, steps: int) -> list[int]:
        """The pieces of a set too large to search: cut by the first rule that splits it."""
        part = _Part(steps)
        near = part.local(self._near)
        behind = reverse(near)
        everything = part.inner(steps)
        found = pieces(everything, uncut(near, behind, everything, sparing(near, behind)))
        if len(found) == 1:
            found = pieces(everything, uncut(near, behind, everything, all_joins(near)))
        return [part.outer(piece) for piece in found]

    # -- building regions, from the bottom up

    def _branches(self, node: Node, parts: list[_Branches]) -> _Branches:
        """The branches of a node that is a fork, else its region alone, and their steps."""
        if not parts:
            return [(node.steps, Leaf(node.steps.bit_length() - 1))]
        if node.series:
            return [(node.steps, _series([_fork(part) for part in parts]))]
        branches = [branch for part in parts for branch in part]
        return self._chained(node.steps, branches) if node.cut else branches

    def _chained(self, steps: int, parts: _Branches) -> _Branches:
        """The branches of a cut fork, those that can follow one another at no cost made one."""
        follower = self._followers(steps, parts)
        branches: _Branches = []
        for first in sorted(set(range(len(parts))) - set(follower.values())):
            chain = [first]
            while chain[-1] in follower:
                chain.append(follower[chain[-1]])
            mask = sum(parts[at][0] for at in chain)
            branches.append((mask, _series([parts[at][1] for at in chain])))
        for needs, step in self._crossing(steps, [mask for mask, _ in branches]):
            self._latches.extend((need, step) for need in members(needs))
        return branches

    def _followers(self, steps: int, parts: _Branches) -> dict[int, int]:
        """Which part can follow which: all its steps are behind all of the other's.

        First where that saves a signal or a wait. A part that ends in a fork is not followed, as
        its fork would have to be joined.
        """
        masks = [mask for mask, _ in parts]
        owner = {step: at for at, mask in enumerate(masks) for step in members(mask)}
        edges = [
            (need, step) for needs, step in self._crossing(steps, masks) for need in members(needs)
        ]
        users = Counter(need for need, _ in edges)
        needed = Counter(step for _, step in edges)
        edges.sort(key=lambda edge: (users[edge[0]] > 1 and needed[edge[1]] > 1, edge[::-1]))
        follower: dict[int, int] = {}
        led: set[int] = set()
        for need, step in edges:
            first, second = owner[need], owner[step]
            if first in follower or second in led or _ends_in_fork(parts[first][1]):
                continue
            if all(not masks[first] & ~self._above[behind] for behind in members(masks[second])):
                follower[first] = second
                led.add(second)
        return follower


class _Part:
    """A set of steps numbered anew from 0, in their order."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.order = members(steps)
        self._place = {step: at for at, step in enumerate(self.order)}

    def inner(self, mask: int) -> int:
        """The part's steps in `mask`, by their new numbers."""
        return sum(1 << self._place[step] for step in members(mask & self.steps))

    def outer(self, mask: int) -> int:
        """The steps that the new numbers in `mask` stand for."""
        return sum(1 << self.order[at] for at in members(mask))

    def local(self, masks: Sequence[int]) -> list[int]:
        """For each of the part's steps its set in `masks`, as far as it is in the part."""
        return [self.inner(masks[step]) for step in self.order]


def _ends_in_fork(region: Region) -> bool:
    return isinstance(region, Series) and isinstance(region.items[-1], Fork)


def _series(regions: list[Region]) -> Region:
    items: list[Region] = []
    for region in regions:
        items.extend(region.items if isinstance(region, Series) else (region,))
    return Series(tuple(items)) if len(items) > 1 else items[0]


def _fork(branches: _Branches) -> Region:
    if len(branches) == 1:
        return branches[0][1]
    ordered = sorted(branches, key=lambda branch: branch[0] & -branch[0])
    return Fork(tuple(region for _, region in ordered))
