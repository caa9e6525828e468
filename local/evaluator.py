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
from functools import lru_cache
from typing import TypeAlias

from jsonata import Jsonata
from jsonata import jsonata as implementation
from jsonata.functions import Functions
from jsonata.jexception import JException
from jsonata.utils import Utils

from protocol.payloads import Json

Value: TypeAlias = object
"""A value inside an evaluation: JSON, jsonata's null, its sequences, a function."""

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
        bindings = _bindings(expression, variables, states, now)
        value = _parsed(expression).evaluate(None, bindings)
    except (JException, ArithmeticError, LookupError, TypeError, ValueError) as error:
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


@lru_cache(maxsize=4096)
def _parsed(expression: str) -> Jsonata:
    parsed = Jsonata(expression)
    parsed.set_validate_input(False)
    parsed.set_output_convert_nulls(False)
    return parsed


def _bindings(
    expression: str, variables: Mapping[str, Json], states: Mapping[str, Json], now: datetime
) -> dict[str, Value]:
    """Return what the expression can see; values are bound, never written into its text."""
    bound: dict[str, Value] = {"eval": _function(_no_eval)}
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


def _not_a_function(*_said: str) -> None:
    """Fail where jsonata-python would print that what is called is no function, and go on."""
    raise JException("T1006", -1)


setattr(implementation, "print", _not_a_function)  # noqa: B010 (a name it does not have)


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
    text = data if isinstance(data, str) else json.dumps(data)
    return hashlib.new(_HASHES[algorithm], text.encode(), usedforsecurity=False).hexdigest()


def _random(seed: Value = None) -> Value:
    return random.Random(seed).random() if isinstance(seed, int | float) else random.random()  # noqa: S311


def _parse(text: Value) -> Value:
    if text is None:
        return None
    if not isinstance(text, str):
        raise TypeError("$parse takes a text")
    parsed: Json = json.loads(text)
    return _bindable(parsed)


def _uuid() -> Value:
    return str(uuid.uuid4())


_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "partition": _partition,
    "range": _range,
    "hash": _hash,
    "random": _random,
    "uuid": _uuid,
    "parse": _parse,
}
