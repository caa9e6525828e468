"""Diagnostics as people read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cli.output.excerpt import Mark, excerpt
from cli.output.paint import Paint, Tone, shown
from compiler.diagnostics import Diagnostic, Label, Severity
from compiler.source import Source


def render(diagnostics: Iterable[Diagnostic], *, colour: bool = False) -> str:
    """Return diagnostics one after the other, each with its place and what to write instead."""
    paint = Paint(colour)
    return "".join(f"{_one(found, paint)}\n" for found in diagnostics)


def _one(found: Diagnostic, paint: Paint) -> str:
    tone: Tone = "error" if found.severity is Severity.ERROR else "warning"
    others = [label for label in found.labels if label.source is not found.source]
    gutter = _gutter(found)
    out = paint(f"{found.severity}[{found.code}]", tone)
    out += paint(f": {_sentence(found.message)}", "strong") + "\n"
    out += _place("-->", found.source, found.span.start, gutter, paint)
    marks = [Mark(found.span, main=True)]
    marks += [
        Mark(label.span, _sentence(label.text))
        for label in found.labels
        if label.source is found.source
    ]
    out += excerpt(found.source, marks, tone, gutter, paint)
    for label in others:
        out += _elsewhere(label, gutter, paint)
    notes = [] if found.help is None else [("help", found.help)]
    notes.append(("see", f"stepsmith explain {found.code}"))
    for name, text in notes:
        out += f"{paint(f'{chr(32):>{gutter}} =', 'accent')} {paint(f'{name}:', 'strong')} "
        # What is to be written may be lines of the file: they keep their own.
        below = "\n" + " " * (gutter + len(f" = {name}: "))
        out += below.join(shown(line) for line in text.split("\n")) + "\n"
    return out


def _elsewhere(label: Label, gutter: int, paint: Paint) -> str:
    place = _place(":::", label.source, label.span.start, gutter, paint)
    return place + excerpt(
        label.source, [Mark(label.span, _sentence(label.text))], "accent", gutter, paint
    )


def _place(arrow: str, source: Source, start: int, gutter: int, paint: Paint) -> str:
    line, column = source.line_column(start)
    return f"{' ' * gutter}{paint(arrow, 'accent')} {shown(source.name)}:{line}:{column}\n"


def _gutter(found: Diagnostic) -> int:
    """Return the columns of the widest line number."""
    places = [(found.source, found.span), *((label.source, label.span) for label in found.labels)]
    return max(len(str(source.line_column(span.start)[0])) for source, span in places)


def _sentence(text: str) -> str:
    return shown(" ".join(text.split("\n")))


def summary(files: Sequence[str], diagnostics: Sequence[Diagnostic], *, colour: bool) -> str:
    """Return the last line: how many mistakes there are, and in how many of the files."""
    paint = Paint(colour)
    count = counted(diagnostics)
    if len(files) == 1:
        subject, place = shown(files[0]), ""
    else:
        subject = f"{len(files)} files"
        places = len({found.source.name for found in diagnostics})
        place = f" in {places} of them" if diagnostics else ""
    if not diagnostics:
        return f"{subject}: {paint('no mistakes', 'good')}\n"
    is_bad = any(found.severity is Severity.ERROR for found in diagnostics)
    return f"{subject}: {paint(count, 'error' if is_bad else 'warning')}{place}\n"


def counted(diagnostics: Iterable[Diagnostic]) -> str:
    """Return the numbers of errors and warnings: "2 errors, 1 warning"."""
    kinds = [found.severity for found in diagnostics]
    parts = []
    for severity in (Severity.ERROR, Severity.WARNING):
        number = kinds.count(severity)
        if number:
            parts.append(f"{number} {severity}{'s' if number > 1 else ''}")
    return ", ".join(parts)
