"""Who asks about whom: what a scope has to remember, and what a latch can decide alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from compiler.check.program import Step, every_step
from compiler.expressions import Ref, references
from compiler.plan.drafts import AwaitUnit, DoUnit, ForkUnit, ScopeDraft, Scopes, SendUnit, Unit
from compiler.plan.facts import Facts, Knowledge, step_named
from compiler.plan.reading import reads_of_step


class Relevance:
    """Questions about the units of one machine, answered from tables made once."""

    def __init__(self, scopes: Scopes, steps: Mapping[str, Step], knowledge: Knowledge) -> None:
        self._scopes = scopes
        self._steps = steps
        self._knowledge = knowledge
        self._asked = {step.id: self._asked_by(step) for step in steps.values()}
        self._above_asking = self._and_above(s for s in steps.values() if s.rule.asks)
        self._above_watching = self._and_above(
            s for s in steps.values() if s.rule.asks or s.rule.has_status_function
        )
        self._reading: dict[bool, frozenset[str]] = {}
        self._last: dict[int, dict[str, int]] = {}
        for scope in reversed(scopes.all):  # inner scopes are made after the outer ones
            last: dict[str, int] = {}
            for at, unit in enumerate(scope.units):
                for name in self._of_unit(unit):
                    last[name] = at
            self._last[scope.key] = last
        self._latched = {
            unit.step.id: frozenset(unit.producers)
            for scope in scopes.all
            for unit in scope.units
            if isinstance(unit, AwaitUnit)
        }

    def _asked_by(self, step: Step) -> frozenset[str]:
        asked: set[str] = set()
        if self._knowledge.is_unsure(step.id):
            asked.update(self._counted(step))
        if step.condition is not None:
            for ref in references(step.condition):
                named = _step_of(ref, self._steps)
                if named is not None:
                    asked.add(named)
        return frozenset(asked)

    def _counted(self, step: Step) -> Iterable[str]:
        while not step.rule.written and step.depends_on:
            yield step.depends_on[0]
            step = self._steps[step.depends_on[0]]
        yield from step.depends_on

    def _and_above(self, steps: Iterable[Step]) -> frozenset[str]:
        """Return steps with everything above them."""
        stack = [step.id for step in steps]
        found: set[str] = set(stack)
        while stack:
            for name in self._steps[stack.pop()].depends_on:
                if name not in found:
                    found.add(name)
                    stack.append(name)
        return frozenset(found)

    def _of_unit(self, unit: Unit) -> Iterable[str]:
        match unit:
            case SendUnit(step=step):
                yield step.id
            case AwaitUnit(step=step):
                yield from self._asked[step.id]
            case DoUnit(step=step):
                yield from self._asked[step.id]
                for inner in self._inside(step):
                    yield from self._last[inner.key]
            case ForkUnit(branches=branches):
                for branch in branches:
                    yield from self._last[branch.key]

    def _inside(self, step: Step) -> list[ScopeDraft]:
        if step.for_each is not None:
            return [self._scopes.items[step.id]]
        return self._scopes.blocks.get(step.id, [])

    def keep(self, facts: Facts, scope: ScopeDraft, at: int) -> Facts:
        """Return the facts without steps that nobody asks about from unit `at` on."""
        if not facts.known:
            return facts
        known = tuple(k for k in facts.known if self._is_asked(k[0], scope, at))
        return facts if len(known) == len(facts.known) else facts.knowing(known)

    def _is_asked(self, step: str, scope: ScopeDraft, at: int) -> bool:
        here: ScopeDraft | None = scope
        while here is not None:
            if self._last.get(here.key, {}).get(step, -1) >= at:
                return True
            at, here = here.at + 1, here.parent
        return False

    def is_watched(self, steps: Iterable[str]) -> bool:
        """Whether a step behind one of these may run although something above it is bad."""
        return not self._above_watching.isdisjoint(steps)

    def latched(self, step: Step) -> frozenset[str]:
        """Return the producers that a step waits for through latches."""
        return self._latched.get(step.id, frozenset())

    def latch_decides(self, step: Step) -> bool:
        """Whether the latch can decide the step's default guard, so that no Choice follows.

        It knows whether anything above is bad, but not what: so not where the step, or one
        behind it, asks for somebody's failure. It knows whether its producers count, but not
        what else the step depends on. And a skip brings no values: so not where a step behind
        it may run all the same, and reads.
        """
        rule = step.rule
        if rule.has_status_function or step.id in self._above_asking:
            return False
        if step.id in self._above_watching and step.id in self._above_reading(watching=True):
            return False
        if not self._knowledge.is_unsure(step.id):
            return True
        if not rule.written or step.id in self._above_reading(watching=False):
            return False
        return all(d in self.latched(step) or self.is_nearby(d, step) for d in step.depends_on)

    def _above_reading(self, *, watching: bool) -> frozenset[str]:
        """Return the steps above those that read a record (and may run above a failure)."""
        known = self._reading.get(watching)
        if known is None:
            readers = (
                step
                for step in self._steps.values()
                if step.depends_on and (not watching or step.rule.has_status_function)
            )
            below = {name for step in readers if self._reads(step) for name in step.depends_on}
            known = self._and_above(self._steps[name] for name in below)
            self._reading[watching] = known
        return known

    def _reads(self, step: Step) -> bool:
        return any(any(reads_of_step(s, self._steps)) for s in every_step((step,)))

    def is_nearby(self, dependency: str, step: Step) -> bool:
        """Whether a dependency ends before the step in the step's own scope or one around it."""
        mine = self._scopes.places[step.id]
        theirs = self._scopes.places[dependency]
        chain: dict[int, int] = {}
        scope: ScopeDraft | None = mine.scope
        at = mine.unit
        while scope is not None:
            chain[scope.key] = at
            at, scope = scope.at, scope.parent
        scope, at = theirs.scope, theirs.unit
        while scope is not None and scope.key not in chain:
            at, scope = scope.at, scope.parent
        return scope is not None and at < chain[scope.key]

    def first(self, steps: Iterable[str]) -> Step:
        """Return the step that stands first in the file."""
        return min((self._steps[name] for name in steps), key=lambda step: step.index)

    def first_of(self, scope: ScopeDraft) -> Step:
        """Return the step of a scope that stands first in the file."""
        return self.first(steps_in(scope))


def steps_in(scope: ScopeDraft) -> Iterable[str]:
    """Yield the ids of the steps whose units stand in a scope or inside it."""
    for unit in scope.units:
        if isinstance(unit, ForkUnit):
            yield from unit.steps
        else:
            yield unit.step.id


def _step_of(ref: Ref, steps: Mapping[str, Step]) -> str | None:
    if ref.root != "steps":
        return None
    step = step_named(ref.keys, steps)
    return None if step is None else step.id
