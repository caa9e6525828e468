"""JSONata as Step Functions has it: parsing once, evaluating with real variables.

Facts from the AWS measurements collected in sfnx's design notes: JSONata 2.0.6 without `$eval`,
`??` and `?:`, with `$partition $range $hash $random $uuid $parse`; undefined is an error.
Not as on AWS: `1/0` fails (there: "Infinity"), and no evaluation ends after a second.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from jsonata import Jsonata
from jsonata.parser import Parser

from tests.asl_player.functions import own_functions
from tests.asl_player.values import NotJson, Value, from_query, to_value

_HASHES = {"MD5", "SHA-1", "SHA-256", "SHA-384", "SHA-512"}


class BadExpression(Exception):
    """An expression that does not parse on AWS."""


class QueryError(Exception):
    """An expression that fails when it is evaluated."""


def is_expression(value: object) -> bool:
    """Say whether a string of a definition is an expression."""
    return isinstance(value, str) and value.startswith("{%") and value.endswith("%}")


class _StrictParser(threading.local):
    """The library's parser without the operators that AWS rejects; one per thread."""

    def __init__(self) -> None:
        self.parser = Parser()
        for operator in ("??", "?:"):
            del self.parser.symbol_table[operator]


_STRICT = _StrictParser()
_BLANK = Jsonata("null")


@lru_cache(maxsize=1024)
def parse(text: str) -> Jsonata:
    """Parse the inside of `{% ... %}`; raises `BadExpression`.

    The result is safe to evaluate again and again, also from within an evaluation: evaluating
    leaves a syntax tree as it is.
    """
    parsed = copy.copy(_BLANK)
    try:
        parsed.ast = _STRICT.parser.parse(text)
    except KeyError as error:
        raise BadExpression(f"{error.args[0]} is no operator here") from None
    except Exception as error:  # noqa: BLE001 - the library raises what Python does on odd input
        raise BadExpression(str(error)) from None
    if parsed.ast.errors:
        raise BadExpression(str(parsed.ast.errors[0]))
    return parsed


class Evaluator:
    """Evaluates expressions; `$random` and `$uuid` come from a seed, the time is given."""

    def __init__(self, seed: int = 0) -> None:
        self._library = Jsonata.Frame(None)
        self._library.bindings = {
            name: function
            for name, function in Jsonata.static_frame.bindings.items()
            if name != "eval"
        }
        for name, function in own_functions(seed).items():
            self._library.bindings[name] = Jsonata.JLambda(function)

    def evaluate(
        self, parsed: Jsonata, variables: Mapping[str, Value], states: Value, now: float
    ) -> Value:
        """Evaluate with `$states` and the variables bound; raises `QueryError`.

        `now` is the time in seconds since 1970 for `$now` and `$millis`.
        """
        frame = Jsonata.Frame(self._library)
        frame.bindings = {
            **variables,
            "states": states,
            "__evaluate_entry": None,  # spares the library a walk up the frames per node
            "__evaluate_exit": None,
        }
        parsed.timestamp = round(now * 1000)
        Jsonata.CURRENT.jsonata = parsed  # the library keeps the one being evaluated per thread
        try:
            result = parsed.eval(parsed.ast, None, frame)
        except Exception as error:  # noqa: BLE001 - type errors surface as Python's own as well
            raise QueryError(str(error) or type(error).__name__) from None
        if result is None:
            raise QueryError("the expression returned nothing (undefined)")
        try:
            return from_query(result)
        except NotJson as error:
            raise QueryError(str(error)) from None


class Template:
    """A field of a definition with its expressions compiled; `None` fields are no template."""

    __slots__ = ("_constant", "_items", "_keys", "_query")

    def __init__(self, source: Any) -> None:
        self._constant: Value = None
        self._query: Jsonata | None = None
        self._keys: list[str] | None = None
        self._items: list[Template] = []
        if is_expression(source):
            self._query = parse(source[2:-2].strip())
        elif isinstance(source, dict) and _has_expression(source):
            self._keys = list(source)
            self._items = [Template(item) for item in source.values()]
        elif isinstance(source, list) and _has_expression(source):
            self._items = [Template(item) for item in source]
        else:
            self._constant = to_value(source)

    def evaluate(self, run: Callable[[Jsonata, str], Value], field: str) -> Value:
        """Evaluate every expression with `run(expression, field)`, which names the place."""
        if self._constant is not None:
            return self._constant
        if self._query is not None:
            return run(self._query, field)
        if self._keys is None:
            return [item.evaluate(run, f"{field}[{i}]") for i, item in enumerate(self._items)]
        return {
            key: item.evaluate(run, f"{field}.{key}")
            for key, item in zip(self._keys, self._items, strict=True)
        }


def _has_expression(source: Any) -> bool:
    if isinstance(source, dict):
        return any(_has_expression(item) for item in source.values())
    if isinstance(source, list):
        return any(_has_expression(item) for item in source)
    return is_expression(source)
