"""HTML as values: every text is escaped where it is put in, so that none can be forgotten."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import TypeAlias

_VOID = frozenset({"input", "link", "meta", "br", "hr"})
_ADDRESS = re.compile(r"https?://[^\s<>\"']+[^\s<>\"'.,;:!?)\]]")


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


Part: TypeAlias = "Html | str | None | Iterable[Part]"
"""What goes into an element: HTML, text (escaped), nothing, or several of them."""


def tag(name: str, /, *parts: Part, **attributes: str | bool | int | None) -> Html:
    """Return an element. Attributes: `class_` for `class`, `aria_label` for `aria-label`.

    True stands for one without a value; None and False leave it out.
    """
    told = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Html(f"<{name}{told}>")
    return Html(f"<{name}{told}>{joined(parts)}</{name}>")


def joined(parts: Part) -> Html:
    """Return parts one behind the other."""
    if parts is None:
        return Html("")
    if isinstance(parts, Html):
        return parts
    if isinstance(parts, str):
        return Html(html.escape(parts))
    return Html("".join(joined(part) for part in parts))


def linked(text: str) -> Html:
    """Return a text in which addresses of the web can be followed."""
    parts: list[Part] = []
    at = 0
    for found in _ADDRESS.finditer(text):
        address = found.group()
        link = tag("a", address, href=address, rel="noopener noreferrer nofollow")
        parts += [text[at : found.start()], link]
        at = found.end()
    return joined([*parts, text[at:]])


def _attribute(key: str, value: str | bool | int | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{html.escape(str(value))}"'
