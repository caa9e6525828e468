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
    """Collect the evaluations of machines that are compiled and played inside the block.

    The same expression with the same variables is listed once.
    """
    found: dict[str, Evaluation] = {}
    listed: list[Evaluation] = []
    texts: dict[int, str] = {}
    kept: list[Jsonata] = []  # so that no other gets its id
    evaluate, parse = query.Evaluator.evaluate, query.parse

    def reading(text: str) -> Jsonata:
        parsed = parse(text)
        texts[id(parsed)] = text
        kept.append(parsed)
        return parsed

    def noting(
        self: query.Evaluator,
        parsed: Jsonata,
        variables: Mapping[str, Value],
        states: Value,
        now: float,
    ) -> Value:
        value = evaluate(self, parsed, variables, states, now)
        code = texts.get(id(parsed))
        if code is not None:
            named = {name: to_json(v) for name, v in variables.items() if f"${name}" in code}
            one = Evaluation(code, {**named, "states": to_json(states)}, to_json(value))
            if found.setdefault(json.dumps([code, one.variables]), one) is one:
                listed.append(one)
        return value

    query.parse = reading  # type: ignore[assignment]
    query.Evaluator.evaluate = noting  # type: ignore[method-assign]
    try:
        yield listed
    finally:
        query.parse = parse
        query.Evaluator.evaluate = evaluate  # type: ignore[method-assign]
