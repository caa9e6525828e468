"""What is wrong with an event pattern, which EventBridge would refuse when it is deployed.

https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from pydantic import JsonValue

from compiler.document.nodes import Path
from protocol.patterns import OR, is_alternatives

Problem: TypeAlias = tuple[Path, str]
"""The path of a place in a pattern, and what is wrong there."""

_SIGNS = ("=", "<", "<=", ">", ">=")
_TEXTS = ("prefix", "suffix", "equals-ignore-case", "wildcard")
"""Operators on texts, which may also stand in `anything-but`."""


def problems(pattern: Mapping[str, JsonValue]) -> Iterator[Problem]:
    """Yield what is wrong with a pattern: the path of the place, and what has to stand there."""
    for key, inner in pattern.items():
        match inner:
            case list() if key == OR and is_alternatives(inner):
                yield from _alternatives(inner)
            case dict():
                if not inner:
                    yield (key,), "an empty mapping matches nothing"
                yield from _below((key,), problems(inner))
            case list():
                if not inner:
                    yield (key,), "an empty list matches nothing"
                wrong = ((number, _wrong_filter(one)) for number, one in enumerate(inner))
                yield from (((key, number), told) for number, told in wrong if told is not None)
            case _:
                yield (key,), "what is to match stands in a list"


def _alternatives(patterns: list[JsonValue]) -> Iterator[Problem]:
    if len(patterns) < 2:
        yield (OR,), "`$or` takes a list of two patterns or more"
    for number, one in enumerate(patterns):
        if isinstance(one, dict):
            yield from _below((OR, number), problems(one))


def _below(path: Path, found: Iterator[Problem]) -> Iterator[Problem]:
    return (((*path, *inner), told) for inner, told in found)


def _wrong_filter(one: JsonValue) -> str | None:
    if isinstance(one, list):
        return "a list in a list is no pattern"
    if not isinstance(one, dict):
        return None
    if len(one) != 1:
        return "an operator stands alone, such as {prefix: app-}"
    [(operator, operand)] = one.items()
    wrong = _OPERANDS.get(operator)
    if wrong is None:
        return f"'{operator}' is no operator; there are {', '.join(sorted(_OPERANDS))}"
    return wrong(operand)


def _wrong_text(operand: JsonValue) -> str | None:
    if isinstance(operand, dict):
        inner = operand.get("equals-ignore-case")
        return None if len(operand) == 1 and isinstance(inner, str) else "it takes a text"
    return None if isinstance(operand, str) else "it takes a text"


def _wrong_plain_text(operand: JsonValue) -> str | None:
    return None if isinstance(operand, str) else "it takes a text"


def _wrong_wildcard(operand: JsonValue) -> str | None:
    if not isinstance(operand, str):
        return "it takes a text"
    return "two `*` must not follow one another" if "**" in operand else None


def _wrong_anything_but(operand: JsonValue) -> str | None:
    if not isinstance(operand, dict):
        each = operand if isinstance(operand, list) else [operand]
        right = bool(each) and all(isinstance(one, str | int | float) for one in each)
        return None if right else "`anything-but` takes a text, a number or a list of them"
    if len(operand) != 1 or next(iter(operand)) not in _TEXTS:
        return f"`anything-but` takes one of {', '.join(_TEXTS)}"
    [inner] = operand.values()
    texts = inner if isinstance(inner, list) else [inner]
    return None if texts and all(isinstance(one, str) for one in texts) else "it takes a text"


def _wrong_numeric(operand: JsonValue) -> str | None:
    told = '`numeric` takes signs and numbers in turn, such as [">", 0, "<=", 5]'
    if not isinstance(operand, list) or len(operand) not in (2, 4):
        return told
    limits = operand[1::2]
    right = all(sign in _SIGNS for sign in operand[::2]) and all(
        isinstance(one, int | float) and not isinstance(one, bool) for one in limits
    )
    return None if right else told


def _wrong_exists(operand: JsonValue) -> str | None:
    return None if isinstance(operand, bool) else "`exists` takes true or false"


def _wrong_cidr(operand: JsonValue) -> str | None:
    try:
        ipaddress.ip_network(str(operand), strict=False)
    except ValueError:
        return "`cidr` takes a network, such as 10.0.0.0/24"
    return None


_OPERANDS: dict[str, Callable[[JsonValue], str | None]] = {
    "prefix": _wrong_text,
    "suffix": _wrong_text,
    "equals-ignore-case": _wrong_plain_text,
    "wildcard": _wrong_wildcard,
    "anything-but": _wrong_anything_but,
    "numeric": _wrong_numeric,
    "exists": _wrong_exists,
    "cidr": _wrong_cidr,
}
