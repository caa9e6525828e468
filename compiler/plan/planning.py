"""The pass: from a Program to a Plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compiler.check.program import Action, Program, Script, Step, every_step, expressions
from compiler.expressions import references
from compiler.plan.budget import limits
from compiler.plan.close import close_program, closing, reads_at_close
from compiler.plan.demand import Demand
from compiler.plan.drafts import DoUnit, NodeDraft, ScopeDraft, Scopes, scopes_of
from compiler.plan.facts import Facts, Knowledge
from compiler.plan.files import files, files_at_close
from compiler.plan.flow import Flow
from compiler.plan.freeze import Freezer
from compiler.plan.graph import ancestors_of
from compiler.plan.model import Plan, Test, Why
from compiler.plan.naming import Names
from compiler.plan.reading import (
    Read,
    exprs_of_step,
    merged,
    reads_of_outputs,
    reads_of_step,
    reads_of_test,
)
from compiler.plan.relevance import Relevance


def plan(program: Program) -> Plan:
    """Return the Plan of a checked workflow; its dependencies have no cycle."""
    planned = _machine(program)
    if not program.has_close:
        return planned
    stored = {step.id: step for step in every_step(program.steps)}
    close = replace(
        _machine(close_program(program)),
        closing=closing(program),
        stored=stored,
        files=files_at_close(program),
    )
    return replace(planned, close=close)


def _machine(program: Program) -> Plan:
    steps = {step.id: step for step in every_step(program.steps)}
    scopes = scopes_of(program.steps)
    frames = {name: place.scope.frame for name, place in scopes.places.items()}
    knowledge = Knowledge(steps, frames)
    relevance = Relevance(scopes, steps, knowledge)
    read_by_outputs = {read.step for read in reads_of_outputs(program, steps)}
    flow = Flow(
        program,
        scopes,
        knowledge,
        relevance,
        Names(),
        lambda node: (
            node.step is not None
            and (node.step.id not in read_by_outputs or _gives_as_read(node.step))
        ),
    )
    flow.scope(scopes.all[0], Facts())
    above = ancestors_of(program.steps)
    demand = Demand(scopes, steps, above)
    reasons: dict[str, Why] = {}
    for read, scope, unit in _reads(program, scopes, steps):
        demand.read(read, scope, unit)
        name = read.step if read.field == "reason" else None
        while name is not None:
            if name not in reasons:
                block = demand.block_of(name)
                reasons[name] = _why(steps[name], knowledge, above, scopes, block)
            demand.read(Read(name, "reason"), scope, unit)
            for counted in reads_of_test(reasons[name].counting):
                demand.read(counted, scope, unit)
            name = reasons[name].block  # a skipped block's children share its reason
    demand.keep_items()
    reads = {name: merged(found) for name, found in demand.reads.items()}
    root = Freezer(scopes, steps, knowledge, demand.variables, demand.signals).root()
    unskippable = frozenset(n for n in steps if not knowledge.may_be_skipped(n))
    return Plan(
        program=program,
        root=root,
        layout=scopes.root_layout,
        latches=tuple(scopes.latches),
        reads=reads,
        variables=demand.variables,
        parents={s.key: None if s.parent is None else s.parent.key for s in scopes.all},
        rules={name: step.rule for name, step in steps.items()},
        frames=frames,
        frame_of={s.key: s.frame for s in scopes.all},
        items={scope.key: name for name, scope in scopes.items.items()},
        contexts=_contexts(program, steps),
        files=files(program, above),
        limits=limits(scopes, steps, reads, demand.signals, read_by_outputs),
        unskippable=unskippable,
        recorded=unskippable - _unrecorded(scopes, steps),
        reasons=reasons,
    )


def _gives_as_read(step: Step) -> bool:
    """Whether what a step's last state gets are the step's outputs, the declared ones too.

    The machine makes others itself; where the run's outputs read those, it ends in a state behind.
    """
    kind = step.kind
    is_wrapped = isinstance(kind, Script) or (isinstance(kind, Action) and not kind.callback)
    return is_wrapped or not step.outputs


def _why(
    step: Step, knowledge: Knowledge, above: dict[str, int], scopes: Scopes, block: str | None
) -> Why:
    """Return what tells why a step is skipped."""
    rule = step.rule
    if rule.has_status_function:
        return Why(is_asked=True, above=(), counting=True, block=block)
    index = {name: 1 << at for at, name in enumerate(above)}
    mine = above[step.id]
    bad = [name for name in above if mine & index[name] and name not in rule.asks]
    waiting = {consumer for _, consumer in scopes.latches}
    if not waiting.isdisjoint((step.id, *bad)):
        bad.append("*")  # a latch says that something above is bad, but not what
    counting: Test | bool = True
    if not rule.asks and knowledge.is_unsure(step.id):
        counting = knowledge.counting(step, Facts(bad=None, frame=-1))
    return Why(is_asked=False, above=tuple(bad), counting=counting, block=block)


def _unrecorded(scopes: Scopes, steps: dict[str, Step]) -> set[str]:
    """Return the steps whose records may be missing although they ran and nothing is bad.

    A failure that is let pass leaves none; a latch is not trusted, and a wait that ends in a
    skip takes nothing over.
    """
    passing = {name for name, s in steps.items() if s.rule.continues or s.on_error != "fail"}
    waits = (node for scope in scopes.all for node in scope.nodes if node.kind == "await")
    return passing.union(*(node.binds for node in waits))


def _reads(
    program: Program, scopes: Scopes, steps: dict[str, Step]
) -> Iterator[tuple[Read, ScopeDraft, int]]:
    for scope in scopes.all:
        for at, unit in enumerate(scope.units):
            if isinstance(unit, DoUnit):
                for read in reads_of_step(unit.step, steps):
                    yield read, scope, at
        for node in scope.nodes:
            yield from _reads_of_node(node, scope, scopes)
    for read in reads_of_outputs(program, steps):
        root = scopes.all[0]
        yield read, root, len(root.units)
    for read in reads_at_close(program):
        root = scopes.all[0]
        yield read, root, len(root.units)


def _reads_of_node(
    node: NodeDraft, scope: ScopeDraft, scopes: Scopes
) -> Iterator[tuple[Read, ScopeDraft, int]]:
    if node.step is None:
        return
    if node.kind in ("guard", "await") and not node.is_ghost:
        at = scopes.places[node.step.id].unit
        if node.kind == "await":
            at = scopes.awaits[node.step.id].unit
        for read in reads_of_test(node.test):
            yield read, scope, at
    elif node.kind == "send" and node.status is None:
        unit = scopes.sends[node.step.id].unit
        yield Read(node.step.id, "status"), scope, unit


def _contexts(program: Program, steps: dict[str, Step]) -> frozenset[str]:
    exprs = [expr for step in steps.values() for expr in exprs_of_step(step)]
    exprs += [expr for _, value in program.outputs for expr in expressions(value)]
    if program.concurrency is not None:
        exprs += expressions(program.concurrency.group)
    return frozenset(ref.root for expr in exprs for ref in references(expr))
