"""The formats of texts that a JSON Schema names."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jsonschema import FormatChecker

_DATE_TIME = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)
EXAMPLES = {
    "date": "2026-12-01",
    "date-time": "2026-12-01T10:00:00Z",
    "duration": "P1DT12H",
    "email": "ann@example.com",
    "hostname": "www.example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "regex": "^v[0-9]+$",
    "time": "10:00:00Z",
    "uri": "https://www.example.com/",
    "uuid": "0f9d3e7a-5d1c-4b8e-9a53-3c1f0c2b7d64",
}
"""A text of each format that messages show."""


@cache
def formats() -> FormatChecker:
    """Return what checks formats; of a date with its time the library alone checks nothing."""
    from jsonschema import Draft202012Validator, FormatChecker

    checker = FormatChecker(())
    checker.checkers = dict(Draft202012Validator.FORMAT_CHECKER.checkers)
    checker.checks("date-time", raises=ValueError)(_is_date_time)
    return checker


def _is_date_time(value: object) -> bool:
    """Return whether a text is a moment: a date, its time and the zone (RFC 3339)."""
    if not isinstance(value, str):
        return True
    return bool(_DATE_TIME.fullmatch(value)) and bool(datetime.fromisoformat(value.upper()))
