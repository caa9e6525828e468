"""The truth table of statuses: which steps run, which are skipped and why, what a run comes to.

Compiler, latches and records all ask these functions, so that the three can never disagree.
They are pure: a step's rule and the outcomes above it go in, a verdict comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

SUCCEEDED = "succeeded"
FAILED = "failed"
TIMED_OUT = "timed_out"
REJECTED = "rejected"
SKIPPED = "skipped"
CANCELLED = "cancelled"

UPSTREAM_FAILED = "upstream_failed"
UPSTREAM_SKIPPED = "upstream_skipped"
CONDITION = "condition"

FAULTS = frozenset({FAILED, TIMED_OUT, CANCELLED})
DECISIONS_AGAINST = frozenset({REJECTED, TIMED_OUT})


@dataclass(frozen=True, slots=True)
class Rule:
    """What of a step decides whether it starts and whether its end is bad.

    `asks` are the steps whose failure its condition asks for; `written` is whether its
    `depends_on` was written (a left-out one only orders). `continues` are the statuses that
    the author lets pass: for a manual step those of `on_reject` and `on_timeout: continue`,
    for any other the faults that `on_error: continue` tolerates.
    """

    id: str
    depends_on: tuple[str, ...] = ()
    written: bool = True
    manual: bool = False
    continues: frozenset[str] = frozenset()
    has_condition: bool = False
    has_status_function: bool = False
    asks: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a step ended: its status and, for a skipped one, the reason."""

    status: str
    reason: str | None = None


def is_tolerated(rule: Rule, status: str) -> bool:
    """Return whether the status is a fault that `on_error: continue` took."""
    return not rule.manual and status in rule.continues and status in FAULTS


def is_bad(rule: Rule, status: str) -> bool:
    """Return whether the status stops what needs the step and fails the run."""
    faults = DECISIONS_AGAINST | FAULTS if rule.manual else FAULTS
    return status in faults and status not in rule.continues


def counts(rule: Rule, status: str) -> bool:
    """Return whether a finished dependency counts for a step that needs one that does."""
    if status == SKIPPED:
        return False
    return not (rule.manual and status in rule.continues)


def has_counting_dependency(
    rule: Rule, rules: Mapping[str, Rule], outcomes: Mapping[str, Outcome]
) -> bool:
    """Return whether the step has no dependencies or one that counts.

    A left-out `depends_on` only orders: where the step above was skipped, what that step came
    after is asked in its place, on and on; a written one met on the way is taken as written.
    """
    while True:
        if not rule.depends_on:
            return True
        if rule.written:
            return any(counts(rules[d], outcomes[d].status) for d in rule.depends_on)
        above = rule.depends_on[0]
        if outcomes[above].status != SKIPPED:
            return counts(rules[above], outcomes[above].status)
        rule = rules[above]


def decide(
    rule: Rule,
    *,
    bad_above: Iterable[str],
    has_counting: bool,
    condition: Callable[[], bool],
) -> str | None:
    """Return None where the step starts, else the reason why it is skipped.

    `bad_above` are the ids of the ancestors that ended badly; `condition` is called only where
    the rest would let the step start (the inputs of a skipped step are never evaluated).
    """
    bad = frozenset(bad_above)
    if rule.has_status_function:
        return None if condition() else CONDITION
    if bad - rule.asks:
        return UPSTREAM_FAILED
    if not rule.asks and not has_counting:
        return UPSTREAM_SKIPPED
    if rule.has_condition and not condition():
        return CONDITION
    return None


def run_status(rules: Mapping[str, Rule], outcomes: Mapping[str, Outcome]) -> str:
    """Return the run's verdict: failed if some step is bad, else succeeded."""
    bad = any(is_bad(rules[step], outcome.status) for step, outcome in outcomes.items())
    return FAILED if bad else SUCCEEDED
