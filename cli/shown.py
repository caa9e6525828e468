"""Text as a terminal may have it, whoever wrote it."""

from __future__ import annotations

import unicodedata

TAB = 4
"""Columns that a tab takes in what is shown."""


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
