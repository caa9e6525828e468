"""The commands that a page shows, as words: those in blocks, and those in backquotes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from tests.docs.pages import blocks

_SHOWN = ("sh", "console")


def commands(text: str, program: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the calls of a program in the blocks of a page, each with the line of its block."""
    for block in blocks(text):
        if block.language in _SHOWN:
            for call in _calls(block.text.replace("\\\n", " "), is_console=block.language != "sh"):
                if call[:1] == [program]:
                    yield block.line, call


def mentions(text: str, program: str) -> Iterator[list[str]]:
    """Yield the calls of a program that stand in backquotes within the text."""
    plain = re.sub(r"(?ms)^```.*?^```$", "", text)
    for found in re.findall(rf"`({program} [^`]+)`", plain):
        yield shlex.split(found.replace("\n", " "))


def _calls(text: str, *, is_console: bool) -> Iterator[list[str]]:
    lines = text
    if is_console:
        lines = "\n".join(line[2:] for line in text.splitlines() if line.startswith("$ "))
    lines = re.sub(r"(?m)(^|\s)#.*$", "", lines)  # shlex would take the end of the line along
    words = shlex.shlex(lines, posix=True, punctuation_chars=";|&\n")
    words.whitespace = " \t\r"
    words.whitespace_split = True
    words.commenters = ""
    call: list[str] = []
    for word in words:
        if set(word) <= set(";|&\n"):
            yield call
            call = []
        else:
            call.append(word)
    yield call
