"""The functions of the language: their parameters and what they give."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from compiler.expressions.types import (
    BOOLEAN,
    NULL,
    NUMBER,
    TEXT,
    UNKNOWN,
    ListOf,
    Record,
    Type,
    join,
    kinds,
    optional,
    union,
    without_null,
)


@dataclass(frozen=True, slots=True)
class Signature:
    """How a function is called; `variadic` repeats the last parameter as often as wanted."""

    name: str
    parameters: tuple[tuple[str, Type], ...]
    required: int
    result: Type
    variadic: bool = False

    @property
    def usage(self) -> str:
        """The call as it is written: `join(list, separator?)`."""
        names = [
            name if at < self.required else f"{name}?"
            for at, (name, _) in enumerate(self.parameters)
        ]
        return f"{self.name}({', '.join(names)}{', ...' if self.variadic else ''})"

    def takes(self, count: int) -> bool:
        """Whether the function can be called with so many arguments."""
        return count >= self.required and (self.variadic or count <= len(self.parameters))

    def parameter(self, at: int) -> Type:
        """Return the type wanted for the argument at a place counted from 0."""
        return self.parameters[min(at, len(self.parameters) - 1)][1]


_LIST = ListOf(UNKNOWN)
_OBJECT = Record({}, open=True)

FUNCTIONS: dict[str, Signature] = {
    signature.name: signature
    for signature in (
        Signature("success", (), 0, BOOLEAN),
        Signature("failure", (), 0, BOOLEAN),
        Signature("always", (), 0, BOOLEAN),
        Signature("cancelled", (), 0, BOOLEAN),
        Signature("contains", (("in", join(TEXT, _LIST)), ("wanted", UNKNOWN)), 2, BOOLEAN),
        Signature("startsWith", (("text", TEXT), ("start", TEXT)), 2, BOOLEAN),
        Signature("endsWith", (("text", TEXT), ("end", TEXT)), 2, BOOLEAN),
        Signature("format", (("pattern", TEXT), ("value", UNKNOWN)), 1, TEXT, variadic=True),
        Signature("join", (("list", _LIST), ("separator", TEXT)), 1, optional(TEXT)),
        Signature("toJSON", (("value", UNKNOWN),), 1, TEXT),
        Signature("fromJSON", (("text", TEXT),), 1, UNKNOWN),
        Signature("length", (("value", join(join(TEXT, _LIST), _OBJECT)),), 1, optional(NUMBER)),
        Signature("keys", (("object", _OBJECT),), 1, optional(ListOf(TEXT))),
        Signature("coalesce", (("value", UNKNOWN),), 1, UNKNOWN, variadic=True),
    )
}
"""Every function by its name; `coalesce` gives the type of its arguments instead."""


def result_type(name: str, args: Sequence[Type]) -> Type:
    """Return what a function gives for arguments of these types."""
    signature = FUNCTIONS[name]
    if name == "coalesce":
        *others, last = args
        return union([*(without_null(arg) for arg in others if arg != NULL), last])
    fits = all(kinds(arg) <= kinds(signature.parameter(at)) for at, arg in enumerate(args))
    return without_null(signature.result) if fits else signature.result


_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(\d{1,3})\}|[{}]", re.ASCII)


def format_parts(pattern: str) -> tuple[str | int, ...]:
    """Return a pattern of `format` as texts and places of values, counted from 0.

    `{{` and `}}` stand for the brackets themselves; a ValueError says what else is wrong.
    """
    parts: list[str | int] = []
    text = ""
    position = 0
    for match in _PLACEHOLDER.finditer(pattern):
        text += pattern[position : match.start()]
        position = match.end()
        if match[1] is not None:
            parts += [text, int(match[1])] if text else [int(match[1])]
            text = ""
        elif len(match[0]) == 2:
            text += match[0][0]
        else:
            raise ValueError(f'"{match[0]}" belongs to no placeholder')
    text += pattern[position:]
    return (*parts, text) if text else tuple(parts)
