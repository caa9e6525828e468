"""Scopes while they are planned: units in their order, then nodes whose ways are being joined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from compiler.check.program import Block, Step
from compiler.plan.facts import Facts, Tri
from compiler.plan.layout import Fork, Layout, Leaf, Region, Series, layout
from compiler.plan.model import Test
from protocol.status import Rule

# --- units: what a scope does, in order ----------------------------------------------------------


@dataclass(slots=True)
class DoUnit:
    """Carry out a step (or skip it); `name` where its state is not called as the step."""

    step: Step
    name: str | None = None


@dataclass(slots=True)
class AwaitUnit:
    """Wait for the latched producers of the step that comes next."""

    step: Step
    producers: tuple[str, ...]


@dataclass(slots=True)
class SendUnit:
    """Signal that the step before has ended."""

    step: Step
    consumers: tuple[str, ...]


@dataclass(slots=True)
class ForkUnit:
    """Run scopes at once."""

    branches: list[ScopeDraft]
    steps: frozenset[str] = frozenset()
    crossing: bool = False  # some latch has one end inside and one outside
    is_fed: bool = False  # some latch leads in from outside


Unit: TypeAlias = "DoUnit | AwaitUnit | SendUnit | ForkUnit"


@dataclass(slots=True)
class ScopeDraft:
    """A scope; `frame` is the key of the scope in which the truth table starts afresh."""

    key: int
    parent: ScopeDraft | None
    frame: int
    units: list[Unit] = field(default_factory=list)
    at: int = 0  # the parent's unit it stands in
    nodes: list[NodeDraft] = field(default_factory=list)
    start: Edge = field(default_factory=lambda: Edge())  # noqa: PLW0108 (Edge comes below)
    outer: tuple[str, ...] = ()
    is_fed: bool = False  # latches lead into the fork around it, so what is bad behind them counts
    gives: set[str] = field(default_factory=set)
    fails_fast: bool = False  # in a frame that ends with its first bad step: block or item

    @property
    def failures(self) -> str:
        """The variable that lists this scope's failed steps."""
        return "f" if self.key == 0 else f"f_{self.key}"

    @property
    def upstream(self) -> str:
        """The variable that lists bad steps known through latches."""
        return "u" if self.key == 0 else f"u_{self.key}"


# --- nodes while their targets are open ----------------------------------------------------------


@dataclass(slots=True, eq=False)
class Edge:
    """A way out of a node.

    `error` edges carry a failure that is still to be collected; `before` is whether the scope's
    list held failures before it; `owner` may end the scope.
    """

    target: str | None = None
    error: bool = False
    before: Tri = False
    owner: NodeDraft | None = None


@dataclass(slots=True, eq=False)
class NodeDraft:
    """A node by kind, with its named ways out and whatever else the kind needs."""

    kind: str
    name: str
    step: Step | None = None
    edges: dict[str, Edge] = field(default_factory=dict)
    facts: Facts = field(default_factory=Facts)  # on the way in
    ending: Facts | None = None  # where the scope ends with this node
    test: Test | bool | None = None
    branches: list[ScopeDraft] = field(default_factory=list)
    fork: ForkUnit | None = None
    unit: int = 0
    producers: tuple[str, ...] = ()
    consumers: tuple[str, ...] = ()
    status: str | None = None
    guard: bool = False
    append: Tri = False
    upstream: bool = False
    failures: bool = False
    caught: bool = False
    is_ghost: bool = False  # an Await of a consumer that is skipped whatever comes
    binds: list[str] = field(default_factory=list)

    def edge(self, way: str, *, error: bool = False, before: Tri = False) -> Edge:
        """Open a way out of this node."""
        made = self.edges[way] = Edge(error=error, before=before, owner=self)
        return made


@dataclass(slots=True)
class Place:
    """Where a step stands: its scope and the index of its unit there."""

    scope: ScopeDraft
    unit: int


class Scopes:
    """All scopes of one machine, and where each step stands in them."""

    def __init__(self) -> None:
        self.all: list[ScopeDraft] = []
        self.places: dict[str, Place] = {}
        self.awaits: dict[str, Place] = {}
        self.sends: dict[str, Place] = {}
        self.latches: list[tuple[str, str]] = []
        self.blocks: dict[str, list[ScopeDraft]] = {}
        self.items: dict[str, ScopeDraft] = {}  # for_each bodies by step
        self.root_layout = Layout(None, ())

    def scope(self, parent: ScopeDraft | None, frame: int | None, at: int = 0) -> ScopeDraft:
        """Make a new scope; `frame` None makes it a frame of its own."""
        key = len(self.all)
        made = ScopeDraft(key, parent, key if frame is None else frame, at=at)
        if frame is not None and parent is not None:
            made.fails_fast = parent.fails_fast
        self.all.append(made)
        return made


