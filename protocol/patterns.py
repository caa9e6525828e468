"""Event patterns of EventBridge: whether an event matches one.

https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html
https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from protocol.payloads import Json

OR = "$or"


def matches(pattern: Mapping[str, Json], event: Mapping[str, Json]) -> bool:
    """Return whether an event matches a pattern, which must be a right one.

    Of a list in the event one item has to match. Numbers are equal only if they are written
    alike: 300 is not 300.0.
    """
    for key, inner in pattern.items():
        if key == OR and is_alternatives(inner):
            if not any(isinstance(one, dict) and matches(one, event) for one in _list(inner)):
                return False
        elif isinstance(inner, dict):
            if not any(matches(inner, part) for part in _objects(event.get(key))):
                return False
        elif not _leaf(_list(inner), [*_leaves(event.get(key))] if key in event else []):
            return False
    return True


def is_alternatives(value: Json) -> bool:
    """Whether what stands under `$or` are patterns: a field may have that name, too."""
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def _objects(value: Json) -> list[Mapping[str, Json]]:
    """Return the objects that a nested pattern is held against; an empty one for none."""
    if isinstance(value, dict):
        return [value]
    found = [one for one in _list(value) if isinstance(one, dict)]
    return [*found] or [{}]


def _leaves(value: Json) -> Iterator[Json]:
    """Yield the scalars of a field; what holds objects has none."""
    if isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif not isinstance(value, dict):
        yield value


def _leaf(filters: list[Json], leaves: list[Json]) -> bool:
    for one in filters:
        if isinstance(one, dict):
            [(operator, operand)] = one.items()
            if operator == "exists":
                if bool(leaves) is operand:
                    return True
            elif any(_holds(operator, operand, leaf) for leaf in leaves):
                return True
        elif any(_is(one, leaf) for leaf in leaves):
            return True
    return False


def _is(wanted: Json, value: Json) -> bool:
    return type(wanted) is type(value) and wanted == value


def _holds(operator: str, operand: Json, value: Json) -> bool:
    match operator:
        case "anything-but":
            return not _excluded(operand, value)
        case "numeric":
            return _in_range(_list(operand), value)
        case "cidr":
            return _in_network(operand, value)
        case _:
            return isinstance(value, str) and _on_text(operator, operand, value)


def _excluded(operand: Json, value: Json) -> bool:
    if isinstance(operand, dict):
        [(operator, inner)] = operand.items()
        each = inner if isinstance(inner, list) else [inner]
        return isinstance(value, str) and any(_on_text(operator, one, value) for one in each)
    return any(_is(one, value) for one in (operand if isinstance(operand, list) else [operand]))


def _on_text(operator: str, operand: Json, value: str) -> bool:
    if isinstance(operand, dict):  # {"prefix": {"equals-ignore-case": "x"}}
        operand, value = str(operand["equals-ignore-case"]).lower(), value.lower()
    if not isinstance(operand, str):
        return False
    match operator:
        case "prefix":
            return value.startswith(operand)
        case "suffix":
            return value.endswith(operand)
        case "equals-ignore-case":
            return value.lower() == operand.lower()
        case "wildcard":
            return _wildcard(operand).fullmatch(value) is not None
        case _:
            return False


@lru_cache(maxsize=256)
def _wildcard(text: str) -> re.Pattern[str]:
    parts = re.findall(r"\\[*\\]|\*|[^*\\]+|\\", text)
    return re.compile("".join(".*" if p == "*" else re.escape(_bare(p)) for p in parts), re.DOTALL)


def _bare(part: str) -> str:
    return part[1] if part in (r"\*", "\\\\") else part


def _in_range(operand: list[Json], value: Json) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return all(
        isinstance(limit, int | float) and _COMPARE[str(sign)](value, limit)
        for sign, limit in zip(operand[::2], operand[1::2], strict=True)
    )


_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "=": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def _in_network(operand: Json, value: Json) -> bool:
    try:
        return ipaddress.ip_address(str(value)) in ipaddress.ip_network(str(operand), strict=False)
    except ValueError:
        return False


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
