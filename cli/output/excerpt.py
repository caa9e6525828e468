"""Lines of a source with places in them underlined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cli.output.paint import Paint, Tone, shown, width
from compiler.source import Source, Span

LONGEST = 120
"""Characters of a line that are shown; of a longer one what is around the place."""
_BEFORE = 40


@dataclass(frozen=True, slots=True)
class Mark:
    """A place to underline: the main one by `^`, others by `-` with what they are."""

    span: Span
    text: str = ""
    main: bool = False


def excerpt(source: Source, marks: Sequence[Mark], tone: Tone, gutter: int, paint: Paint) -> str:
    """Return the marked lines of a source, each with its underlines; `gutter` is their margin."""
    bar = paint(f"{'':>{gutter}} |", "accent")
    out = [bar]
    above: int | None = None
    lines: dict[int, list[Mark]] = {}
    for mark in marks:
        lines.setdefault(source.line_column(mark.span.start)[0], []).append(mark)
    for line, here in sorted(lines.items()):
        if above is not None and line > above + 1:
            out.append(paint("...", "accent"))
        above = line
        out += _line(source, line, here, tone, gutter, paint)
    return "\n".join(out) + "\n"


def _line(
    source: Source, line: int, marks: list[Mark], tone: Tone, gutter: int, paint: Paint
) -> Iterator[str]:
    text = source.line_text(line)
    start, end = _window(text, source, marks)
    head = "..." if start else ""
    tail = "..." if end < len(text) else ""
    number = paint(f"{line:>{gutter}} |", "accent")
    yield f"{number} {head}{shown(text[start:end])}{tail}".rstrip()
    for mark in sorted(marks, key=lambda m: (not m.main, m.span)):
        column = source.line_column(mark.span.start)[1] - 1
        last = min(column + mark.span.end - mark.span.start, max(end, column + 1))
        indent = len(head) + width(shown(text[start:column]))
        under = max(1, width(shown(text[column:last])))
        sign = ("^" if mark.main else "-") * under
        label = f" {mark.text}" if mark.text else ""
        drawn = paint(f"{sign}{label}", tone if mark.main else "accent")
        yield f"{paint(f'{chr(32):>{gutter}} |', 'accent')} {' ' * indent}{drawn}"


def _window(text: str, source: Source, marks: list[Mark]) -> tuple[int, int]:
    """Return which characters of a line are shown."""
    if len(text) <= LONGEST:
        return 0, len(text)
    main = next((mark for mark in marks if mark.main), marks[0])
    column = source.line_column(main.span.start)[1] - 1
    start = max(0, min(column - _BEFORE, len(text) - LONGEST))
    return start, start + LONGEST
