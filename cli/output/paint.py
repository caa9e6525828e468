"""Colour, and the columns that characters take on a terminal."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal, TypeAlias

Tone: TypeAlias = Literal["error", "warning", "accent", "faint", "strong", "good"]

_CODES: dict[Tone, str] = {
    "error": "1;31",
    "warning": "1;33",
    "accent": "1;34",
    "faint": "2",
    "strong": "1",
    "good": "32",
}
TAB = 4
"""Columns that a tab takes in what is shown."""


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours text, or leaves it as it is."""

    on: bool = False

    def __call__(self, text: str, tone: Tone) -> str:
        """Return text in a tone."""
        return f"\x1b[{_CODES[tone]}m{text}\x1b[0m" if self.on and text else text


def shown(text: str) -> str:
    """Return text as it can be shown in one line: no control character reaches a terminal."""
    return "".join(map(_shown, text))


def _shown(char: str) -> str:
    if char == "\t":
        return " " * TAB
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)  # the picture of a control character
    kind = unicodedata.category(char)
    # Cf holds what reverses the direction of text; joiners inside words and emoji are fine.
    if kind in ("Cc", "Cs", "Zl", "Zp") or (kind == "Cf" and char not in "\u200c\u200d\u00ad"):
        return "\ufffd"
    return char


def width(text: str) -> int:
    """Return the columns that text takes on a terminal."""
    return sum(map(_width, text))


def _width(char: str) -> int:
    if char.isascii():
        return 1
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
