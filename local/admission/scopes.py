"""Variables: their names, and that no branch or iteration assigns what is assigned outside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def scope_faults(
    flow: Mapping[str, Any], outer: frozenset[str] = frozenset()
) -> Iterator[tuple[str, str]]:
    """Yield (state, message) where a flow assigns a name of an outer flow.

    A name counts as outer only if it is assigned on some way to the Parallel or Map: one that is
    first assigned after it is free (measured, sfnx). A distributed Map sees none.
    """
    states = flow["States"]
    before = _assigned_before(states)
    for name, state in states.items():
        for variable in assigned(state) & outer:
            yield name, f"the variable {variable} is assigned outside of this flow already"
        inner = outer | before[name]
        for branch in state.get("Branches", []):
            yield from scope_faults(branch, inner)
        body = state.get("ItemProcessor")
        if body is not None:
            mode = body.get("ProcessorConfig", {}).get("Mode")
            yield from scope_faults(body, frozenset() if mode == "DISTRIBUTED" else inner)


def assigned(state: Mapping[str, Any]) -> frozenset[str]:
    """Return the names a state may assign, its rules and catchers included."""
    sources = (state, *state.get("Choices", []), *state.get("Catch", []))
    return frozenset(name for source in sources for name in source.get("Assign", {}))


def _assigned_before(states: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """For each state, the names assigned on some way from the start to it."""
    before: dict[str, frozenset[str]] = {name: frozenset() for name in states}
    ahead = list(states)
    while ahead:
        name = ahead.pop()
        state = states[name]
        after = before[name] | assigned(state)
        for target in targets(state):
            if target in before and not after <= before[target]:
                before[target] |= after
                ahead.append(target)
    return before


def targets(state: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of the states that may come next."""
    for source in (state, *state.get("Choices", []), *state.get("Catch", [])):
        yield from (source[key] for key in ("Next", "Default") if key in source)
