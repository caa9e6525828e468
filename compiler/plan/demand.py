"""Which values go where: every read of a step's record is traced to where the step stands.

Inside one scope a record is read by its own variable. Behind a fork it is taken over at the
join, across a latch at the wait; each time under a variable of the scope that takes it.
Nothing is carried that nobody reads.
"""

from __future__ import annotations

from collections.abc import Mapping

from compiler.check.program import Block, Step
from compiler.plan.drafts import AwaitUnit, ForkUnit, NodeDraft, Place, ScopeDraft, Scopes
from compiler.plan.reading import Read


class Demand:
    """Collects reads; afterwards `variables`, `gives` and `signals` say what goes where."""

    def __init__(self, scopes: Scopes, steps: Mapping[str, Step], above: Mapping[str, int]) -> None:
        self._scopes = scopes
        self._steps = steps
        self._above = above
        self._bit = {name: 1 << at for at, name in enumerate(steps)}
        self._joins: dict[tuple[int, int], NodeDraft] = {}
        self._awaits: dict[str, NodeDraft] = {}
        self._blocks: dict[str, NodeDraft] = {}
        self._taken: set[str] = set()
        self._done: set[tuple[str, int, int]] = set()
        self.variables: dict[tuple[int, str], str] = {}
        self.signals: dict[str, set[str]] = {}
        self.reads: dict[str, list[Read]] = {}
        self._waits: dict[int, list[AwaitUnit]] = {}
        self._block: dict[str, str] = {}  # child -> the block it stands in
        for step in steps.values():
            self._taken.add(f"s_{step.variable}")
            if isinstance(step.kind, Block):
                self._block.update((child.id, step.id) for child in step.kind.steps)
        for scope in scopes.all:
            for node in scope.nodes:
                if node.kind == "join":
                    self._joins[(scope.key, node.unit)] = node
                elif node.kind == "await" and node.step is not None and not node.is_ghost:
                    self._awaits[node.step.id] = node
                elif node.kind == "do" and node.step is not None and node.branches:
                    self._blocks[node.step.id] = node

    def read(self, read: Read, scope: ScopeDraft, unit: int) -> None:
        """Note a read at a unit of a scope, and bring the record there."""
        self.reads.setdefault(read.step, []).append(read)
        self._require(read.step, scope, unit)

    def block_of(self, step: str) -> str | None:
        """Return the parallel step that a step is a child of."""
        return self._block.get(step)

    def keep_items(self) -> None:
        """Make every for_each body give its step's record, from which the items are told."""
        for name, scope in self._scopes.items.items():
            base = f"s_{self._steps[name].variable}_{scope.key}"
            self.variables[(scope.key, name)] = self._free(base)
            scope.gives.add(name)

    def _require(self, step: str, scope: ScopeDraft, unit: int) -> None:
        work: list[tuple[str, ScopeDraft, int]] = [(step, scope, unit)]
        while work:
            step, scope, unit = work.pop()
            if (step, scope.key, unit) in self._done:
                continue
            self._done.add((step, scope.key, unit))
            work.extend(self._bring(step, scope, unit))

    def _bring(self, step: str, scope: ScopeDraft, unit: int) -> list[tuple[str, ScopeDraft, int]]:
        place = self._scopes.places.get(step)
        if place is None:
            return []
        mine = _outwards(scope, unit)
        theirs = _outwards(place.scope, place.unit)
        my_units = {s.key: at for s, at in mine}
        inner: ScopeDraft | None = None
        for common, at in theirs:  # noqa: B007 (asked for behind the loop)
            if common.key in my_units:
                break
            inner = common
        else:
            return []
        reader = my_units[common.key]
        if inner is None:
            self.variables.setdefault((common.key, step), f"s_{self._steps[step].variable}")
            return []
        if at < reader:
            return self._take_over(step, common, at, inner)
        return self._across_a_latch(step, mine, common)

    def _take_over(
        self, step: str, scope: ScopeDraft, at: int, branch: ScopeDraft
    ) -> list[tuple[str, ScopeDraft, int]]:
        node = self._joins.get((scope.key, at))
        if node is None:
            unit = scope.units[at]
            if isinstance(unit, ForkUnit):  # passed up unjoined: the branch itself gives it
                return self._provide(step, branch)
            node = None if unit.step.for_each else self._blocks.get(unit.step.id)
        if node is None:
            return []
        self._bind(step, scope, node)
        return self._provide(step, branch)

    def _bind(self, step: str, scope: ScopeDraft, node: NodeDraft) -> None:
        if (scope.key, step) in self.variables:
            return
        base = f"s_{self._steps[step].variable}_{scope.key or ''}".rstrip("_")
        self.variables[(scope.key, step)] = self._free(base)
        node.binds.append(step)

    def _free(self, base: str) -> str:
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name

    def _provide(self, step: str, branch: ScopeDraft) -> list[tuple[str, ScopeDraft, int]]:
        """Make a branch give a step's record at each of its ends."""
        if step in branch.gives:
            return []
        branch.gives.add(step)
        last = len(branch.units) - 1
        fork = branch.units[last] if branch.units else None
        if isinstance(fork, ForkUnit) and (branch.key, last) not in self._joins:
            inner = next((b for b in fork.branches if self._comes_of(step, b)), fork.branches[0])
            wanted = self._provide(step, inner)
            if not self._comes_of(step, inner):
                wanted.append((step, branch, last))
            return wanted
        return [(step, branch, len(branch.units))]

    def _comes_of(self, step: str, scope: ScopeDraft) -> bool:
        return self._stands_in(step, scope) or self._is_fed(step, scope)

    def _stands_in(self, step: str, scope: ScopeDraft) -> bool:
        here: ScopeDraft | None = self._scopes.places[step].scope
        while here is not None:
            if here is scope:
                return True
            here = here.parent
        return False

    def _across_a_latch(
        self, step: str, mine: list[tuple[ScopeDraft, int]], common: ScopeDraft
    ) -> list[tuple[str, ScopeDraft, int]]:
        inside = mine[: next(i for i, (s, _) in enumerate(mine) if s is common)]
        for scope, limit in reversed(inside):
            for at, unit in enumerate(scope.units[: limit + 1]):
                if isinstance(unit, AwaitUnit):
                    source = self._fed_by(step, unit)
                    if source is None:
                        continue
                    self._bind(step, scope, self._awaits[unit.step.id])
                    self.signals.setdefault(source, set()).add(step)
                    send: Place = self._scopes.sends[source]
                    return [(step, send.scope, send.unit)]
                if at < limit and isinstance(unit, ForkUnit):
                    branch = next((b for b in unit.branches if self._is_fed(step, b)), None)
                    if branch is not None:
                        return self._take_over(step, scope, at, branch)
        return []

    def _fed_by(self, step: str, unit: AwaitUnit) -> str | None:
        """Return who tells of a step at a wait; nobody where no way leads to the wait."""
        return self._source(step, unit.producers) if unit.step.id in self._awaits else None

    def _is_fed(self, step: str, scope: ScopeDraft) -> bool:
        """Whether a step's record comes into a scope, or one inside it, through a latch."""
        return any(self._fed_by(step, unit) is not None for unit in self._waits_in(scope))

    def _waits_in(self, scope: ScopeDraft) -> list[AwaitUnit]:
        """Return the waits of a scope and of the branches inside it."""
        known = self._waits.get(scope.key)
        if known is None:
            known = self._waits[scope.key] = []
            for unit in scope.units:
                if isinstance(unit, AwaitUnit):
                    known.append(unit)
                elif isinstance(unit, ForkUnit):
                    for branch in unit.branches:
                        known.extend(self._waits_in(branch))
        return known

    def _source(self, step: str, producers: tuple[str, ...]) -> str | None:
        # A child of a block is told of by the block, or by who comes after it.
        here: str | None = step
        while here is not None:
            if here in producers:
                return here
            bit = self._bit[here]
            source = next((p for p in producers if self._above[p] & bit), None)
            if source is not None:
                return source
            here = self._block.get(here)
        return None


def _outwards(scope: ScopeDraft, unit: int) -> list[tuple[ScopeDraft, int]]:
    way: list[tuple[ScopeDraft, int]] = []
    here: ScopeDraft | None = scope
    while here is not None:
        way.append((here, unit))
        unit, here = here.at, here.parent
    return way
