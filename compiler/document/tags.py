"""What stands before a scalar or makes it more than its text: tags, anchors, cut expressions."""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from compiler.diagnostics import Diagnostics
from compiler.document.nodes import Style
from compiler.document.parser import Event
from compiler.document.resolve import NotFinite, resolve
from compiler.source import Span

_CORE: Final = "tag:yaml.org,2002:"
_COLLECTIONS: Final = frozenset({"!", _CORE + "map", _CORE + "seq"})
_SCALARS: Final[dict[str, tuple[type, ...]]] = {
    _CORE + "null": (type(None),),
    _CORE + "bool": (bool,),
    _CORE + "int": (int,),
    _CORE + "float": (int, float),
}
_PROPERTIES = re.compile(r"(?:[&!]\S*(?:[ \t]+|(?=[\r\n])|\Z)(?:(?:#[^\r\n]*)?[\r\n]+[ \t]*)*)+")

#: An expression that a comment sign after a blank cuts off.
CUT_EXPRESSION: Final = re.compile(r"\$\{\{[^}\r\n]*[ \t]#")

_Value: TypeAlias = None | bool | int | float | str


def value_start(text: str, start: int, end: int) -> int:
    """Return where the value begins after its anchor and tag."""
    match = _PROPERTIES.match(text, start, end)
    return min(match.end(), end) if match else start


def check_collection(event: Event, diagnostics: Diagnostics) -> None:
    """Report a tag that a list or mapping cannot have."""
    if event.tag not in _COLLECTIONS:
        start = event.start_mark.index
        at = diagnostics.source.text.find("!", start)
        end = value_start(diagnostics.source.text, at, len(diagnostics.source.text))
        _report(Span(at, end), diagnostics)


def tagged(
    event: Event, style: Style, whole: Span, span: Span, diagnostics: Diagnostics
) -> tuple[_Value, str, Span]:
    """Return value, text and place of a scalar that has a tag.

    A tag that YAML does not know, before plain text, is taken as part of the text: in
    `!failure() && x` a `not` was meant.
    """
    tag, text = event.tag, event.value
    if tag == "!" or tag == _CORE + "str":
        return text, text, span
    if tag in _SCALARS:
        try:
            value = resolve(text)
        except NotFinite:
            value = text
        # True is an int to Python, not to YAML.
        if isinstance(value, _SCALARS[tag]) and (tag.endswith("bool") or value is not True):
            return value, text, span
        diagnostics.error(
            "yaml-tag",
            whole,
            f"`!!{tag.removeprefix(_CORE)}` does not fit the value `{text[:40]}`",
            help="leave the tag out",
        )
        return text, text, span
    source = diagnostics.source.text
    if style is not Style.PLAIN:
        _report(Span(whole.start, span.start), diagnostics)
        return text, text, span
    at = source.find("!", whole.start, whole.end)
    meant = Span(at, at + len(source[at : whole.end].rstrip()))
    message, advice = negation(source[meant.start : meant.end])
    diagnostics.error("yaml-tag", meant, message, help=advice)
    text = " ".join(source[meant.start : meant.end].split())
    return text, text, meant


def negation(written: str) -> tuple[str, str]:
    """Return what is wrong with text that begins with `!`, and what to write."""
    words = " ".join(written.split())
    return (
        f"`{words}` begins with `!`, which YAML takes for a tag",
        f"write ${{{{ {words} }}}}, or put it in quotes",
    )


def _report(span: Span, diagnostics: Diagnostics) -> None:
    written = diagnostics.source.text[span.start : span.end].split(maxsplit=1)
    name = next((word for word in written if word.startswith("!")), "!")
    diagnostics.error(
        "yaml-tag",
        Span(span.start, span.start + len(name)),
        f"`{name}` is a tag, and workflows have no tags",
        help="leave it out; if it is part of the text, put the whole text in quotes",
    )


def uncut(text: str, span: Span, diagnostics: Diagnostics) -> tuple[str, Span]:
    """Return text and place of a plain scalar, with what a ` #` in an expression cut off.

    Reported only where the expression would end behind the `#` on the same line; anything else
    is a comment.
    """
    source = diagnostics.source.text
    opened = text.rfind("${{")
    if "}}" in text[opened:]:
        return text, span
    line_end = re.compile(r"[\r\n]|\Z").search(source, span.end)
    rest = source[span.end : line_end.start() if line_end else len(source)]
    if not rest.lstrip(" \t").startswith("#") or "}}" not in rest:
        return text, span
    sign = span.end + rest.index("#")
    whole = text + rest.rstrip()
    diagnostics.error(
        "comment-in-expression",
        Span(sign, sign + 1),
        f"` #` begins a comment, so the expression ends after `{text[opened:]}`",
        help=f"put the whole value in quotes: {quoted(whole)}",
    )
    return whole, Span(span.start, span.end + len(rest.rstrip()))


def quoted(text: str) -> str:
    """Return `text` as YAML can take it, in the quotes that need fewest escapes."""
    if '"' not in text and "\\" not in text:
        return f'"{text}"'
    return "'" + text.replace("'", "''") + "'"
