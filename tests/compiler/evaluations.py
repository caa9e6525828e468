"""What the player evaluates, written down: each expression with its variables and its value."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from jsonata import Jsonata

from tests.asl_player import query
from tests.asl_player.values import Value, to_json


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An expression that gave a value. `variables` are those it names, and `states`."""

    code: str
    variables: dict[str, Any]
    value: Any


@contextmanager
def recorded() -> Iterator[list[Evaluation]]:
    """Collect the evaluations made inside the block, each kind once.

    The player keeps parsed expressions only; their text is found again by the syntax tree, of
    which `query.parse` makes one a text.
    """
    found: dict[str, Evaluation] = {}
    texts: dict[int, str] = {}
    listed: list[Evaluation] = []
    evaluate, parse = query.Evaluator.evaluate, query.parse

    def noted(
        self: query.Evaluator,
        parsed: Jsonata,
        variables: Mapping[str, Value],
        states: Value,
        now: float,
    ) -> Value:
        value = evaluate(self, parsed, variables, states, now)
        code = texts.get(id(parsed.ast))
        if code is not None:
            named = {name: to_json(v) for name, v in variables.items() if f"${name}" in code}
            one = Evaluation(code, {**named, "states": to_json(states)}, to_json(value))
            if found.setdefault(json.dumps([code, one.variables]), one) is one:
                listed.append(one)
        return value

    query.Evaluator.evaluate = noted  # type: ignore[method-assign]
    del parse
    try:
        yield listed
    finally:
        query.Evaluator.evaluate = evaluate  # type: ignore[method-assign]
