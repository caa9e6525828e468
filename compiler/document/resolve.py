"""What a plain scalar means: the YAML 1.2 core schema, with two departures.

A number with a leading zero (`0755`, an account id `012345670001`) stays text, where the schema
would drop the zero; infinity and NaN are refused, since JSON has neither.
Schema: https://yaml.org/spec/1.2.2/#103-core-schema
"""

from __future__ import annotations

import math
import re
from typing import Final

_WORDS: Final[dict[str, bool | None]] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_NUMBER = re.compile(
    r"""
    (?P<int>[-+]?(?:0|[1-9][0-9]*))
  | (?P<other>0o[0-7]+|0x[0-9a-fA-F]+)
  | (?P<float>[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)
  | (?P<infinite>[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))
    """,
    re.VERBOSE,
)
# A plain scalar that starts with any other character is text.
MAY_RESOLVE: Final = frozenset("0123456789+-.~nNtTfF")
# JSON numbers are doubles for the service: more digits than this can only be infinity.
_MAX_DIGITS: Final = 309


class NotFinite(ValueError):
    """The scalar is a number that JSON cannot write."""


def resolve(text: str) -> None | bool | int | float | str:
    """Return the value of a plain scalar.

    Raises:
        NotFinite: for `.inf`, `.nan` and numbers too large for a double.
    """
    if text in _WORDS:
        return _WORDS[text]
    match = _NUMBER.fullmatch(text)
    if match is None:
        return text
    if match["int"]:
        return _finite_int(text, 10)
    if match["other"]:
        return _finite_int(text[2:], 8 if text[1] == "o" else 16)
    value = math.inf if match["infinite"] else float(text)
    if math.isinf(value):
        raise NotFinite(text)
    return value


def _finite_int(digits: str, base: int) -> int:
    if len(digits) > _MAX_DIGITS:
        raise NotFinite(digits)
    value = int(digits, base)
    try:
        float(value)
    except OverflowError:
        raise NotFinite(digits) from None
    return value
