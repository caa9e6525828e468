"""Parsing JSONata as Step Functions does: version 2.0.6, without `??`, `?:` and `$eval`.

Measured on AWS; language: https://docs.jsonata.org/overview
"""

from __future__ import annotations

import copy
import threading
from functools import lru_cache

from jsonata import Jsonata
from jsonata.parser import Parser

MARKS = ("{%", "%}")


class BadExpression(Exception):
    """An expression that does not parse; the text says why."""


def is_expression(value: object) -> bool:
    """Whether a value of a definition is an expression."""
    return isinstance(value, str) and value.startswith(MARKS[0]) and value.endswith(MARKS[1])


class _Strict(threading.local):
    """The library's parser without the operators that AWS does not have; one per thread."""

    def __init__(self) -> None:
        self.parser = Parser()
        for operator in ("??", "?:"):
            del self.parser.symbol_table[operator]


_strict = _Strict()
_blank = Jsonata("null")


@lru_cache(maxsize=8192)
def parsed(text: str) -> Jsonata:
    """Return what is inside of `{% %}`, parsed; raises BadExpression.

    Evaluating leaves it as it is, so it may be used again and again.
    """
    found = copy.copy(_blank)
    try:
        found.ast = _strict.parser.parse(text)
    except KeyError as error:
        raise BadExpression(f"{error.args[0]} is no operator here") from None
    except Exception as error:  # noqa: BLE001 (it raises what Python does on odd input)
        raise BadExpression(str(error)) from None
    if found.ast.errors:
        raise BadExpression(str(found.ast.errors[0]))
    found.set_validate_input(False)
    found.set_output_convert_nulls(False)
    return found
