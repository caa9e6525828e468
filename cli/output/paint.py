"""Colour, and the columns that characters take on a terminal."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal, TypeAlias

from cli.shown import shown

__all__ = ["Paint", "Tone", "shown", "width"]

Tone: TypeAlias = Literal["error", "warning", "accent", "faint", "strong", "good"]

_CODES: dict[Tone, str] = {
    "error": "1;31",
    "warning": "1;33",
    "accent": "1;34",
    "faint": "2",
    "strong": "1",
    "good": "32",
}


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours text, or leaves it as it is."""

    on: bool = False

    def __call__(self, text: str, tone: Tone) -> str:
        """Return text in a tone."""
        return f"\x1b[{_CODES[tone]}m{text}\x1b[0m" if self.on and text else text


def width(text: str) -> int:
    """Return the columns that text takes on a terminal."""
    return sum(map(_width, text))


def _width(char: str) -> int:
    if char.isascii():
        return 1
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
