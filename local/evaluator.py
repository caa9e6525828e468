"""JSONata as Step Functions evaluates it: a fixed time, its own functions, undefined fails.

Language and functions: https://docs.aws.amazon.com/step-functions/latest/dg/transforming-data.html
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import re
import uuid
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import TypeAlias

from jsonata import Jsonata
from jsonata.functions import Functions
from jsonata.jexception import JException
from jsonata.utils import Utils

from local import jsonata_repairs
from local.parsing import BadExpression, parsed
from protocol.evaluate import json_text
from protocol.payloads import Json

jsonata_repairs.install()

Value: TypeAlias = object
"""A value inside an evaluation: JSON, jsonata's null, its sequences, a function."""

_chance = random.Random()  # noqa: S311 (no secrets)
_NAMES = re.compile(r"\$(\w+)")
_STATES = re.compile(r"\$states\b(?:\.(\w+))?")
_HASHES = {
    "MD5": "md5",
    "SHA-1": "sha1",
    "SHA-256": "sha256",
    "SHA-384": "sha384",
    "SHA-512": "sha512",
}


class EvaluationError(Exception):
    """An expression that fails, as `States.QueryEvaluationError` tells it."""


def evaluate(
    expression: str, variables: Mapping[str, Json], states: Mapping[str, Json], now: datetime
) -> Json:
    """Return the value of an expression (without its `{% %}`); raises EvaluationError.

    `states` are the fields of `$states` that there are at this place; a field that is not in
    it is undefined.
    """
    try:
        tree = parsed(expression)
        frame = Jsonata.Frame(tree.environment)
        frame.bindings = _bindings(expression, variables, states, now)
        Jsonata.CURRENT.jsonata = tree  # the library keeps the one being evaluated per thread
        value = tree.eval(tree.ast, None, frame)
    except (
        BadExpression,
        JException,
        ArithmeticError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        raise EvaluationError(
            f"The JSONata expression '{expression}' threw an error: {error}"
        ) from error
    except RecursionError as error:
        raise EvaluationError(
            f"The JSONata expression '{expression}' goes too deep to be evaluated"
        ) from error
    if value is None:
        raise EvaluationError(
            f"The JSONata expression '{expression}' returned nothing (undefined)."
        )
    return _plain(value, expression)


def _bindings(
    expression: str, variables: Mapping[str, Json], states: Mapping[str, Json], now: datetime
) -> dict[str, Value]:
    """Return what the expression can see; values are bound, never written into its text."""
    # The last two spare the library a walk up its frames at every node.
    bound: dict[str, Value] = {
        "eval": _function(_no_eval),
        "__evaluate_entry": None,
        "__evaluate_exit": None,
    }
    for name in set(_NAMES.findall(expression)):
        if name in variables:
            bound[name] = _bindable(variables[name])
        elif name in _FUNCTIONS:
            bound[name] = _function(_FUNCTIONS[name])
    fields = set(_STATES.findall(expression))
    if fields:
        wanted = states.keys() if "" in fields else fields & states.keys()
        bound["states"] = {field: _bindable(states[field]) for field in wanted}
    if "now" in expression or "millis" in expression:
        millis = int(now.timestamp() * 1000)
        bound.setdefault("millis", _function(lambda: millis))
        bound.setdefault("now", _function(lambda *args: _now(millis, *args)))
    return bound


def _function(python: Callable[..., Value]) -> Value:
    return Jsonata.JLambda(python)


def _bindable(value: Json) -> Value:
    """Return a copy in which null is jsonata's null (its None is undefined)."""
    if value is None:
        return Utils.NULL_VALUE
    if isinstance(value, dict):
        return {key: _bindable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_bindable(item) for item in value]
    return value


def _plain(value: Value, expression: str) -> Json:
    """Return a copy as plain JSON; raises EvaluationError for what is none."""
    if value is None or value is Utils.NULL_VALUE:
        return None
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, list):
        # By index: jsonata's ranges make their items only when asked for.
        return [_plain(value[i], expression) for i in range(len(value))]
    if isinstance(value, dict):
        return {str(key): _plain(item, expression) for key, item in value.items()}
    raise EvaluationError(
        f"The JSONata expression '{expression}' returned an unsupported result type."
    )


def _number(value: float) -> Json:
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return int(value) if value.is_integer() and abs(value) < 1e21 else value


def _no_eval(*_arguments: Value) -> Value:
    raise ValueError("the function $eval is not available; use $parse")


def _now(millis: int, picture: str | None = None, timezone: str | None = None) -> Value:
    text: Value = Functions.datetime_from_millis(millis, picture, timezone)
    return text


def _partition(array: Value, size: Value) -> Value:
    if array is None:
        return None
    items = array if isinstance(array, list) else [array]
    if not isinstance(size, int | float) or int(size) < 1:
        raise ValueError("$partition takes a size of 1 or more")
    step = int(size)
    starts = range(0, len(items), step)
    return [[items[i] for i in range(j, min(j + step, len(items)))] for j in starts]


def _range(first: Value, last: Value, step: Value) -> Value:
    numbers = [n for n in (first, last, step) if isinstance(n, int | float)]
    if len(numbers) != 3 or step == 0:
        raise ValueError("$range takes three numbers, the last of them not 0")
    start, stop, by = numbers
    count = int((stop - start) / by) + 1
    return [_number(float(start + i * by)) for i in range(max(count, 0))]


def _hash(data: Value, algorithm: Value) -> Value:
    if data is None or not isinstance(algorithm, str) or algorithm not in _HASHES:
        raise ValueError(f"$hash takes a value and one of {', '.join(_HASHES)}")
    text = data if isinstance(data, str) else json_text(_plain(data, "$hash"))
    return hashlib.new(_HASHES[algorithm], text.encode(), usedforsecurity=False).hexdigest()


def seed(number: int) -> None:
    """Let `$random()` and `$uuid()` give the same numbers in each run of the same seed."""
    _chance.seed(number)


def _random(seed: Value = None) -> Value:
    chance = random.Random(seed) if isinstance(seed, int | float) else _chance  # noqa: S311
    return chance.random()


def _parse(text: Value) -> Value:
    if text is None:
        return None
    if not isinstance(text, str):
        raise TypeError("$parse takes a text")
    value: Json = json.loads(text, parse_int=_double)
    return _bindable(value)


def _double(digits: str) -> float:
    """Return a whole number as the 64-bit float it is on AWS, written as short as it can be."""
    value = int(digits)
    if abs(value) <= 2**53:
        return value
    rounded = float(digits)
    return int(Decimal(repr(rounded))) if abs(rounded) < 1e21 else rounded


def _uuid() -> Value:
    return str(uuid.UUID(int=_chance.getrandbits(128), version=4))


_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "partition": _partition,
    "range": _range,
    "hash": _hash,
    "random": _random,
    "uuid": _uuid,
    "parse": _parse,
}
