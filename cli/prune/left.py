"""What a stack leaves behind beside machines and functions: roles, and rules of event waits.

A role is needed while a version of a function or of a machine that stays has it. A rule is needed
while the definition of a version that stays waits for events of its pattern.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from compiler.document.nodes import Json
from compiler.expressions.quoting import literal

_WAIT = "wait:"
_EXPRESSION = "{%"


@dataclass(frozen=True, slots=True)
class Other:
    """A role or a rule that the stack does not know any more; `key` is what needs it by."""

    kind: Literal["role", "rule"]
    arn: str
    name: str
    key: str

    @property
    def is_left(self) -> bool:
        """Whether the stack does not know it."""
        return True

    @property
    def versions(self) -> tuple[int, ...]:
        """There are none of it."""
        return ()

    def is_needed(self, named: Mapping[str, str]) -> bool:
        """Whether it is among what is named."""
        if self.kind == "rule" and _EXPRESSION in self.key:
            # How a text is made an expression is the compiler's business, and may have changed.
            return any(one.startswith(_WAIT) and _EXPRESSION in one for one in named)
        return self.key in named


def role(arn: str, name: str) -> Other:
    """Return a role that was left."""
    return Other("role", arn, name, arn)


def rule(arn: str, name: str, pattern: Mapping[str, Json]) -> Other:
    """Return a rule that was left, by the pattern that it has."""
    return Other("rule", arn, name, _key(literal(dict(pattern))))


def waits_in(definition: str) -> set[str]:
    """Return the keys of the rules that a definition needs."""
    return {_key(one) for one in _patterns(json.loads(definition))}


def _patterns(value: Any) -> Iterator[Json]:
    """Yield whatever stands where a wait tells its pattern, and more rather than less."""
    if isinstance(value, dict):
        if "pattern" in value:
            yield value["pattern"]
        for one in value.values():
            yield from _patterns(one)
    elif isinstance(value, list):
        for one in value:
            yield from _patterns(one)


def _key(pattern: Json) -> str:
    return _WAIT + json.dumps(_spelled(pattern), sort_keys=True)


def _spelled(value: Json) -> Json:
    """Return a pattern whose numbers and truth values are texts: templates may make them some."""
    match value:
        case dict():
            return {key: _spelled(one) for key, one in value.items()}
        case list():
            return [_spelled(one) for one in value]
        case bool():
            return str(value).lower()
        case int() | float():
            return repr(float(value))
        case str():
            try:
                return repr(float(value))
            except ValueError:
                return value
        case _:
            return value
