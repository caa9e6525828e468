"""Pages of diagnostic codes."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import fill

from cli.output.paint import Paint, shown
from compiler.codes import Code

_COLUMNS = 88
_HEAD, _TAIL = 24, 4
_LONGEST_LINE = 160


def page(code: Code, *, colour: bool) -> str:
    """Return what a code means, an example that is wrong and the same one mended."""
    paint = Paint(colour)
    return (
        f"{paint(code.slug, 'strong')}: {code.title}\n\n"
        f"{fill(code.explanation, _COLUMNS)}\n\n"
        f"{paint('wrong', 'error')}:\n\n{_example(code.wrong)}\n"
        f"{paint('right', 'good')}:\n\n{_example(code.right)}"
    )


def _example(text: str) -> str:
    return "".join(f"    {line}".rstrip() + "\n" for line in shortened(text))


def shortened(text: str) -> list[str]:
    """Return the lines of an example, of a very long one the first and the last."""
    lines = text.removesuffix("\n").split("\n")
    left = len(lines) - _HEAD - _TAIL
    if left > 1:
        lines[_HEAD:-_TAIL] = [f"... ({left} more lines)"]
    return [_cut(shown(line)) for line in lines]


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}..."


def listing(codes: Iterable[Code], *, colour: bool) -> str:
    """Return all codes with their titles, by slug."""
    paint = Paint(colour)
    every = sorted(codes, key=lambda code: code.slug)
    widest = max((len(code.slug) for code in every), default=0)
    return "".join(
        f"{paint(code.slug, 'strong')}{' ' * (widest - len(code.slug))}  {code.title}\n"
        for code in every
    )