def scopes_of(steps: tuple[Step, ...]) -> Scopes:
    """Return the scopes of a machine's steps with the units of each; blocks are laid out inside."""
    scopes = Scopes()
    root = scopes.scope(None, None)
    scopes.root_layout = _fill(scopes, root, steps)
    return scopes


def _fill(scopes: Scopes, scope: ScopeDraft, steps: tuple[Step, ...]) -> Layout:
    index = {step.id: i for i, step in enumerate(steps)}
    found = layout([tuple(index[d] for d in step.depends_on) for step in steps])
    consumers: dict[int, list[str]] = {}
    producers: dict[int, list[str]] = {}
    for producer, consumer in found.latches:
        consumers.setdefault(producer, []).append(steps[consumer].id)
        producers.setdefault(consumer, []).append(steps[producer].id)
        scopes.latches.append((steps[producer].id, steps[consumer].id))
    if found.root is not None:
        _Filler(scopes, steps, consumers, producers).fill(scope, found.root)
    for step in steps:
        place = scopes.places[step.id]
        if step.for_each is not None:
            place = _fill_items(scopes, step, place)
        if isinstance(step.kind, Block):
            _fill_block(scopes, step, step.kind, place)
    return found


def _fill_items(scopes: Scopes, step: Step, place: Place) -> Place:
    """A for_each: its body is a frame that holds the step once, without what is decided outside."""
    body = scopes.scope(place.scope, None, place.unit)
    body.fails_fast = step.for_each is not None and step.for_each.fail_fast
    manual = step.rule.manual
    let_pass = step.rule.continues if manual else frozenset[str]()
    bare = Rule(step.id, manual=manual, continues=let_pass)
    tolerated = "fail" if step.on_error == "continue" else step.on_error
    once = replace(step, for_each=None, condition=None, rule=bare, on_error=tolerated)
    body.units.append(DoUnit(once, f"{step.id}.item"))
    scopes.items[step.id] = body
    return Place(body, 0)


def _fill_block(scopes: Scopes, step: Step, block: Block, place: Place) -> None:
    """A parallel step: its frame holds either the one branch or a fork of them."""
    frame = scopes.scope(place.scope, None, place.unit)
    frame.fails_fast = block.fail_fast
    _fill(scopes, frame, block.steps)
    if len(frame.units) == 1 and isinstance(frame.units[0], ForkUnit):
        fork = frame.units[0]
        for branch in fork.branches:
            branch.parent = place.scope
            branch.at = place.unit
        scopes.blocks[step.id] = fork.branches
    else:
        scopes.blocks[step.id] = [frame]


@dataclass(slots=True)
class _Filler:
    scopes: Scopes
    steps: tuple[Step, ...]
    consumers: Mapping[int, list[str]]
    producers: Mapping[int, list[str]]

    def fill(self, scope: ScopeDraft, region: Region) -> None:
        stack: list[tuple[ScopeDraft, Region]] = [(scope, region)]
        while stack:
            scope, region = stack.pop()
            for item in region.items if isinstance(region, Series) else (region,):
                match item:
                    case Leaf(step=at):
                        self._leaf(scope, at)
                    case Fork(branches=branches):
                        unit = ForkUnit([])
                        scope.units.append(unit)
                        for branch in branches:
                            inner = self.scopes.scope(scope, scope.frame, len(scope.units) - 1)
                            unit.branches.append(inner)
                            stack.append((inner, branch))
                        inside = frozenset(_leaves(item))
                        unit.steps = frozenset(self.steps[i].id for i in inside)
                        unit.is_fed = any(
                            p not in unit.steps for i in inside for p in self.producers.get(i, ())
                        )
                        unit.crossing = unit.is_fed or any(
                            c not in unit.steps for i in inside for c in self.consumers.get(i, ())
                        )
                    case Series():
                        raise AssertionError("a series directly in a series")

    def _leaf(self, scope: ScopeDraft, at: int) -> None:
        step = self.steps[at]
        if at in self.producers:
            self.scopes.awaits[step.id] = Place(scope, len(scope.units))
            scope.units.append(AwaitUnit(step, tuple(self.producers[at])))
        self.scopes.places[step.id] = Place(scope, len(scope.units))
        scope.units.append(DoUnit(step))
        if at in self.consumers:
            self.scopes.sends[step.id] = Place(scope, len(scope.units))
            scope.units.append(SendUnit(step, tuple(self.consumers[at])))


def _leaves(region: Region) -> list[int]:
    found: list[int] = []
    stack: list[Region] = [region]
    while stack:
        here = stack.pop()
        match here:
            case Leaf(step=step):
                found.append(step)
            case Series(items=items):
                stack.extend(items)
            case Fork(branches=branches):
                stack.extend(branches)
    return found
