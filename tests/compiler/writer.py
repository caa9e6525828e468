"""Expressions made up at random: of every type, over everything that a step may read."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

TEXT, NUMBER, BOOLEAN, LIST = "text", "number", "boolean", "list"
FREE = "free"  # of no known type: anything may be done with it
SHOWN = "shown"  # only passed on
ANY = "any"  # all of these

INPUTS: dict[str, Any] = {
    "name": "string",
    "count": {"type": "number", "default": 3},
    "flag": {"type": "boolean", "required": False},
    "names": {"type": "array", "required": False},
    "options": {"type": "object", "required": False},
    "free": {"required": False},
    "image-tag": {"type": "string", "default": 'it\'s "new" {% 1 %} ${X}\nend 🎉'},
}
_INPUTS = {
    TEXT: ["inputs.name", "inputs.image-tag"],
    NUMBER: ["inputs.count"],
    BOOLEAN: ["inputs.flag"],
    LIST: ["inputs.names"],
    FREE: ["inputs.options.deep['odd key'].x", "inputs.free", "inputs.free[0].y",
           "event.detail.list[1]", "github.event.pull_request.title", "inputs.options.constructor",
           "inputs.free.constructor"],
    ANY: ["inputs.options", "inputs.count", "inputs.flag", "trigger.name", "github.sha", "run.id"],
}  # fmt: skip
_LITERALS = ["x", "it''s", 'say "no"', "{% 1/0 %}", "${Token}", "<b>&amp;</b>", "ünï🎉", "a\\\\b"]
_STATUSES = ["succeeded", "failed", "skipped", "timed_out"]


@dataclass(frozen=True, slots=True)
class Known:
    """A step that may be read: paths to its values by their type."""

    id: str
    is_manual: bool
    paths: dict[str, list[str]]


class Writer:
    """Writes expressions, conditions and values."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def chance(self, probability: float) -> bool:
        """Return true so often."""
        return self.random.random() < probability

    def bounds(self) -> dict[str, Any]:
        """Return what bounds a for_each, if anything does."""
        bounds = {"max_items": 4, "max_concurrency": self.random.choice([2, 60])}
        return bounds if self.chance(0.3) else {}

    def stopping(self) -> dict[str, Any]:
        """Return whether the first that fails stops the others: items, or steps of a block."""
        return {"fail_fast": True} if self.chance(0.4) else {}

    def condition(self, above: set[str], readable: list[Known]) -> str:
        """Return a condition of any shape: one test, several, with and without functions."""
        near = [k for k in readable if k.id in above]
        text = self.test(near, readable)
        for _ in range(self.random.choice([0, 0, 1, 1, 2])):
            other = self.test(near, readable)
            text = self.random.choice(
                [
                    f"{text} && {other}",
                    f"{text} || {other}",
                    f"!({text}) && {other}",
                    f"({text}) || !({other})",
                ]
            )
        return text if self.chance(0.5) else f"${{{{ {text} }}}}"

    def test(self, near: list[Known], readable: list[Known]) -> str:
        """Return something that is true or false, or counts as such."""
        one = self.random.choice(near)
        choices: list[Callable[[], str]] = [
            lambda: self.random.choice(["success()", "failure()", "always()"]),
            lambda: f"steps.{one.id}.status == '{self.random.choice(_STATUSES)}'",
            lambda: f"steps.{one.id}.status != '{self.random.choice(_STATUSES)}'",
            lambda: f"steps.{one.id}.error.type == 'NetworkError'",
            lambda: f"{self.path(TEXT, readable)} == {self.literal()}",
            lambda: f"{self.path(FREE, readable)} != {self.path(ANY, readable)}",
            lambda: f"{self.path(NUMBER, readable)} {self.random.choice(['<', '>='])} 2",
            lambda: self.path(ANY, readable),
            lambda: f"contains({self.path(FREE, readable)}, {self.literal()})",
            lambda: f"startsWith({self.path(TEXT, readable)}, {self.literal()})",
            lambda: self.path(BOOLEAN, readable),
        ]
        if one.is_manual:
            choices += [lambda: f"steps.{one.id}.outputs.status == 'rejected'"] * 3
        return self.random.choice(choices)()

    def literal(self) -> str:
        """Return a text as an expression."""
        return "'" + self.random.choice(_LITERALS).replace("''", "'").replace("'", "''") + "'"

    def path(self, type_: str, readable: list[Known]) -> str:
        """Return a path whose value has the type."""
        found = [path for known in readable for path in known.paths.get(type_, [])]
        if found and self.chance(0.75):
            return self.random.choice(found)
        return self.random.choice(_INPUTS[type_])

    def expression(self, type_: str, readable: list[Known], depth: int = 0) -> str:
        """Return an expression of the type."""
        if depth > 1 or self.chance(0.5):
            return self.path(type_, readable)
        inner = lambda wanted: self.expression(wanted, readable, depth + 1)  # noqa: E731
        match type_:
            case "text":
                choices = [
                    lambda: f"format('{{0}} of {{1}}', {inner(ANY)}, {inner(NUMBER)})",
                    lambda: f"toJSON({inner(ANY)})",
                    self.literal,
                    lambda: f"coalesce({inner(TEXT)}, 'none')",
                ]
            case "number":
                choices = [lambda: f"length({inner(FREE)})", lambda: "1.5"]
            case "boolean":
                choices = [
                    lambda: f"endsWith({inner(TEXT)}, {self.literal()})",
                    lambda: f"!{self.path(ANY, readable)}",
                ]
            case "list":
                choices = [lambda: f"keys({inner(FREE)})", lambda: f"fromJSON({inner(TEXT)})"]
            case "free":
                choices = [
                    lambda: f"fromJSON({inner(TEXT)})",
                    lambda: f"({inner(FREE)})[{inner(FREE)}]",
                ]
            case _:
                choices = [
                    lambda: f"fromJSON({inner(TEXT)})",
                    lambda: f"({inner(ANY)} || {inner(TEXT)})",
                    lambda: f"({inner(ANY)} && {inner(LIST)})",
                    lambda: f"join({inner(FREE)}, ', ')",
                    lambda: f"({inner(FREE)})[{inner(FREE)}]",
                    lambda: inner(TEXT),
                ]
        return self.random.choice(choices)()

    def value(self, type_: str, readable: list[Known]) -> str:
        """Return a YAML text with an expression in it, alone or inside other text."""
        text = f"${{{{ {self.expression(type_, readable)} }}}}"
        if type_ == TEXT and self.chance(0.5):
            return f"a {text}" + self.random.choice([" b", "\n{% c %}", "-${D}", ""])
        return text

    def body(self, readable: list[Known]) -> dict[str, Any]:
        """Return a mapping with all sorts of values in it, expressions in its lists too."""
        return {
            "text": self.value(TEXT, readable),
            "odd 'key' {% 1 %}": self.value(ANY, readable),
            "list": [self.value(ANY, readable), 1, None, [self.value(LIST, readable)]],
            "plain": {"a": "{% $b %}", "c": "${d}", "e": [True, 1.5, "ünï"]},
        }

    def retry(self, name: str) -> dict[str, Any]:
        """Return a retry: of everything, of some errors, or of what conditions ask for."""
        made: dict[str, Any] = {"max_attempts": 3, "delay": "2s"}
        own = f"steps.{name}.outputs"
        conditions = [
            {"error_type": "NetworkError"},
            {"error_type": "TimeoutError"},
            f"contains({own}.error, 'again') || {own}.status_code >= 500",
            f"{own}.status_code == 7 && !startsWith({own}.error, 'x')",
            "failure()",
        ]
        if self.chance(0.6):
            made["conditions"] = self.random.sample(conditions, self.random.randint(1, 3))
        if self.chance(0.4):
            made["backoff"] = {"type": "exponential", "base_delay": "2s", "max_delay": "1m"}
            del made["delay"]
        return made
