"""Ways through a scope that know the same, kept together; and where they lead together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from compiler.plan.drafts import Edge, NodeDraft, ScopeDraft
from compiler.plan.facts import BAD, Facts, Tri, meet
from compiler.plan.naming import Names

MOST_BUNDLES = 6
"""Ways kept apart at one place; more are merged, which costs precision and never truth."""


@dataclass(slots=True)
class Bundle:
    """Ways that know the same."""

    facts: Facts
    edges: list[Edge]


def fewer(bundles: list[Bundle]) -> list[Bundle]:
    """Return at most three bundles, by whether anything above is bad."""
    by_lane: dict[Tri, Bundle] = {}
    for bundle in bundles:
        known = by_lane.get(bundle.facts.bad)
        if known is None:
            by_lane[bundle.facts.bad] = Bundle(bundle.facts, bundle.edges)
        else:
            known.facts = meet(known.facts, bundle.facts)
            known.edges.extend(bundle.edges)
    return list(by_lane.values())


def land(scope: ScopeDraft, bundles: Iterable[Bundle], target: str, names: Names) -> Facts:
    """Lead every way to `target`; failures just caught are collected before it."""
    bundles = list(bundles)
    errors = [e for b in bundles for e in b.edges if e.error]
    name = target
    if errors:
        name = names.take(f"{target}.caught" if target[0].islower() else "Caught")
        before = errors[0].before
        for edge in errors:
            before = before if before == edge.before else None
        collect = NodeDraft("collect", name, append=before)
        collect.edge("next").target = target
        scope.nodes.append(collect)
    for bundle in bundles:
        for edge in bundle.edges:
            edge.target = name if edge.error else target
    facts = bundles[0].facts
    for bundle in bundles[1:]:
        facts = meet(facts, bundle.facts)
    return facts


def joined(branches: Iterable[list[Bundle]], before: Facts) -> Facts:
    """Return what is known behind finished branches, whichever way each of them took."""
    known = dict(before.known)
    own: Tri = False
    upstream: Tri = False
    bad: Tri = before.bad
    for ends in branches:
        facts = ends[0].facts
        for end in ends[1:]:
            facts = meet(facts, end.facts)
        own = own if facts.own is False else None
        upstream = upstream if facts.upstream is False else None
        bad = bad if facts.bad == bad else None
        for step, classes in facts.known:
            known.setdefault(step, classes)
    ordered = tuple(sorted(known.items(), key=lambda k: k[0]))
    return replace(before, bad=bad, own=own, upstream=upstream, known=ordered)


def without_bad(facts: Facts) -> Facts:
    """Return facts for a way on which nothing is bad, so no step can have ended so."""
    if facts.bad is not False:
        return facts
    return replace(facts, known=tuple((step, classes - {BAD}) for step, classes in facts.known))
