"""About how wide text is in a sans-serif font, so that a drawing can make room for it."""

from __future__ import annotations

from cli.output.paint import width as columns

# Widths of the characters from space to ~ in Helvetica, in thousandths of the size.
_WIDTHS = (
    (278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278)
    + (556,) * 10
    + (278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278)
    + (500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667)
    + (611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222)
    + (222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500)
    + (500, 334, 260, 334, 584)
)
_ROOM = 1.15
"""Other fonts of this kind are wider, up to this."""
_MONO = 0.61


def text_width(text: str, size: float, *, bold: bool = False, mono: bool = False) -> float:
    """Return the width of a line of text."""
    if mono:
        return columns(text) * size * _MONO
    total = sum(_WIDTHS[ord(c) - 32] if " " <= c <= "~" else 580 * max(1, columns(c)) for c in text)
    return total * size / 1000 * _ROOM * (1.06 if bold else 1)


def fitted(text: str, room: float, size: float, *, bold: bool = False, mono: bool = False) -> str:
    """Return as much of a text as fits, with an ellipsis where some is left out."""
    if text_width(text, size, bold=bold, mono=mono) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if text_width(text[:middle] + "…", size, bold=bold, mono=mono) <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + "…"
