"""Short ways to read expressions in tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from compiler.diagnostics import Diagnostics
from compiler.expressions import Expr, parse
from compiler.expressions.syntax import At
from compiler.source import Source, Span

T = TypeVar("T")
Found = list[tuple[str, str]]


def read(reader: Callable[[str, At, Diagnostics], T], text: str) -> tuple[T, Found]:
    """Return what a reader makes of a text, and the codes it reports with the text at each."""
    diagnostics = Diagnostics(Source("test", text))
    value = reader(text, Span, diagnostics)
    return value, codes(diagnostics)


def codes(diagnostics: Diagnostics) -> Found:
    """Return the codes reported, each with the text its span covers."""
    text = diagnostics.source.text
    return [(found.code, text[found.span.start : found.span.end]) for found in diagnostics]


def expression(text: str) -> Expr:
    """Return the expression that a text is."""
    expr, found = read(parse, text)
    assert not found
    assert expr is not None
    return expr
