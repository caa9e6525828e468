"""The first state of a for_each body: it reads the item, and keeps it for the states behind it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from compiler.asl.bodies import ordered
from compiler.asl.context import Item, State, States
from compiler.document.nodes import Json
from compiler.plan.bounds import branches_of, states_of, ways

_GIVEN = {"item": "{% $states.input.item %}", "index": "{% $states.input.index %}"}
"""What an iteration gets as its input, see the Map's ItemSelector."""
_TEXT_OR_VARIABLE = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\$\w+""", re.DOTALL)
"""A text of an expression, which is left alone, or a variable."""


def entered(begin: str, start: str, states: States, item: Item) -> tuple[str, States]:
    """Return the start and the states of a body whose states name the item by its variables.

    The first state takes the item from its input instead, and assigns the variables that others
    name. It cannot where it is come to again, nor where it has states inside that do not have its
    input, or several that do. A state `begin` before it assigns them then.
    """
    first = states[start]
    kept = {item.item: _GIVEN["item"], item.index: _GIVEN["index"]}
    text = json.dumps([state for name, state in states.items() if name != start])
    named = {
        variable.removeprefix("$"): given
        for variable, given in kept.items()
        if re.search(rf"{re.escape(variable)}\b", text)
    }
    is_once = not any(start in ways(state) for state in states.values())
    if is_once and first["Type"] not in ("Parallel", "Map"):
        return start, {**states, start: _keeping(_read(first, kept), named)}
    branches = branches_of(first)
    if is_once and len(branches) == 1 and not named:  # whose input is that of the Parallel
        inner, at = states_of(branches[0]), str(branches[0]["StartAt"])
        at, inner = entered(begin, at, inner, item)
        branch: Json = {"StartAt": at, "States": {**inner}}
        return start, {**states, start: {**first, "Branches": [branch]}}
    assign: Json = {variable.removeprefix("$"): given for variable, given in kept.items()}
    return begin, {begin: {"Type": "Pass", "Assign": assign, "Next": start}} | states


def _keeping(state: Json, named: Mapping[str, Json]) -> State:
    """Return a state that assigns variables on each way out of it."""
    assert isinstance(state, dict)
    for place in _left(state) if named else ():
        assigned, following = place.pop("Assign", {}), place.pop("Next", None)
        assert isinstance(assigned, dict)
        place["Assign"] = {**named, **assigned}
        if following is not None:
            place["Next"] = following
    return ordered(state)


def _read(value: Json, kept: Mapping[str, str]) -> Json:
    """Return a copy of a field in which expressions read the input in place of variables."""
    match value:
        case str() if value.startswith("{%"):
            return _TEXT_OR_VARIABLE.sub(
                lambda found: kept[found[0]][3:-3] if found[0] in kept else found[0], value
            )
        case list():
            return [_read(one, kept) for one in value]
        case dict():
            return {key: _read(one, kept) for key, one in value.items()}
        case _:
            pass
    return value


def _left(state: State) -> Iterator[State]:
    """Yield the places of a state that may assign variables, one for each way out of it."""
    if "Next" in state or "Default" in state:
        yield state
    for key in ("Choices", "Catch"):
        listed = state.get(key)
        for one in listed if isinstance(listed, list) else ():
            assert isinstance(one, dict)
            yield one
