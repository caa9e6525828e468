"""Offsets in a scalar's text to offsets in the source, for every way YAML writes a scalar.

The scalar is read again from the source by the rules of its style, keeping for every character
where it came from. If the two readings ever differed, the whole scalar would be the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from compiler.document.nodes import Scalar, Style
from compiler.source import Span

_BREAK = r"(?:\r\n|\r|\n)"
_BREAKS = re.compile(_BREAK)
# A run of line breaks with the blanks around it, which YAML folds.
_FOLD = rf"[ \t]*{_BREAK}(?:[ \t]*{_BREAK})*[ \t]*"
_PLAIN = re.compile(rf"(?P<fold>{_FOLD})|(?P<char>.)", re.DOTALL)
_SINGLE = re.compile(rf"(?P<fold>{_FOLD})|(?P<escape>'')|(?P<char>.)", re.DOTALL)
_DOUBLE = re.compile(
    rf"(?P<fold>{_FOLD})|(?P<continued>\\{_FOLD})"
    r"|(?P<escape>\\(?:x..|u.{4}|U.{8}|.))|(?P<char>.)",
    re.DOTALL,
)
_HEADER = re.compile(rf"[|>](?P<indicators>[-+0-9]*)[ \t]*(?:#[^\r\n]*)?(?:{_BREAK}|\Z)")

# One character of the text: where it starts and ends in the source, and what it is
# (None for an escape, whose character only the parser knows).
_Piece = tuple[int, int, "str | None"]


def place(scalar: Scalar, start: int, end: int) -> Span:
    """Return where the characters `start` to `end` of the scalar's text stand in the source.

    An empty range gives an empty span. A character that stands for several of the source (an
    escape, a folded line break) gives all of them. Offsets outside the text are moved to its
    ends.
    """
    length = len(scalar.text)
    start = min(max(start, 0), length)
    end = min(max(end, start), length)
    whole = scalar.span
    inset = 0 if scalar.style is Style.PLAIN else 1
    is_block = scalar.style in (Style.LITERAL, Style.FOLDED)
    if not is_block and whole.end - whole.start - 2 * inset == length:
        return Span(whole.start + inset + start, whole.start + inset + end)
    pieces = _block(scalar) if is_block else _flow(scalar)
    if pieces is None:
        return whole
    if not pieces:
        return Span(whole.start + inset, whole.start + inset)
    if start == length:
        return Span(pieces[-1][1], pieces[-1][1])
    first = pieces[start][0]
    return Span(first, pieces[end - 1][1] if end > start else first)


def _agrees(pieces: list[_Piece], text: str) -> bool:
    return len(pieces) == len(text) and all(
        piece[2] is None or piece[2] == character
        for piece, character in zip(pieces, text, strict=True)
    )


def _flow(scalar: Scalar) -> list[_Piece] | None:
    source, span = scalar.source.text, scalar.span
    if scalar.style is Style.PLAIN:
        pieces = list(_folded_pieces(_PLAIN, source, span.start, span.end))
    else:
        pattern = _SINGLE if scalar.style is Style.SINGLE else _DOUBLE
        pieces = list(_folded_pieces(pattern, source, span.start + 1, span.end - 1))
    return pieces if _agrees(pieces, scalar.text) else None


def _folded_pieces(pattern: re.Pattern[str], source: str, start: int, end: int) -> Iterator[_Piece]:
    for match in pattern.finditer(source, start, end):
        kind = match.lastgroup
        if kind == "char":
            yield match.start(), match.end(), match[0]
        elif kind == "escape":
            yield match.start(), match.end(), None
        else:
            breaks = list(_BREAKS.finditer(source, match.start(), match.end()))
            if kind == "fold" and len(breaks) == 1:
                yield match.start(), match.end(), " "
            for line in breaks[1:]:
                yield line.start(), line.end(), "\n"


def _block(scalar: Scalar) -> list[_Piece] | None:
    """Read a block scalar again; the indentation is the one that gives the same text."""
    source = scalar.source.text
    header = _HEADER.match(source, scalar.span.start)
    if header is None:
        return None
    indicators = header["indicators"]
    lines = list(_lines(source, header.end(), scalar.span.end))
    for indent in _indents(source, lines, explicit=any(c.isdigit() for c in indicators)):
        pieces = _block_pieces(source, lines, indent, folded=scalar.style is Style.FOLDED)
        chomped = _chomp(pieces, indicators)
        if _agrees(chomped, scalar.text):
            return chomped
    return None


def _lines(source: str, start: int, last: int) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and end with line break of each line from `start` on.

    Stops after the first line with text behind `last`, where the scalar's text ends.
    """
    while start < len(source):
        line = _BREAKS.search(source, start)
        end, after = (line.start(), line.end()) if line else (len(source), len(source))
        yield start, end, after
        if start > last and source[start:end].strip():
            return
        start = after


def _indents(source: str, lines: list[tuple[int, int, int]], *, explicit: bool) -> Iterator[int]:
    """Yield the columns at which the text may begin, the likeliest first."""
    widest = column = 0
    for start, end, _ in lines:
        content = source[start:end]
        column = len(content) - len(content.lstrip(" "))
        widest = max(widest, column)
        if column < len(content):
            break
    yield column
    if explicit:
        yield from range(widest, -1, -1)
    yield widest + 1  # no text at all, only blank lines


def _block_pieces(
    source: str, lines: list[tuple[int, int, int]], indent: int, *, folded: bool
) -> tuple[list[_Piece], list[_Piece], list[_Piece]]:
    """Return the text's pieces, the last line's break, and the breaks of blank lines after it."""
    pieces: list[_Piece] = []
    last_break: list[_Piece] = []
    blank: list[_Piece] = []
    was_more_indented = False
    for start, end, after in lines:
        content = source[start:end]
        spaces = len(content) - len(content.lstrip(" "))
        if spaces < indent or end - start <= indent:
            if spaces < end - start:
                break  # text further left ends the scalar
            if after > end:
                blank.append((end, after, "\n"))
            continue
        more_indented = content[indent] in " \t"
        if folded and last_break and not was_more_indented and not more_indented:
            if not blank:
                pieces.append((last_break[0][0], start + indent, " "))
        else:
            pieces += last_break
        pieces += blank
        pieces += [(at, at + 1, source[at]) for at in range(start + indent, end)]
        last_break = [(end, after, "\n")] if after > end else []
        blank = []
        was_more_indented = more_indented
    return pieces, last_break, blank


def _chomp(parts: tuple[list[_Piece], list[_Piece], list[_Piece]], indicators: str) -> list[_Piece]:
    pieces, last_break, blank = parts
    if "-" in indicators:
        return pieces
    if "+" in indicators:
        return pieces + last_break + blank
    return pieces + last_break
