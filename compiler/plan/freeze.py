"""From drafts to the Plan's frozen scopes."""

from __future__ import annotations

from collections.abc import Mapping

from compiler.check.program import Step
from compiler.plan.drafts import NodeDraft, ScopeDraft, Scopes
from compiler.plan.facts import Facts, Knowledge
from compiler.plan.model import (
    Await,
    Begin,
    Bind,
    Close,
    Collect,
    Do,
    Done,
    End,
    Ending,
    Failed,
    Fork,
    Guard,
    Join,
    Node,
    Scope,
    Send,
    Stop,
    Verdict,
)

START = "Start"
"""The name of every machine's first state; no step's id has a capital."""


class Freezer:
    """Turns the planned drafts of one machine into its frozen root scope."""

    def __init__(
        self,
        scopes: Scopes,
        steps: Mapping[str, Step],
        knowledge: Knowledge,
        variables: Mapping[tuple[int, str], str],
        signals: Mapping[str, set[str]],
    ) -> None:
        self._scopes = scopes
        self._steps = steps
        self._knowledge = knowledge
        self._variables = variables
        self._signals = signals
        self._frozen: dict[int, Scope] = {}
        self._skipped: dict[str, str] = {}

    def root(self) -> Scope:
        """Return the machine's outermost scope with everything inside."""
        for scope in reversed(self._scopes.all):
            if scope.start.target is None:
                continue  # no way leads here: its steps are always skipped
            self._skipped = _useless_joins(scope)
            nodes = tuple(
                self._node(scope, node) for node in scope.nodes if node.name not in self._skipped
            )
            start = self._target(scope.start.target)
            if scope.key == 0:
                nodes = (Begin(START, start), *self._reached(nodes, start))
                start = START
            self._frozen[scope.key] = Scope(
                scope.key,
                None if scope.parent is None else scope.parent.key,
                scope.frame,
                start,
                nodes,
                scope.failures,
                scope.upstream,
                scope.outer,
            )
        return self._frozen[0]

    def _reached(self, nodes: tuple[Node, ...], start: str) -> tuple[Node, ...]:
        """Leave out ends that no way leads to any more."""
        wanted = {start}
        for node in nodes:
            wanted.update(_targets(node))
        return tuple(n for n in nodes if n.name in wanted)

    def _target(self, name: str | None) -> str:
        assert name is not None
        while name in self._skipped:
            name = self._skipped[name]
        return name

    def _way(self, node: NodeDraft, way: str) -> str | None:
        edge = node.edges.get(way)
        return None if edge is None or edge.target is None else self._target(edge.target)

    def _to(self, node: NodeDraft, way: str) -> str:
        target = self._way(node, way)
        assert target is not None, (node.name, way)
        return target

    def _binds(self, scope: ScopeDraft, node: NodeDraft) -> tuple[Bind, ...]:
        names = sorted(node.binds, key=lambda name: self._steps[name].index)
        return tuple(Bind(name, self._variables[(scope.key, name)]) for name in names)

    def _ending(self, scope: ScopeDraft, facts: Facts | None) -> Ending | None:
        if facts is None:
            return None
        gives = sorted(scope.gives, key=lambda name: self._steps[name].index)
        certain = frozenset(
            name for name in gives if facts.bad is False and self._is_recorded(name, scope.frame)
        )
        upstream = facts.upstream if scope.is_fed else False
        return Ending(tuple(gives), certain, facts.own, upstream)

    def _is_recorded(self, name: str, frame: int) -> bool:
        """Whether the step's record is assigned at an end of its frame where nothing is bad."""
        step = self._steps[name]
        if self._scopes.places[name].scope.frame != frame:
            return False  # it stands in a block, which may have been skipped
        lets_pass = bool(step.rule.continues) or step.on_error != "fail"
        return not lets_pass and not self._knowledge.may_be_skipped(name)

    # One case a kind.
    def _node(self, scope: ScopeDraft, node: NodeDraft) -> Node:  # noqa: C901, PLR0911, PLR0912
        step = node.step
        ending = self._ending(scope, node.ending)
        match node.kind:
            case "do":
                assert step is not None
                return Do(
                    node.name,
                    step,
                    self._way(node, "next"),
                    ending if self._way(node, "next") is None else None,
                    self._way(node, "failed"),
                    self._way(node, "passed"),
                    node.facts.bad is False,
                    node.facts.own,
                    tuple(self._frozen[b.key] for b in node.branches),
                    self._binds(scope, node),
                )
            case "guard":
                assert step is not None
                assert node.test is not None
                assert not isinstance(node.test, bool)
                clean = node.facts.bad is False
                yes, no = self._to(node, "yes"), self._to(node, "no")
                return Guard(node.name, step, node.test, yes, no, clean)
            case "fork":
                branches = tuple(self._frozen[b.key] for b in node.branches)
                return Fork(node.name, branches, self._way(node, "next"))
            case "join":
                binds = self._binds(scope, node)
                bad, good = self._way(node, "bad"), self._to(node, "good")
                if self._ends_the_run(scope, node, bad, good):
                    return Verdict(node.name, None, None, joins=True, append=node.append)
                return Join(node.name, binds, node.append, node.failures, node.upstream, bad, good)
            case "collect":
                return Collect(node.name, node.append, self._to(node, "next"))
            case "send":
                assert step is not None
                gives = sorted(
                    self._signals.get(step.id, ()), key=lambda name: self._steps[name].index
                )
                after = self._way(node, "next")
                return Send(
                    node.name,
                    step,
                    node.consumers,
                    node.status,
                    node.facts.bad,
                    tuple(gives),
                    after,
                    ending if after is None else None,
                )
            case "await":
                return self._await(scope, node)
            case "verdict":
                return Verdict(node.name, self._way(node, "bad"), self._way(node, "good"))
            case "end":
                assert ending is not None
                return End(node.name, ending, node.caught, node.append)
            case "done":
                return Done(node.name)
            case "stop":
                assert step is not None
                return Stop(node.name, step)
            case "close":
                return Close(node.name, self._to(node, "next"))
            case _:
                return Failed(node.name)

    def _ends_the_run(self, scope: ScopeDraft, node: NodeDraft, bad: str | None, good: str) -> bool:
        """Whether a join only decides between the two ends of a machine."""
        if scope.key != 0 or node.binds or node.upstream or bad is None:
            return False
        kinds = {n.name: n.kind for n in scope.nodes}
        return kinds.get(bad) == "failed" and kinds.get(good) == "done"

    def _await(self, scope: ScopeDraft, node: NodeDraft) -> Await:
        assert node.step is not None
        return Await(
            node.name,
            node.step,
            node.producers,
            node.guard,
            node.facts.bad,
            node.test,
            self._binds(scope, node),
            self._to(node, "released"),
            self._way(node, "failed"),
            self._way(node, "skipped"),
            node.is_ghost,
        )


def _targets(node: Node) -> set[str]:
    ways = ("next", "yes", "no", "bad", "good", "failed", "passed", "released", "skipped")
    return {getattr(node, way) for way in ways if isinstance(getattr(node, way, None), str)}


def _useless_joins(scope: ScopeDraft) -> dict[str, str]:
    """Joins that take nothing over and decide nothing: what leads to them passes them by."""
    found: dict[str, str] = {}
    for node in scope.nodes:
        good = node.edges.get("good")
        decides = node.kind != "join" or node.binds or "bad" in node.edges
        if not decides and good is not None and good.target is not None:
            found[node.name] = good.target
    return found
