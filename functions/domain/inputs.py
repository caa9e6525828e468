"""A run's inputs, held against the workflow's contract: defaults, and everything that is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypedDict

from functions.domain.formats import EXAMPLES, formats
from protocol.payloads import Json

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

_MOST_PROBLEMS = 50
_LONGEST = 300
_DEEPEST = 100
"""Objects and lists in each other; validating goes into all of them."""
_CALLED = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


class Problem(TypedDict):
    """Something wrong with inputs: `pointer` is a JSON pointer (RFC 6901) into them."""

    pointer: str
    detail: str


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong with inputs, at the end of a path of names and indices.

    `keyword` is what of the contract it is against (`pattern`, `required`), `wanted` its value.
    """

    path: tuple[str | int, ...]
    detail: str
    keyword: str
    wanted: Json


@dataclass(frozen=True, slots=True)
class Checked:
    """Inputs with the contract's defaults filled in, right if there are no `problems`."""

    values: dict[str, Json] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def asked_for(contract: Mapping[str, Json] | None, given: Mapping[str, Json]) -> dict[str, Json]:
    """Return what an event gives without what the contract does not know, and without nulls.

    Events say more than is asked. Without a contract all of it is taken.
    """
    if contract is None:
        return dict(given)
    known = _properties(contract)
    return {name: value for name, value in given.items() if name in known and value is not None}


def _properties(contract: Mapping[str, Json]) -> dict[str, Json]:
    found = contract.get("properties")
    return found if isinstance(found, dict) else {}


def checked(contract: Mapping[str, Json] | None, given: Mapping[str, Json]) -> Checked:
    """Return inputs as a run takes them, with all that is wrong with them.

    `contract` is a JSON Schema of an object, None where everything is taken.
    """
    if _depth(dict(given)) > _DEEPEST:
        return Checked({}, (_problem("", f"is nested more than {_DEEPEST} deep"),))
    if contract is None:
        return Checked(dict(given))
    known, values = _properties(contract), dict(given)
    for name, one in known.items():
        if isinstance(one, dict) and "default" in one:
            values.setdefault(name, one["default"])
    found = sorted(
        (_problem(_pointer(fault.path), fault.detail) for fault in faults(contract, values)),
        key=lambda problem: (problem["pointer"], problem["detail"]),
    )
    return Checked(values, tuple(found[:_MOST_PROBLEMS]))


def faults(contract: Mapping[str, Json], values: Mapping[str, Json]) -> Iterator[Fault]:
    """Yield all that is wrong with inputs whose defaults are filled in."""
    known = _properties(contract)
    for error in _validator(_text(contract)).iter_errors(values):
        yield from _told(error, known)


def clause(detail: str) -> str:
    """Return what is wrong as it follows the place; the library begins with the value."""
    return detail if detail.startswith(("must ", "is ")) else f"is not right: {detail}"


def _text(contract: Mapping[str, Json]) -> str:
    return json.dumps(contract, sort_keys=True)


@lru_cache(maxsize=64)
def _validator(contract: str) -> Validator:
    # Slow to import, and many workflows have no contract.
    from jsonschema import Draft202012Validator
    from referencing import Registry

    return Draft202012Validator(
        json.loads(contract),
        format_checker=formats(),
        registry=Registry(),  # so that no schema is ever fetched
    )


def _told(error: ValidationError, known: Mapping[str, Json]) -> Iterator[Fault]:
    """Yield what is wrong, each at the place it is about."""
    path = [*error.absolute_path]
    value, instance = _any(error.validator_value), _any(error.instance)

    def fault(detail: str, *more: str) -> Fault:
        return Fault((*path, *more), detail, str(error.validator), value)

    match error.validator:
        case "required":
            missing = [name for name in value if name not in instance]
            yield from (fault("is required", name) for name in missing)
        case "additionalProperties" if value is False:
            allowed = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
            names = ", ".join(sorted(allowed if path else known)) or "none"
            for name in instance:
                if name not in allowed:
                    yield fault(f"is no input; there are: {names}", name)
        case "type":
            wanted = value if isinstance(value, list) else [value]
            must = " or ".join(_CALLED.get(one, str(one)) for one in wanted)
            yield fault(f"must be {must}, and is {_kind(instance)}")
        case "enum":
            listed = ", ".join(json.dumps(one, ensure_ascii=False) for one in value)
            yield fault(f"must be one of {listed}")
        case "format":
            such = f" such as {EXAMPLES[value]}" if value in EXAMPLES else ""
            yield fault(f"must be of the format {value}{such}, and is {instance!r}")
        case _:
            yield fault(error.message)


def _any(value: Any) -> Any:
    """Return what the library does not say the type of; each validator knows its own."""
    return value


def _problem(pointer: str, detail: str) -> Problem:
    cut = detail if len(detail) <= _LONGEST else f"{detail[: _LONGEST - 3]}..."
    return {"pointer": pointer, "detail": cut}


def _pointer(path: Sequence[str | int]) -> str:
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)


def _kind(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return "text"
        case int() | float():
            return "a number"
        case list():
            return "a list"
        case dict():
            return "an object"


def _depth(value: Json) -> int:
    """Return how deep lists and objects are nested; iterative, as the value is not ours."""
    deepest = 0
    stack: list[tuple[Json, int]] = [(value, 1)]
    while stack:
        here, depth = stack.pop()
        inner = here.values() if isinstance(here, dict) else here if isinstance(here, list) else ()
        stack.extend((item, depth + 1) for item in inner if isinstance(item, dict | list))
        deepest = max(deepest, depth)
    return deepest
