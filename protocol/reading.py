"""JSON text from outside, read to values that every store and every state machine can hold."""

from __future__ import annotations

import json
import math

from protocol.payloads import Json

_LONGEST = 300
"""Digits of a whole number up to which it is certain to be one of a machine's floats."""


class TooDeep(ValueError):
    """Objects and lists are nested deeper than anybody means, or than can be read."""


def read_json(text: str) -> Json:
    """Return the value of JSON text.

    Raises ValueError, which says what is wrong: JSONDecodeError with its place for what is no
    JSON; and for NaN, infinities, numbers beyond all floats and nesting without end, which
    Python's reader takes or fails at.
    """
    try:
        value: Json = json.loads(
            text, parse_constant=_no_number, parse_float=_fraction, parse_int=_whole
        )
    except RecursionError:
        raise TooDeep("it is nested too deeply") from None
    return value


def _no_number(word: str) -> Json:
    raise ValueError(f"{word} is no number of JSON")


def _fraction(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{_short(digits)} is too large a number")
    return number


def _whole(digits: str) -> int:
    if len(digits) > _LONGEST:
        _fraction(digits)
    return int(digits)


def _short(digits: str) -> str:
    return digits if len(digits) <= 20 else f"{digits[:20]}..."
