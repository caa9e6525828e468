"""How a branch ends, and how the machine does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from compiler.check.program import Block, Step
from compiler.plan.bundles import Bundle, land
from compiler.plan.drafts import Edge, NodeDraft, ScopeDraft
from compiler.plan.facts import Tri, meet
from compiler.plan.naming import Names


def end(scope: ScopeDraft, bundles: list[Bundle], label: Step, names: Names) -> None:
    """End a branch: with the task itself where that can be, else with a Pass."""
    rest: dict[bool, list[Bundle]] = {}
    for bundle in bundles:
        for edge in bundle.edges:
            node = edge.owner
            if node is not None and not edge.error and _can_end(node, edge):
                node.ending = bundle.facts if node.ending is None else node.ending
            else:
                rest.setdefault(edge.error, []).append(Bundle(bundle.facts, [edge]))
    for error, ways in sorted(rest.items()):
        name = names.of(label, "failed" if error else "end")
        node = NodeDraft("end", name, caught=error)
        facts = ways[0].facts
        before = ways[0].edges[0].before
        for way in ways:
            facts = meet(facts, way.facts)
            before = before if way.edges[0].before == before else None
            way.edges[0].target = name
        node.facts = node.ending = facts
        node.append = before
        scope.nodes.append(node)


def finish(
    scope: ScopeDraft,
    bundles: list[Bundle],
    names: Names,
    may_end: Callable[[NodeDraft], bool],
    *,
    has_close: bool,
) -> None:
    """End the machine: well, badly, or as the list of failures says.

    `may_end` tells whether the machine may end well with a node itself.
    """
    ways: dict[Tri, list[Bundle]] = {}
    for bundle in bundles:
        ways.setdefault(bundle.facts.bad, []).append(bundle)
    unsure, good, bad = ways.get(None, []), ways.get(False, []), ways.get(True, [])
    if unsure:
        node = NodeDraft("verdict", names.take("Verdict"))
        node.facts = land(scope, unsure, node.name, names)
        scope.nodes.append(node)
        if has_close:
            bad.append(Bundle(replace(node.facts, own=None), [node.edge("bad")]))
            good.append(Bundle(node.facts, [node.edge("good")]))
    left: list[Bundle] = []
    for bundle in good:
        for edge in bundle.edges:
            owner = edge.owner
            if owner is not None and _can_end(owner, edge) and may_end(owner):
                owner.ending = bundle.facts
            else:
                left.append(Bundle(bundle.facts, [edge]))
    if left:
        node = NodeDraft("done", names.take("Done"))
        node.facts = land(scope, left, node.name, names)
        scope.nodes.append(node)
    if bad:
        failed = NodeDraft("failed", names.take("Failed"))
        first = failed
        if has_close:
            first = NodeDraft("close", names.take("Close"))
            first.edge("next").target = failed.name
            scope.nodes.append(first)
        first.facts = failed.facts = land(scope, bad, first.name, names)
        scope.nodes.append(failed)


def _can_end(node: NodeDraft, edge: Edge) -> bool:
    """Whether the scope can end with this very state: a plain Task or Wait, in one state."""
    if node.kind == "send":
        return True
    if node.kind != "do" or node.edges.get("next") is not edge or node.step is None:
        return False
    step = node.step
    return not (isinstance(step.kind, Block) or step.rule.manual or step.for_each or step.repeat)
