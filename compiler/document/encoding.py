"""Bytes to text, and characters that a workflow file cannot hold."""

from __future__ import annotations

import codecs
import re
import unicodedata
from typing import Final

from compiler.diagnostics import Diagnostics
from compiler.document import limits
from compiler.document.repair import Mended
from compiler.source import Source, Span

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Everything but what YAML allows (https://yaml.org/spec/1.2.2/#51-character-set), and what only
# some readers take for a line break or skip: NEL, the line separators, a byte order mark.
_REFUSED = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_BREAKS: Final = "\x85\u2028\u2029"
_MAX_REPORTED: Final = 20
_REPLACEMENT: Final = "\ufffd"
_NAMES: Final = {
    0x00: "a NUL character",
    0x85: "a next-line character",
    0x2028: "a line separator",
    0x2029: "a paragraph separator",
    0xFEFF: "a byte order mark",
}


def source_from_bytes(data: bytes, name: str) -> tuple[Source, Diagnostics]:
    """Return a file's text and what was wrong with its bytes.

    UTF-8 is expected, UTF-16 is taken where a byte order mark says so; the mark is left out.
    What is no text is replaced by U+FFFD and reported at its place; of a file that is too large
    nothing is read.
    """
    if len(data) > limits.MAX_SIZE:
        source = Source(name, "")
        diagnostics = Diagnostics(source)
        diagnostics.error(
            "document-too-large",
            Span(0, 0),
            f"the file has {len(data):,} bytes, and at most {limits.MAX_SIZE:,} are read",
            help="split the workflow: move steps to a sub-workflow of its own file",
        )
        return source, diagnostics
    encoding = "utf-8"
    for mark, marked in _MARKS:
        if data.startswith(mark):
            data, encoding = data[len(mark) :], marked
            break
    text, bad = _decode(data, encoding)
    source = Source(name, text)
    diagnostics = Diagnostics(source)
    for at, shown in bad[:_MAX_REPORTED]:
        diagnostics.error(
            "unreadable-character",
            Span(at, at + 1),
            f"{shown} is no {encoding[:6].upper().rstrip('-')} text",
            help="save the file as UTF-8",
        )
    return source, diagnostics


def _decode(data: bytes, encoding: str) -> tuple[str, list[tuple[int, str]]]:
    """Return the text, and of each undecodable run its offset in the text and its bytes."""
    parts: list[str] = []
    bad: list[tuple[int, str]] = []
    length = at = 0
    while True:
        try:
            parts.append(data[at:].decode(encoding))
            return "".join(parts), bad
        except UnicodeDecodeError as error:
            good = data[at : at + error.start].decode(encoding)
            length += len(good)
            run = data[at + error.start : at + error.end]
            bad.append((length, "byte " + " ".join(f"0x{byte:02X}" for byte in run)))
            parts += (good, _REPLACEMENT)
            length += 1
            at += error.end
            if len(bad) > _MAX_REPORTED:
                parts.append(data[at:].decode(encoding, "replace"))
                return "".join(parts), bad


def mend_characters(mended: Mended, diagnostics: Diagnostics) -> bool:
    """Report the characters that YAML cannot hold and replace them; tell whether any were."""
    found = list(_REFUSED.finditer(mended.text))
    for match in found[:_MAX_REPORTED]:
        start = mended.source_offset(match.start())
        code = ord(match[0])
        diagnostics.error(
            "unreadable-character",
            Span(start, start + 1),
            f"U+{code:04X}, {_name(code)}, cannot stand in a workflow file",
            help=f'delete it; inside double quotes it can be written as "{_escape(code)}"'
            if not 0xD800 <= code <= 0xDFFF
            else "save the file as UTF-8",
        )
    if any(match[0] in _BREAKS for match in found):
        mended.guessed = True  # a line may have ended here, as some editors see it
    if found:
        mended.replace(0, len(mended.text), _REFUSED.sub(_REPLACEMENT, mended.text))
    return bool(found)


def _name(code: int) -> str:
    if 0xD800 <= code <= 0xDFFF:
        return "half of a character"
    kind = unicodedata.name(chr(code), "").lower()
    return _NAMES.get(code) or kind or "a control character"


def _escape(code: int) -> str:
    return f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}"
