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
    inner: tuple[int, int] | None = (start, max(stop, start))
    if text.startswith(_OPENING, start):
        end = _closing(text, start + 3)
        if end is None:
            _unclosed(text, start, at, diagnostics)
            return None
        inner = (start + 3, end) if end + 2 == stop else None
    elif any(match[1] for match in _OUTSIDE_QUOTES.finditer(text)):
        inner = None
    if inner is not None and not _holds_expression(text[slice(*inner)]):
        return parse_between(text, *inner, at, diagnostics)
    message = "a condition is one expression, and here is text around or between expressions"
    help_ = "write the whole condition as one expression"
    corrected = _corrected(text if inner is None else text[slice(*inner)])
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


def _holds_expression(text: str) -> bool:
    """Whether a quoted text in an expression holds `${{ }}` with an expression inside."""
    return _OPENING in text and any(
        _bare(match[0]) is not None for match in _OUTSIDE_QUOTES.finditer(text) if not match[1]
    )


def _bare(quoted: str) -> str | None:
    """Return what a quoted text that holds `${{ }}` means, None where it holds no expression."""
    template = _split(quoted[1:-1])
    if template is None or not any(is_expression for is_expression, _ in template):
        return None
    if len(template) == 1:
        return _as_operand(template[0][1])
    values = [text for is_expression, text in template if is_expression]
    numbers = iter(range(len(values)))
    pattern = "".join(
        f"{{{next(numbers)}}}" if is_expression else text.replace("{", "{{").replace("}", "}}")
        for is_expression, text in template
    )
    return f"format({quoted[0]}{pattern}{quoted[0]}, {', '.join(values)})"


def _split(text: str) -> list[tuple[bool, str]] | None:
    """Return the parts of a text: whether each is a good expression, and it; None: one is bad."""
    parts: list[tuple[bool, str]] = []
    position = 0
    while (start := text.find(_OPENING, position)) >= 0:
        end = _closing(text, start + 3)
        if end is None or not _is_good(text[start + 3 : end]):
            return None
        parts += [(False, text[position:start]), (True, text[start + 3 : end].strip())]
        position = end + 2
    parts.append((False, text[position:]))
    return [(is_expression, part) for is_expression, part in parts if is_expression or part]


def _is_good(text: str) -> bool:
    scratch = Diagnostics(Source("condition", text))
    return parse_between(text, 0, len(text), Span, scratch) is not None


def _as_operand(text: str) -> str:
    return f"({text})" if "&&" in text or "||" in text else text


def _corrected(text: str) -> str | None:
    """Return the condition with its `${{ }}` taken away, if that is one good expression."""
    text = _OUTSIDE_QUOTES.sub(lambda found: (not found[1] and _bare(found[0])) or found[0], text)
    pieces: list[str] = []
    position = 0
    while (start := text.find(_OPENING, position)) >= 0:
        end = _closing(text, start + 3)
        if end is None:
            return None
        pieces += [text[position:start], _as_operand(text[start + 3 : end].strip())]
        position = end + 2
    corrected = " ".join(("".join(pieces) + text[position:]).split())
    return corrected if _is_good(corrected) else None
