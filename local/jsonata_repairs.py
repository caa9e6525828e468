"""What jsonata-python does otherwise than JSONata, put right from outside.

Texts of values, order of texts, sorting of equal ones, remainders and divisions by zero:
https://docs.jsonata.org/string-functions#string, https://docs.jsonata.org/sorting-grouping
"""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any

from jsonata import Jsonata
from jsonata import jsonata as implementation
from jsonata.functions import Functions
from jsonata.jexception import JException
from jsonata.parser import Parser
from jsonata.utils import Utils

from protocol.evaluate import json_text
from protocol.payloads import Json


def _to_json(value: object) -> Json:
    """Return a value inside an evaluation as JSON; functions are empty texts, as in JSONata."""
    if value is None or value is Utils.NULL_VALUE:
        return None
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list):
        return [_to_json(value[i]) for i in range(len(value))]
    if isinstance(value, dict):
        return {str(key): _to_json(item) for key, item in value.items()}
    return ""


def _string(arg: Any, prettify: bool) -> str:
    if isinstance(arg, Jsonata.JFunction | Parser.Symbol):
        return ""
    if isinstance(arg, float) and not math.isfinite(arg):
        raise JException("D3001", -1)
    value = _to_json(arg)
    if prettify:
        return json.dumps(value, ensure_ascii=False, indent=2)
    return json_text(value)


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")


def _compare(self: Any, lhs: Any, rhs: Any, op: str) -> Any:
    """Order texts by UTF-16 units, as JavaScript does."""
    if isinstance(lhs, str) and isinstance(rhs, str):
        return _original("compare")(self, _utf16(lhs).hex(), _utf16(rhs).hex(), op)
    return _original("compare")(self, lhs, rhs, op)


def _calculate(self: Any, lhs: Any, rhs: Any, op: str) -> Any:
    """Divide by zero, and leave remainders their fractions, as JavaScript does."""
    plain = Utils.is_numeric(lhs) and Utils.is_numeric(rhs)
    if not plain or op not in ("/", "%"):
        return _original("calculate")(self, lhs, rhs, op)
    one, other = float(lhs), float(rhs)
    if op == "%":
        return Utils.convert_number(math.fmod(one, other)) if other else math.nan
    if other:
        return Utils.convert_number(one / other)
    return math.copysign(math.inf, one) * math.copysign(1.0, other) if one else math.nan


def _order(self: Any, one: Any, other: Any) -> int:
    """Keep what compares equal in its order: the comparator only says what is greater."""
    found = Functions.func_apply(self._comparator, [one, other])
    if not isinstance(found, bool):
        return int(found)
    if found:
        return 1
    return -1 if Functions.func_apply(self._comparator, [other, one]) is True else 0


def _sort(arr: Any, comparator: Any) -> Any:
    if comparator is None and arr is not None and all(isinstance(item, str) for item in arr):
        return sorted(arr, key=_utf16)
    return _original("sort")(arr, comparator)


def _not_a_function(*_said: str) -> None:
    """Fail where the library would print that what is called is no function, and go on."""
    raise JException("T1006", -1)


_originals: dict[str, Any] = {}


def _original(name: str) -> Any:
    return _originals[name]


@cache
def install() -> None:
    """Put the repairs into the library, once per process."""
    _originals.update(
        compare=Jsonata.evaluate_comparison_expression,
        calculate=Jsonata.evaluate_numeric_expression,
        sort=Functions.sort,
    )
    put: Any = setattr
    put(Functions, "_string", staticmethod(_string))
    put(Functions, "sort", staticmethod(_sort))
    put(Functions.Comparator, "compare", _order)
    put(Jsonata, "evaluate_comparison_expression", _compare)
    put(Jsonata, "evaluate_numeric_expression", _calculate)
    put(implementation, "print", _not_a_function)  # a name it does not have
