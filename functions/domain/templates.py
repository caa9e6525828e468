"""Templates of mails: `{{ name }}` stands for a value, `{{ order.items.0 }}` for one inside."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping

from functions.domain.errors import ValidationError
from protocol.payloads import Json

_PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
_PATH = re.compile(r"[A-Za-z_][\w-]*(?:\.[\w-]+)*", re.ASCII)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_SUBJECT = re.compile(r"\ASubject:[ \t]*(.+)\r?\n(?:[ \t]*\r?\n)?", re.IGNORECASE)
_ABSENT = object()


def rendered(template: str, data: Mapping[str, Json], *, is_html: bool) -> str:
    """Return a template with its placeholders filled in; in HTML every value is escaped.

    Raises ValidationError that lists all placeholders which stand for nothing.
    """
    wrong: dict[str, None] = {}

    def fill(found: re.Match[str]) -> str:
        name = found[1].strip()
        value = _at(data, name) if _PATH.fullmatch(name) else _ABSENT
        if value is _ABSENT:
            wrong[name] = None
            return ""
        text = _text(value)
        return html.escape(text, quote=True) if is_html else text

    result = _PLACEHOLDER.sub(fill, template)
    if wrong:
        names = ", ".join(f"'{{{{ {name} }}}}'" for name in wrong)
        raise ValidationError(
            f"the data has nothing for {names}",
            details=[{"placeholder": name} for name in wrong],
        )
    return result


def titled(text: str, *, is_html: bool) -> tuple[str | None, str]:
    """Return the subject that a rendered mail names, and the mail without that line.

    A page names it in its `<title>`, a text in a first line `Subject: ...`.
    """
    if is_html:
        title = _TITLE.search(text)
        return (_line(html.unescape(title[1])) or None if title else None), text
    subject = _SUBJECT.match(text)
    return (None, text) if subject is None else (_line(subject[1]), text[subject.end() :])


def _line(text: str) -> str:
    return " ".join(text.split())


def _at(data: Mapping[str, Json], path: str) -> object:
    here: Json = dict(data)
    for part in path.split("."):
        if isinstance(here, dict) and part in here:
            here = here[part]
        elif isinstance(here, list) and part.isdigit() and int(part) < len(here):
            here = here[int(part)]
        else:
            return _ABSENT
    return here


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
