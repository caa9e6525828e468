"""Secrets taken out of what is stored, logged or reported."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

from protocol.payloads import Json

MASK = "***"
_SHORTEST = 2
"""A value of one character would take letters out of every word."""


class Masks:
    """The secret values a call has seen, in the forms in which they may show up."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._forms: set[str] = set()
        self._ordered: list[str] = []
        for value in values:
            self.add(value)

    def add(self, value: str) -> None:
        """Mask a value from now on: as it is, its lines, and encoded in the usual ways."""
        for text in {value, value.strip(), *value.splitlines()}:
            if len(text.strip()) < _SHORTEST:
                continue
            encoded = base64.b64encode(text.encode()).decode()
            quoted = json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]
            self._forms |= {text, encoded, quote(text, safe=""), quote_plus(text), *quoted}
        self._ordered = sorted(self._forms, key=lambda form: (-len(form), form))

    def __bool__(self) -> bool:
        return bool(self._ordered)

    def text(self, text: str) -> str:
        """Return a text without the secrets; the longest are taken out first."""
        for form in self._ordered:
            text = text.replace(form, MASK)
        return text

    def value(self, value: Json) -> Json:
        """Return a value whose texts, names of members included, are without the secrets."""
        if not self._ordered:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {self.text(name): self.value(item) for name, item in value.items()}
        return value
