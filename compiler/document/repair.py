"""A text mended where YAML could not read it, so that the rest of the file is read too.

After a mistake with one obvious meaning the reader goes on as if that had been written: one run
then shows all mistakes of a file. Places always refer to the source as the author wrote it.
"""

from __future__ import annotations

import re
from array import array
from typing import Final

from compiler.document.parser import SCALAR, Event

# Signs of YAML inside text are read as characters of a private plane and put back afterwards.
_PRIVATE: Final = 0x10F000
_SIGNS: Final = ":#{}[],&*!|>'\"%@`-?\t"
_HIDE: Final = {ord(sign): chr(_PRIVATE + ord(sign)) for sign in _SIGNS}
_SHOW: Final = {_PRIVATE + ord(sign): sign for sign in _SIGNS}
_HIDDEN = re.compile(f"[{chr(_PRIVATE)}-{chr(_PRIVATE + 127)}]")


class Mended:
    """A text under repair: `text` is what the parser reads."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._origin: array[int] | None = None  # None: every character stands where it stood
        self._hides = False
        self.changed = False
        self.guessed = False  # a repair may be wrong: what comes after it is not worth reporting
        if text.startswith("\ufeff"):
            self.replace(0, 1, "")

    def replace(self, start: int, end: int, new: str) -> None:
        """Write `new` for the characters `start` to `end` of `text`."""
        self.changed = True
        if len(new) != end - start:
            if self._origin is None:
                self._origin = array("l", range(len(self.text) + 1))
            at = self._origin[start]
            self._origin[start:end] = array("l", [at] * len(new))
        self.text = self.text[:start] + new + self.text[end:]

    def hide(self, start: int, end: int) -> bool:
        """Make the characters `start` to `end` plain text; tell whether that changed anything."""
        before = self.text[start:end]
        after = before.translate(_HIDE)
        if after == before or (not self._hides and _HIDDEN.search(self.text)):
            return False
        self._hides = True
        self.replace(start, end, after)
        return True

    def source_offset(self, offset: int) -> int:
        """Return where a character of `text` stands in the source."""
        if self._origin is None:
            return offset
        return self._origin[min(offset, len(self._origin) - 1)]

    def source_text(self, text: str) -> str:
        """Return text that the parser read as the author wrote it."""
        return text.translate(_SHOW) if self._hides else text

    def event(self, event: Event) -> Event:
        """Return a parser's event with its text and places as in the source."""
        start, end = event.start_mark.index, event.end_mark.index
        event.start_mark = _Mark(self.source_offset(start))
        # The end stays behind the last character, unless that was written in here.
        last = self.source_offset(end - 1) if end > start else self.source_offset(start)
        if last < self.source_offset(end):
            last += 1
        event.end_mark = _Mark(max(last, event.start_mark.index))
        if isinstance(event, SCALAR):
            event.value = self.source_text(event.value)
        return event


class _Mark:
    """A parser's mark, of which the composer reads the offset only."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index
