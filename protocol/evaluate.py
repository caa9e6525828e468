"""The language's expressions, evaluated on JSON: where no state machine does it.

An expression comes in its portable form (`compiler.expressions.portable`), plain JSON: null,
booleans, numbers and texts stand for themselves, a list is an operation:

* `["ref", root, key, ...]`: a context and what is read from it; a key is a text, an integer or
  an operation;
* `["index", base, key]`, `["not", x]`, and `[op, a, b]` for `== != < <= > >= && ||`;
* `["call", name, argument, ...]`; `["text", part, ...]`: the parts joined as text;
* `["list", item, ...]`, `["record", key, value, ...]`.

Nothing here fails on any value: a mismatch gives false or null, and what is missing is null.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TypeAlias

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"
Values: TypeAlias = Mapping[str, Json]
Statuses: TypeAlias = Mapping[str, bool]

NO_STATUSES: Statuses = {"success": True, "failure": False, "always": True, "cancelled": False}
"""What the status functions give where no step ran before."""

_DEEPEST_JSON = 60
_MOST_DIGITS = 100


def evaluate(expression: Json, values: Values, statuses: Statuses = NO_STATUSES) -> Json:
    """Return the value of a portable expression over the contexts in `values`.

    Raises ValueError for an operation that does not exist.
    """
    if not isinstance(expression, list):
        return expression
    op, *rest = expression or [None]
    if op == "ref" and rest and isinstance(rest[0], str):
        here = values.get(rest[0])
        for key in rest[1:]:
            here = item_of(here, evaluate(key, values, statuses))
        return here
    if op in ("&&", "||") and len(rest) == 2:
        value = evaluate(rest[0], values, statuses)
        return evaluate(rest[1], values, statuses) if is_true(value) is (op == "&&") else value
    if op == "call" and rest and isinstance(rest[0], str):
        return _call(rest[0], [evaluate(arg, values, statuses) for arg in rest[1:]], statuses)
    return _operation(op, [evaluate(operand, values, statuses) for operand in rest])


def _operation(op: Json, operands: list[Json]) -> Json:
    match op, operands:
        case "index", [base, key]:
            return item_of(base, key)
        case "not", [operand]:
            return not is_true(operand)
        case (("==" | "!="), [left, right]):
            return same(left, right) is (op == "==")
        case (("<" | "<=" | ">" | ">="), [left, right]):
            return _in_order(str(op), left, right)
        case "text", parts:
            return "".join(map(text_of, parts))
        case "list", items:
            return items
        case "record", pairs:
            return {str(key): value for key, value in zip(pairs[::2], pairs[1::2], strict=True)}
        case _:
            raise ValueError(f"no such operation: {op!r}")


def _call(name: str, args: list[Json], statuses: Statuses) -> Json:
    if name in statuses:
        return statuses[name]
    if name not in _FUNCTIONS:
        raise ValueError(f"no such function: {name!r}")
    return _FUNCTIONS[name](args)


def holds(condition: Json, values: Values, statuses: Statuses = NO_STATUSES) -> bool:
    """Return whether a condition holds: its last value counts as true and is not 'false'."""
    value = evaluate(condition, values, statuses)
    return is_true(value) and value != "false"


def is_true(value: Json) -> bool:
    """Return whether a value counts as true: all do but null, false, 0 and ''."""
    if isinstance(value, list | dict):
        return True
    return bool(value)


def same(a: Json, b: Json) -> bool:
    """Return whether two values are of the same type and equal."""
    if _is_number(a) and _is_number(b):
        return a == b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return type(a) is type(b) and a == b


def item_of(base: Json, key: Json) -> Json:
    """Return what `base` holds under a name or a place counted from 0; null if nothing."""
    if isinstance(base, dict) and isinstance(key, str):
        return base.get(key)
    if isinstance(base, list) and isinstance(key, int | float) and not isinstance(key, bool):
        place = int(key) if key == key // 1 else -1
        return base[place] if 0 <= place < len(base) else None
    return None


def text_of(value: Json) -> str:
    """Return a value as it stands inside text: null is empty, objects and lists are JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json_text(value)


def json_text(value: Json) -> str:
    """Return compact JSON; numbers have 15 digits at most, as in a state machine."""
    match value:
        case None | bool() | str():
            return json.dumps(value, ensure_ascii=False)
        case list():
            return f"[{','.join(map(json_text, value))}]"
        case dict():
            items = (f"{json_text(key)}:{json_text(item)}" for key, item in value.items())
            return f"{{{','.join(items)}}}"
        case _:
            return _number_text(value)


