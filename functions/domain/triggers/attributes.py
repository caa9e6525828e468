"""DynamoDB's values as plain JSON, and back.

https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from protocol.payloads import Json

_SAFE = 2**53
"""Whole numbers up to here keep all their digits in a state machine."""


def plain_item(item: Json) -> Json:
    """Return an item as plain JSON, None for none; raises ValueError for what is no item."""
    if item is None:
        return None
    if isinstance(item, dict):
        return {name: plain(value) for name, value in item.items()}
    raise ValueError("an item is no object")


def plain(value: Json) -> Json:
    """Return one value as plain JSON; raises ValueError for what is none.

    Sets are lists, binary values their base64. A number that would lose digits is text.
    """
    if not isinstance(value, dict) or len(value) != 1:
        raise ValueError("a value has no type")
    [(kind, inner)] = value.items()
    match kind, inner:
        case (("S" | "B" | "BOOL"), (str() | bool())):
            return inner
        case "N", str():
            return _number(inner)
        case "NULL", _:
            return None
        case "M", dict():
            return plain_item(inner)
        case "L", list():
            return [plain(item) for item in inner]
        case (("SS" | "BS"), list()):
            return inner
        case "NS", list():
            return [_number(str(item)) for item in inner]
        case _:
            raise ValueError(f"no value is of the type {kind[:20]!r}")


def _number(text: str) -> Json:
    try:
        exact = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"no number: {text[:60]!r}") from None
    if exact == exact.to_integral_value():
        return int(exact) if abs(exact) <= _SAFE else text
    rounded = float(exact)
    return rounded if Decimal(repr(rounded)) == exact else text


def typed_item(item: Mapping[str, Json]) -> dict[str, Json]:
    """Return plain JSON as an item of DynamoDB."""
    return {name: typed(value) for name, value in item.items()}


def typed(value: Json) -> dict[str, Json]:
    """Return plain JSON as a value of DynamoDB."""
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case str():
            return {"S": value}
        case int() | float():
            return {"N": repr(value)}
        case list():
            return {"L": [typed(item) for item in value]}
        case dict():
            return {"M": typed_item(value)}
