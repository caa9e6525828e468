"""Inputs of a run from the command line, held against the workflow's contract."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from cli.values import ValuesProblem, values_in
from functions.domain.inputs import checked, clause
from protocol.payloads import Json
from protocol.reading import read_json

_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}


_WRITTEN = {
    "integer": "digits, such as 3",
    "number": "digits, such as 2.5",
    "boolean": "true or false",
    "object": """JSON, such as '{"name": "value"}'""",
    "array": """JSON, such as '["first", "second"]'""",
}
"""How a value is written on the command line, by its type."""
_SHOWN = 60
"""Characters of a value that a message shows."""


class InputProblem(Exception):
    """Inputs that the workflow does not take; every problem is a line of the text."""


def read_inputs(
    pairs: Sequence[str],
    file: Path | None,
    contract: Mapping[str, Json] | None,
    event: Mapping[str, Json] | None = None,
) -> dict[str, Json]:
    """Return the inputs of a run, defaults filled in.

    `pairs` are `name=value`, text unless the contract says otherwise; they win over the file's,
    and these over what an event gives.
    Raises InputProblem with all that is wrong.
    """
    properties = _properties(contract)
    given = {**(event or {}), **(_from_file(file) if file is not None else {})}
    problems: list[str] = []
    unread: set[str] = set()
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            problems.append(f"--input {pair}: write NAME=VALUE")
            continue
        given[name], problem = _value(name, text, properties.get(name, {}))
        if problem is not None:
            unread.add(name)
            problems.append(problem)
    inputs = {n: s["default"] for n, s in properties.items() if "default" in s} | given
    if contract is not None:
        readable = {name: value for name, value in inputs.items() if name not in unread}
        told = _held_against(readable, properties)
        problems += [*_missing(inputs, _required(contract)), *told.values()]
        # Of the others what a stage would say: patterns, bounds, what lies deeper.
        schema: dict[str, Json] = {**contract, "required": []}
        right = {name: value for name, value in readable.items() if name not in told}
        problems += _in_full(schema, right)
    if problems:
        raise InputProblem("\n".join(problems))
    return inputs


def _properties(contract: Mapping[str, Json] | None) -> dict[str, dict[str, Json]]:
    found = (contract or {}).get("properties")
    entries = found.items() if isinstance(found, dict) else ()
    return {name: schema for name, schema in entries if isinstance(schema, dict)}


def _required(contract: Mapping[str, Json]) -> list[str]:
    required = contract.get("required")
    return [str(name) for name in required] if isinstance(required, list) else []


def _from_file(file: Path) -> dict[str, Json]:
    try:
        parsed = values_in(file)
    except ValuesProblem as problem:
        raise InputProblem(f"--inputs: {problem}") from None
    if not isinstance(parsed, dict):
        raise InputProblem(f"--inputs {file}: write names with values")
    return parsed


def _value(name: str, text: str, schema: Mapping[str, Json]) -> tuple[Json, str | None]:
    """Return the value that a text on the command line stands for, and what is wrong with it."""
    kind = schema.get("type", "string")
    if kind == "string" or not isinstance(kind, str):
        return text, None
    try:
        return read_json(text), None
    except ValueError:
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        how = _WRITTEN.get(kind, "JSON")
        return text, f"input '{name}': '{shown}' is no {kind}; write {how}"


def _missing(inputs: Mapping[str, Json], required: list[str]) -> list[str]:
    return [
        f"input '{name}' is missing: --input {name}=..." for name in required if name not in inputs
    ]


def _held_against(
    inputs: Mapping[str, Json], properties: Mapping[str, Mapping[str, Json]]
) -> dict[str, str]:
    """Return what is wrong at first sight, by the input's name."""
    problems = {}
    for name, value in inputs.items():
        if name not in properties:
            near = difflib.get_close_matches(name, properties, 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            problems[name] = f"the workflow has no input '{name}'{hint}"
        elif (misfit := _misfit(name, value, properties[name])) is not None:
            problems[name] = misfit
    return problems


def _in_full(contract: Mapping[str, Json], inputs: Mapping[str, Json]) -> list[str]:
    return [
        f"{_place(one['pointer'])} {clause(one['detail'])}"
        for one in checked(contract, inputs).problems
    ]


def _place(pointer: str) -> str:
    """Return how a JSON pointer into the inputs is told (RFC 6901)."""
    if not pointer:
        return "what is given"
    return f"input '{pointer[1:].replace('~1', '/').replace('~0', '~')}'"


def _misfit(name: str, value: Json, schema: Mapping[str, Json]) -> str | None:
    kind = schema.get("type")
    fits = _KINDS.get(kind) if isinstance(kind, str) else None
    wrong_kind = fits and (
        not isinstance(value, fits) or (isinstance(value, bool) and bool not in fits)
    )
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        wrong_kind = False  # 2.0 is one to JSON Schema, and so to a stage
    if wrong_kind:
        return f"input '{name}' must be of type {kind}, not {json.dumps(value)}"
    allowed = schema.get("enum")
    if isinstance(allowed, list) and value not in allowed:
        options = ", ".join(str(option) for option in allowed)
        return f"input '{name}' must be one of {options}, not {json.dumps(value)}"
    return None