def _number_text(value: float) -> str:
    if isinstance(value, int) and abs(value) < 10**15:
        return str(value)
    sign = "-" if value < 0 else ""
    digits, _, exponent = f"{abs(float(value)):.14e}".partition("e")
    digits = digits.replace(".", "").rstrip("0") or "0"
    power = int(exponent) + 1
    if digits == "0":
        return "0"
    if -6 < power <= 0:
        return f"{sign}0.{'0' * -power}{digits}"
    if 0 < power <= 21:
        whole, fraction = digits[:power].ljust(power, "0"), digits[power:]
        return f"{sign}{whole}.{fraction}" if fraction else sign + whole
    mantissa = f"{digits[0]}.{digits[1:]}" if len(digits) > 1 else digits
    return f"{sign}{mantissa}e{power - 1:+d}"


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _utf16(text: str) -> bytes:
    """Return the key by which texts are ordered, in a state machine too: UTF-16 units."""
    return text.encode("utf-16-be", "surrogatepass")


def _in_order(op: str, a: Json, b: Json) -> bool:
    if isinstance(a, str) and isinstance(b, str):
        difference = (_utf16(a) > _utf16(b)) - (_utf16(a) < _utf16(b))
    elif isinstance(a, bool) or isinstance(b, bool):
        return False
    elif isinstance(a, int | float) and isinstance(b, int | float):
        difference = (a > b) - (a < b)
    else:
        return False
    if op == "<":
        return difference < 0
    if op == ">":
        return difference > 0
    return difference <= 0 if op == "<=" else difference >= 0


def _contains(args: list[Json]) -> Json:
    inside, wanted = args
    if isinstance(inside, list):
        return any(same(item, wanted) for item in inside)
    return isinstance(inside, str) and isinstance(wanted, str) and wanted in inside


def _starts_with(args: list[Json]) -> Json:
    text, start = args
    return isinstance(text, str) and isinstance(start, str) and text.startswith(start)


def _ends_with(args: list[Json]) -> Json:
    text, end = args
    return isinstance(text, str) and isinstance(end, str) and text.endswith(end)


def _format(args: list[Json]) -> Json:
    pattern, *values = args
    if not isinstance(pattern, str):
        return None
    text = ""
    position = 0
    while position < len(pattern):
        if pattern[position : position + 2] in ("{{", "}}"):
            text += pattern[position]
            position += 2
        elif pattern[position] == "{":
            end = pattern.find("}", position)
            text += text_of(values[int(pattern[position + 1 : end])])
            position = end + 1
        else:
            text += pattern[position]
            position += 1
    return text


def _join(args: list[Json]) -> Json:
    items, separator = args[0], args[1] if len(args) > 1 else ","
    if not isinstance(items, list) or not isinstance(separator, str):
        return None
    return separator.join(map(text_of, items))


def _to_json(args: list[Json]) -> Json:
    return json_text(args[0])


def _from_json(args: list[Json]) -> Json:
    text = args[0]
    if not isinstance(text, str):
        return None
    try:
        value: Json = json.loads(
            text, parse_int=_whole, parse_float=_fraction, parse_constant=_refuse
        )
    except (ValueError, RecursionError):
        return None
    return value if _depth(value) <= _DEEPEST_JSON else None


def _whole(digits: str) -> float:
    if len(digits.lstrip("-")) > _MOST_DIGITS:
        raise ValueError(digits)
    value = int(digits)
    if abs(value) <= 2**53:
        return value
    # A state machine has 64-bit floats only, and writes as few digits as tell them apart.
    rounded = float(value)
    return int(Decimal(repr(rounded))) if abs(rounded) < 1e21 else rounded


def _fraction(digits: str) -> float:
    mantissa, _, exponent = digits.lower().partition("e")
    if len(mantissa.partition(".")[0].lstrip("-")) > _MOST_DIGITS:
        raise ValueError(digits)
    if len(exponent.lstrip("+-")) > 2:
        raise ValueError(digits)
    return float(digits)


def _refuse(word: str) -> Json:
    raise ValueError(word)


def _depth(value: Json) -> int:
    """Return how many lists and objects are nested; iterative, as the text is not ours."""
    deepest = 0
    stack: list[tuple[Json, int]] = [(value, 0)]
    while stack:
        here, depth = stack.pop()
        if isinstance(here, dict):
            stack.extend((item, depth + 1) for item in here.values())
        elif isinstance(here, list):
            stack.extend((item, depth + 1) for item in here)
        deepest = max(deepest, depth + isinstance(here, dict | list))
    return deepest


def _length(args: list[Json]) -> Json:
    value = args[0]
    return len(value) if isinstance(value, str | list | dict) else None


def _keys(args: list[Json]) -> Json:
    value = args[0]
    if not isinstance(value, dict):
        return None
    names: list[Json] = [*sorted(value, key=_utf16)]
    return names


def _coalesce(args: list[Json]) -> Json:
    return next((value for value in args if value is not None), None)


_FUNCTIONS: dict[str, Callable[[list[Json]], Json]] = {
    "contains": _contains,
    "startsWith": _starts_with,
    "endsWith": _ends_with,
    "format": _format,
    "join": _join,
    "toJSON": _to_json,
    "fromJSON": _from_json,
    "length": _length,
    "keys": _keys,
    "coalesce": _coalesce,
}
