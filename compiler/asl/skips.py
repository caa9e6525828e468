"""Whether a step ran and counts, and why one was skipped, as JSONata over the records."""

from __future__ import annotations

from collections.abc import Mapping

from compiler.expressions.quoting import text_literal
from compiler.plan.model import AllOf, AnyOf, Counts, Plan, Ran, Test
from protocol.status import CONDITION, UPSTREAM_FAILED, UPSTREAM_SKIPPED


def ran(step: str, plan: Plan, scope: int) -> str:
    """Return JSONata for whether a finished step was carried out, as a scope sees it."""
    variable = plan.variable(step, scope)
    return "false" if variable is None else f"$type(${variable}) = 'object'"


def counts(step: str, plan: Plan, scope: int) -> str:
    """Return JSONata for whether a finished step counts as a dependency."""
    rule = plan.rules[step]
    carried_out = ran(step, plan, scope)
    variable = plan.variable(step, scope)
    if not rule.manual or variable is None:
        return carried_out
    against = [f"${variable}.status != '{name}'" for name in sorted(rule.continues)]
    return " and ".join([carried_out, *against])


def reason(step: str, plan: Plan, scope: int, bad_ids: Mapping[int, str]) -> str:
    """Return JSONata of the reason why a finished step was skipped, null where it was not.

    `bad_ids` is JSONata of the bad steps that the scope knows of, by frame: of its own and of
    those around it. It knows all that are above the step, since it comes behind it. Of a block's
    child seen from outside it knows only whether the whole block was skipped.
    """
    why = plan.reasons.get(step)
    if why is None:
        return "null"
    known = bad_ids.get(plan.frames[step])
    if known is None:
        return "null" if why.block is None else reason(why.block, plan, scope, bad_ids)
    found = f"'{CONDITION}'"
    if not why.is_asked:
        if why.counting is False:
            found = f"'{UPSTREAM_SKIPPED}'"
        elif why.counting is not True:
            found = f"({_counting(why.counting, plan, scope)}) ? {found} : '{UPSTREAM_SKIPPED}'"
        if why.above:
            above = ", ".join(text_literal(name) for name in why.above)
            bad = f"$count($filter({known}, function($b) {{ $b in [{above}] }})) > 0"
            found = f"{bad} ? '{UPSTREAM_FAILED}' : {found}"
    return f"{ran(step, plan, scope)} ? null : {found}"


def _counting(test: Test | bool, plan: Plan, scope: int) -> str:
    match test:
        case bool():
            return "true" if test else "false"
        case Counts(step=step):
            return counts(step, plan, scope)
        case Ran(step=step, then=then, otherwise=otherwise):
            yes, no = _counting(then, plan, scope), _counting(otherwise, plan, scope)
            return f"{ran(step, plan, scope)} ? ({yes}) : ({no})"
        case AllOf(tests=tests):
            return " and ".join(f"({_counting(inner, plan, scope)})" for inner in tests)
        case AnyOf(tests=tests):
            return " or ".join(f"({_counting(inner, plan, scope)})" for inner in tests)
        case _:
            pass
    raise AssertionError(f"nothing that counts dependencies: {test}")
