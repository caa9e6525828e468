"""Text of the YAML file that may hold expressions in `${{ }}`."""

from __future__ import annotations

import re

from compiler.diagnostics import Diagnostics
from compiler.expressions.parser import parse_between
from compiler.expressions.syntax import At, Constant, Expr, Joined, Single, Template
from compiler.source import Source, Span

_OPENING = "${{"
_QUOTED = r"'(?:[^']|'')*+'|\"(?:[^\"\\]|\\.)*+\""
_BODY = re.compile(rf"(?:[^'\"}}]++|{_QUOTED}|\}}(?!\}}))*+", re.DOTALL)
_OUTSIDE_QUOTES = re.compile(rf"{_QUOTED}|(\$\{{\{{)", re.DOTALL)


def parse_template(text: str, at: At, diagnostics: Diagnostics) -> Template | None:
    """Return what a YAML text means, or None after reporting what is wrong in its expressions.

    A text that is, blanks around it aside, one expression is a `Single` and keeps its type.
    """
    if _OPENING not in text:
        return Constant(text)
    parts: list[str | Expr] = []
    whole = True
    position = 0
    while (start := text.find(_OPENING, position)) >= 0:
        end = _closing(text, start + 3)
        if end is None:
            _unclosed(text, start, at, diagnostics)
            return None
        if start > position:
            parts.append(text[position:start])
        expr = parse_between(text, start + 3, end, at, diagnostics)
        if expr is None:
            whole = False
        else:
            parts.append(expr)
        position = end + 2
    if position < len(text):
        parts.append(text[position:])
    if not whole:
        return None
    written = [part for part in parts if not isinstance(part, str) or part.strip()]
    if len(written) == 1 and not isinstance(written[0], str):
        return Single(written[0])
    return Joined(tuple(parts))


def parse_condition(text: str, at: At, diagnostics: Diagnostics) -> Expr | None:
    """Return the expression of a condition: bare, or the whole in one `${{ }}`.

    Anything beside the one expression is an error that shows the corrected form, as such a
    text would always count as true.
    """
    start = len(text) - len(text.lstrip())
    stop = len(text.rstrip())
    if text.startswith(_OPENING, start):
        end = _closing(text, start + 3)
        if end is None:
            _unclosed(text, start, at, diagnostics)
            return None
        if end + 2 == stop:
            return parse_between(text, start + 3, end, at, diagnostics)
    elif not any(match[1] for match in _OUTSIDE_QUOTES.finditer(text)):
        return parse_between(text, start, max(stop, start), at, diagnostics)
    message = "a condition is one expression, and here is text around or between expressions"
    help_ = "write the whole condition as one expression"
    corrected = _corrected(text)
    if corrected is not None:
        help_ = f"write {corrected}"
    diagnostics.error("condition-text", at(start, stop), message, help=help_)
    return None


def _closing(text: str, start: int) -> int | None:
    """Return where the `}}` stands that ends the expression at `start`.

    One inside quotes does not count, unless the quotes are never closed.
    """
    match = _BODY.match(text, start)
    if match is not None and text.startswith("}}", match.end()):
        return match.end()
    end = text.find("}}", start)
    return None if end < 0 else end


def _unclosed(text: str, start: int, at: At, diagnostics: Diagnostics) -> None:
    message = "the expression that begins with ${{ does not end"
    help_ = "write }} after it; to have ${{ as text write ${{ '${{' }}"
    diagnostics.error("expression-unclosed", at(start, len(text.rstrip())), message, help=help_)


def _corrected(text: str) -> str | None:
    """Return the condition with its `${{ }}` taken away, if that is one good expression."""
    pieces: list[str] = []
    position = 0
    while (start := text.find(_OPENING, position)) >= 0:
        end = _closing(text, start + 3)
        if end is None:
            return None
        inner = text[start + 3 : end].strip()
        pieces.append(text[position:start])
        pieces.append(f"({inner})" if "&&" in inner or "||" in inner else inner)
        position = end + 2
    corrected = " ".join(("".join(pieces) + text[position:]).split())
    scratch = Diagnostics(Source("condition", corrected))
    parsed = parse_between(corrected, 0, len(corrected), Span, scratch)
    return None if parsed is None else corrected
