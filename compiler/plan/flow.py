"""The control flow of a scope: every way through it, followed from unit to unit.

Ways that know the same are kept together as one bundle. A step is entered without a Choice by
the ways on which its guard is known to hold, passed by those on which it is known to fail, and
asked by a Choice on the rest. A step's Task is made once, however many ways lead to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from compiler.check.program import Block, Pause, Program, Step
from compiler.plan.bundles import MOST_BUNDLES, Bundle, fewer, joined, land, without_bad
from compiler.plan.drafts import (
    AwaitUnit,
    DoUnit,
    ForkUnit,
    NodeDraft,
    ScopeDraft,
    Scopes,
    SendUnit,
    Unit,
)
from compiler.plan.ends import end, finish
from compiler.plan.facts import BAD, LET_PASS, OK, SKIP, TOLERATED, Facts, Knowledge, Tri
from compiler.plan.ghosts import Ghost, GhostFork, flattened, ghosts_of, waits
from compiler.plan.model import Holds, Test
from compiler.plan.naming import Names
from compiler.plan.relevance import Relevance, steps_in


@dataclass(slots=True)
class Flow:
    """Plans the scopes of one machine, the outermost first."""

    program: Program
    scopes: Scopes
    knowledge: Knowledge
    relevance: Relevance
    names: Names
    inline_end: Callable[[NodeDraft], bool]
    ends: dict[int, list[Bundle]] = field(default_factory=dict)

    # --- one scope -----------------------------------------------------------------------------

    def scope(self, scope: ScopeDraft, facts: Facts) -> None:
        """Plan a scope entered with `facts`."""
        bundles = [Bundle(facts, [scope.start])]
        released: list[Bundle] | None = None
        for at, unit in enumerate(scope.units):
            bundles = self._settle(bundles, scope, at)
            match unit:
                case AwaitUnit():
                    released, bundles = self._await(scope, unit, bundles)
                case DoUnit():
                    bundles = self._do(scope, unit, bundles, released)
                    released = None
                case SendUnit():
                    bundles = self._send(scope, unit, bundles)
                case ForkUnit():
                    last = at == len(scope.units) - 1
                    bundles = self._fork(scope, unit, at, bundles, last=last)
        bundles = self._settle(bundles, scope, len(scope.units))
        if scope.key == 0:
            has_close = self.program.has_close
            finish(scope, bundles, self.names, self.inline_end, has_close=has_close)
        else:
            self._end(scope, bundles)

    def _end(self, scope: ScopeDraft, bundles: list[Bundle]) -> None:
        self.ends.setdefault(scope.key, []).extend(bundles)
        end(scope, bundles, self.relevance.first_of(scope), self.names)

    def _settle(self, bundles: list[Bundle], scope: ScopeDraft, at: int) -> list[Bundle]:
        """Forget what nobody asks about from here on, and merge ways that know the same."""
        merged: dict[Facts, Bundle] = {}
        for bundle in bundles:
            if not bundle.edges:
                continue
            facts = self.relevance.keep(bundle.facts, scope, at)
            known = merged.get(facts)
            if known is None:
                merged[facts] = Bundle(facts, bundle.edges)
            elif len(known.edges) < len(bundle.edges):
                known.edges, smaller = bundle.edges, known.edges
                known.edges.extend(smaller)
            else:
                known.edges.extend(bundle.edges)
        found = list(merged.values())
        return found if len(found) <= MOST_BUNDLES else fewer(found)

    # --- steps -----------------------------------------------------------------------------------

    def _do(
        self, scope: ScopeDraft, unit: DoUnit, bundles: list[Bundle], released: list[Bundle] | None
    ) -> list[Bundle]:
        step = unit.step
        entering: list[Bundle] = []
        asking: list[Bundle] = []
        passing: list[Bundle] = []
        tests: set[Test] = set()
        for bundle in bundles if released is None else released:
            test = (
                self.knowledge.guard(step, bundle.facts)
                if released is None
                else self._after_latch(step, bundle.facts)
            )
            if test is True:
                entering.append(bundle)
            elif test is False or test is None:
                passing.append(self._passed(step, bundle))
            else:
                tests.add(test)
                asking.append(bundle)
        if released is not None:
            passing.extend(bundles)
        if asking:
            node = NodeDraft("guard", self.names.of(step, "if"), step)
            node.facts = land(scope, asking, node.name, self.names)
            asked = (
                self.knowledge.guard(step, node.facts)
                if released is None
                else self._after_latch(step, node.facts)
            )
            node.test = asked if len(tests) > 1 else tests.pop()
            scope.nodes.append(node)
            yes = Bundle(self._held(step, node.facts), [node.edge("yes")])
            entering.append(yes)
            passing.append(self._passed(step, Bundle(node.facts, [node.edge("no")])))
        if not entering:
            return passing
        return passing + self._carry_out(scope, unit, entering)

    def _held(self, step: Step, facts: Facts) -> Facts:
        """Return what is known where the step's guard held."""
        rule = step.rule
        if not rule.has_status_function and not rule.asks:
            facts = Facts(False, facts.own, facts.upstream, facts.known, facts.frame)
        return facts if step.condition is None else self.knowledge.refine(step.condition, facts)

    def _passed(self, step: Step, bundle: Bundle) -> Bundle:
        return Bundle(bundle.facts.with_known(step.id, frozenset({SKIP})), bundle.edges)

    def _carry_out(self, scope: ScopeDraft, unit: DoUnit, entering: list[Bundle]) -> list[Bundle]:
        step = unit.step
        node = NodeDraft("do", self.names.take(unit.name or step.id), step)
        node.facts = facts = land(scope, entering, node.name, self.names)
        scope.nodes.append(node)
        if step.for_each is not None:
            node.branches = [self.scopes.items[step.id]]
        elif isinstance(step.kind, Block):
            node.branches = self.scopes.blocks[step.id]
        for branch in node.branches:
            self.scope(branch, Facts(frame=branch.frame))
        out = [Bundle(facts.with_known(step.id, frozenset({OK})), [node.edge("next")])]
        if may_fail(step):
            tolerated = step.on_error == "continue"
            failed = node.edge("failed", error=not tolerated, before=facts.own)
            if tolerated:
                out.append(Bundle(facts.with_known(step.id, frozenset({TOLERATED})), [failed]))
            elif scope.fails_fast:
                end = NodeDraft("stop", self.names.of(step, "stop"), step)
                failed.target = end.name
                scope.nodes.append(end)
            else:
                worse = Facts(True, True, facts.upstream, facts.known, facts.frame)
                out.append(Bundle(worse.with_known(step.id, frozenset({BAD})), [failed]))
        if step.for_each is not None:
            return out  # what is let pass, is so inside, item by item
        if step.rule.manual and step.rule.continues:
            passed = node.edge("passed")
            out.append(Bundle(facts.with_known(step.id, frozenset({LET_PASS})), [passed]))
        elif step.on_error == "pause" and may_fail(step):
            passed = node.edge("passed")
            out.append(Bundle(facts.with_known(step.id, frozenset({TOLERATED})), [passed]))
        return out

    # --- latches ---------------------------------------------------------------------------------

    def _await(
        self, scope: ScopeDraft, unit: AwaitUnit, bundles: list[Bundle]
    ) -> tuple[list[Bundle], list[Bundle]]:
        """Return the ways on which the step may start and those on which it is skipped."""
        step = unit.step
        node = NodeDraft("await", self.names.of(step, "wait"), step, producers=unit.producers)
        node.facts = facts = land(scope, bundles, node.name, self.names)
        scope.nodes.append(node)
        node.guard = self.relevance.latch_decides(step)
        if not node.guard:
            way = Bundle(
                replace(facts, bad=True if facts.bad else None, upstream=None),
                [node.edge("released")],
            )
            return [way], []
        node.test = self._counting_before(step, facts)
        clean = Facts(known=facts.known, frame=facts.frame)
        skip = frozenset({SKIP})
        failed = replace(facts, bad=True, upstream=True).with_known(step.id, skip)
        skipped = clean.with_known(step.id, skip)
        return [Bundle(clean, [node.edge("released")])], [
            Bundle(failed, [node.edge("failed")]),
            Bundle(skipped, [node.edge("skipped")]),
        ]

    def _counting_before(self, step: Step, facts: Facts) -> Test | bool | None:
        """What the consumer's own branch knows of its dependencies; None: it has none there."""
        if not self.knowledge.is_unsure(step.id):
            return True
        nearby = [d for d in step.depends_on if d not in self.relevance.latched(step)]
        if not nearby:
            return None
        clean = replace(facts, bad=False)
        if not step.rule.written:  # then it has the one dependency
            return self.knowledge.counting(step, clean)
        return self.knowledge.any_counts(nearby, clean)

    def _after_latch(self, step: Step, facts: Facts) -> Test | bool | None:
        """The guard of a step that has waited; where it may, the latch has decided its default."""
        if not self.relevance.latch_decides(step):
            return self.knowledge.guard(step, facts)
        if step.condition is None:
            return True
        value = self.knowledge.truth(step.condition, facts)
        return Holds(step.condition) if value is None else value

    def _send(self, scope: ScopeDraft, unit: SendUnit, bundles: list[Bundle]) -> list[Bundle]:
        """Signal on every way; ways that know the status need not look it up."""
        step = unit.step
        sure: dict[tuple[str | None, Tri], list[Bundle]] = {}
        for bundle in bundles:
            classes = self.knowledge.classes(step.id, bundle.facts)
            status = None
            if classes == {OK}:
                status = "succeeded"
            elif classes == {SKIP}:
                status = "skipped"
            sure.setdefault((status, bundle.facts.bad), []).append(bundle)
        out: list[Bundle] = []
        for (status, _), ways in sorted(sure.items(), key=lambda item: item[0][0] != "succeeded"):
            node = NodeDraft("send", self.names.of(step, "signal"), step)
            node.consumers = unit.consumers
            node.status = status
            node.facts = facts = land(scope, ways, node.name, self.names)
            scope.nodes.append(node)
            out.append(Bundle(facts, [node.edge("next")]))
        return out

    # --- forks -----------------------------------------------------------------------------------

    def _fork(
        self, scope: ScopeDraft, unit: ForkUnit, at: int, bundles: list[Bundle], *, last: bool
    ) -> list[Bundle]:
        entering: list[Bundle] = []
        passing: list[Bundle] = []
        leaving: dict[Tri, list[Bundle]] = {}
        ghosts = ghosts_of([unit]) if unit.crossing else ()
        for bundle in bundles:
            skipped = self._all_skipped(unit, bundle.facts)
            if skipped is None or not self._may_haunt(unit, ghosts, bundle.facts):
                entering.append(bundle)
            elif ghosts:
                leaving.setdefault(skipped.bad, []).append(Bundle(skipped, bundle.edges))
            else:
                passing.append(Bundle(skipped, bundle.edges))
        if entering:
            passing.extend(self._enter(scope, unit, at, entering, last=last))
        for ways in leaving.values():
            passing.extend(self._haunt(scope, ghosts, ways))
        return passing

    def _enter(
        self, scope: ScopeDraft, unit: ForkUnit, at: int, entering: list[Bundle], *, last: bool
    ) -> list[Bundle]:
        label = self.relevance.first(unit.steps)
        node = NodeDraft("fork", self.names.of(label, "fork"), fork=unit, unit=at)
        node.facts = facts = land(scope, entering, node.name, self.names)
        scope.nodes.append(node)
        node.branches = unit.branches
        for branch in unit.branches:
            branch.outer = _outer(scope, facts)
            branch.is_fed = unit.is_fed
            self.scope(branch, replace(facts, own=False, upstream=False))
        if last and scope.key != 0 and facts.own is False and facts.upstream is False:
            node.ending = facts
            behind = joined((self.ends[branch.key] for branch in unit.branches), facts)
            self.ends.setdefault(scope.key, []).append(Bundle(behind, []))
            return []
        return self._join(scope, unit, at, node)

    def _may_haunt(self, unit: ForkUnit, ghosts: tuple[Ghost, ...], facts: Facts) -> bool:
        """Whether a fork may be passed over on a way, its latches alone being served.

        Not where a step behind it may run all the same and read what came through a latch.
        """
        if not ghosts:
            return True
        if self.relevance.is_watched(unit.steps):
            return False
        return facts.bad is True or not waits(ghosts)

    def _haunt(
        self, scope: ScopeDraft, ghosts: tuple[Ghost, ...], bundles: list[Bundle]
    ) -> list[Bundle]:
        for ghost in ghosts:
            match ghost:
                case SendUnit():
                    bundles = self._send(scope, ghost, bundles)
                case AwaitUnit(step=step, producers=producers):
                    name = self.names.of(step, "wait")
                    node = NodeDraft("await", name, step, producers=producers, is_ghost=True)
                    node.facts = facts = land(scope, bundles, name, self.names)
                    scope.nodes.append(node)
                    bundles = [Bundle(facts, [node.edge("released")])]
                case GhostFork(branches=branches):
                    bundles = [self._haunted_fork(scope, branches, bundles)]
        return bundles

    def _haunted_fork(
        self, scope: ScopeDraft, branches: tuple[tuple[Ghost, ...], ...], bundles: list[Bundle]
    ) -> Bundle:
        inner = [self.scopes.scope(scope, scope.frame, scope.at) for _ in branches]
        for branch, ghosts in zip(inner, branches, strict=True):
            branch.units = [*flattened(ghosts)]
        label = self.relevance.first(s for branch in inner for s in steps_in(branch))
        node = NodeDraft("fork", self.names.of(label, "skip"))
        node.facts = facts = land(scope, bundles, node.name, self.names)
        scope.nodes.append(node)
        node.branches = inner
        for branch, ghosts in zip(inner, branches, strict=True):
            branch.outer = _outer(scope, facts)
            entry = Bundle(replace(facts, own=False, upstream=False), [branch.start])
            self._end(branch, self._haunt(branch, ghosts, [entry]))
        return Bundle(facts, [node.edge("next")])

    def _join(self, scope: ScopeDraft, unit: ForkUnit, at: int, fork: NodeDraft) -> list[Bundle]:
        behind = joined((self.ends[branch.key] for branch in unit.branches), fork.facts)
        if not unit.is_fed:  # what is bad behind its latches is bad in one of its branches
            behind = replace(behind, upstream=False)
        facts = replace(fork.facts, known=behind.known)
        label = self.relevance.first(unit.steps)
        node = NodeDraft("join", self.names.of(label, "join"), fork=unit, unit=at)
        node.facts = fork.facts
        node.append = fork.facts.own
        node.upstream = behind.upstream is not False
        node.failures = behind.own is not False
        fork.edge("next").target = node.name
        scope.nodes.append(node)
        good = Bundle(without_bad(facts), [node.edge("good")])
        if behind.own is False and behind.upstream is False:
            return [good]
        only_own = behind.upstream is False
        worse = replace(
            facts,
            bad=True,
            own=True if only_own or facts.own else None,
            upstream=facts.upstream if only_own else None,
        )
        return [good, Bundle(worse, [node.edge("bad")])]

    def _all_skipped(self, unit: ForkUnit, facts: Facts) -> Facts | None:
        """Return the facts behind a fork in which every step is known to be skipped, else None."""
        if facts.bad is False and not any(OK not in classes for _, classes in facts.known):
            return None
        for branch in unit.branches:
            for inner in branch.units:
                after = self._unit_skipped(inner, facts)
                if after is None:
                    return None
                facts = after
        return facts

    def _unit_skipped(self, unit: Unit, facts: Facts) -> Facts | None:
        match unit:
            case DoUnit(step=step):
                if self.knowledge.guard(step, facts) is not False:
                    return None
                return facts.with_known(step.id, frozenset({SKIP}))
            case ForkUnit():
                return self._all_skipped(unit, facts)
            case _:
                pass
        return facts  # latches inside a fork that is passed over are passed over with it


def may_fail(step: Step) -> bool:
    """Whether the step's own states can end in an error; those of a for_each look at its list."""
    never = isinstance(step.kind, Pause) and isinstance(step.kind.seconds, int)
    return step.for_each is not None or not never


def _outer(scope: ScopeDraft, facts: Facts) -> tuple[str, ...]:
    """Variables of this and outer scopes that may list bad steps inside a fork entered so."""
    found = list(scope.outer)
    if facts.own is not False:
        found.append(scope.failures)
    if facts.upstream is not False:
        found.append(scope.upstream)
    return tuple(found)
