"""Why steps were skipped: what the truth table says of how the steps above them ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from functions.domain.records.shape import StepRecord
from protocol import status as truth
from protocol.status import Outcome, Rule


def give_reasons(
    steps: Sequence[StepRecord], rules: Mapping[str, Rule], blocks: Mapping[str, str]
) -> None:
    """Give each skipped step its reason; children of a skipped block share the block's."""
    by_id = {record["step_id"]: record for record in steps}
    outcomes: dict[str, Outcome] = {}
    above: dict[str, frozenset[str]] = {}
    for step in in_order(rules, blocks):
        rule, record = rules[step], by_id[step]
        above[step] = ancestors(rule, above)
        reason = None
        block = by_id.get(blocks.get(step, ""))
        if record["status"] == truth.SKIPPED:
            if block is not None and block["status"] == truth.SKIPPED:
                reason = block.get("reason")
            else:
                reason = _reason(rule, rules, outcomes, above[step])
            record["reason"] = reason
        outcomes[step] = Outcome(record["status"], reason)


def ancestors(rule: Rule, above: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Return all steps before one, given those before each of its dependencies."""
    return frozenset(rule.depends_on).union(*(above[d] for d in rule.depends_on))


def _reason(
    rule: Rule,
    rules: Mapping[str, Rule],
    outcomes: Mapping[str, Outcome],
    above: frozenset[str],
) -> str | None:
    bad = [one for one in above if truth.is_bad(rules[one], outcomes[one].status)]
    return truth.decide(
        rule,
        bad_above=bad,
        has_counting=truth.has_counting_dependency(rule, rules, outcomes),
        condition=lambda: False,  # it was skipped: what it has, did not hold
    )


def in_order(rules: Mapping[str, Rule], blocks: Mapping[str, str]) -> list[str]:
    """Return the steps so that each comes after its dependencies and the block it is in."""
    ordered: dict[str, None] = {}
    stack: list[str] = list(rules)[::-1]
    while stack:
        step = stack[-1]
        needed = [*rules[step].depends_on, *([blocks[step]] if step in blocks else [])]
        waiting = [one for one in needed if one not in ordered]
        if waiting and step not in ordered:
            stack += waiting
            continue
        ordered[stack.pop()] = None
    return list(ordered)
