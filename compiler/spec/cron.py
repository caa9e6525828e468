"""Schedules: the fields of a cron expression, and names of time zones.

What the fields may hold: https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
(there the days of the week are counted from 1, here from 0, which is Sunday, as cron does).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_WORDS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_FIVE = "write five: minute, hour, day, month, day of the week (0 6 * * 1-5)"
_CALL = re.compile(r"(cron|rate)\((.*)\)", re.IGNORECASE)
_ANY = ("*", "?")
_ITEM = re.compile(r"(?P<first>\*|\w+)(?:-(?P<last>\w+))?(?:/(?P<step>[0-9]{1,4}))?")


@dataclass(frozen=True, slots=True)
class _Field:
    """One field: what it is called, its least and greatest number, and names for them."""

    name: str
    least: int
    most: int
    names: tuple[str, ...] = ()
    special: str = r"(?!)"  # what only this field may say

    def number(self, text: str) -> int | None:
        """Return what a number or name stands for, None if it is none of this field."""
        if text.upper() in self.names:
            return self.names.index(text.upper()) + self.least
        if not text.isascii() or not text.isdigit() or len(text) > 4:
            return None
        return int(text) if self.least <= int(text) <= self.most else None


_FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of the month", 1, 31, special=r"\?|L|LW|[0-9]{1,2}W"),
    _Field("month", 1, 12, _MONTHS),
    _Field("day of the week", 0, 7, _DAYS, special=r"\?|L|[0-7A-Z]{1,3}L|[0-7A-Z]{1,3}#[1-5]"),
    _Field("year", 1970, 2199),
)


def problem(text: str) -> tuple[str, str] | None:
    """Return what is wrong with a cron expression and what to write; None if it is right."""
    call = _CALL.fullmatch(text.strip())
    if call is not None:
        written = f"`{call[1].lower()}: ...`" if call[1].lower() == "rate" else f"`{call[2]}`"
        return f"'{text}' is a call of another tool", f"write {written}, without `{call[1]}(...)`"
    meant = _WORDS.get(text.strip().lower())
    if meant is not None:
        return f"'{text}' is a word of another tool", f"write `{meant}`"
    fields = text.split()
    if len(fields) not in (5, 6):
        return f"'{text}' has {len(fields)} field{'' if len(fields) == 1 else 's'}", _FIVE
    for field, written in zip(_FIELDS, fields, strict=False):
        wrong = _wrong(field, written)
        if wrong is not None:
            return f"'{wrong}' is no {field.name}", _range(field)
    if fields[2] not in _ANY and fields[4] not in _ANY:
        return (
            f"'{text}' has a day of the month and a day of the week",
            "a schedule has one of them; write `*` for the other, or two triggers",
        )
    return None


def _wrong(field: _Field, written: str) -> str | None:
    """Return the first item of a field that it cannot hold."""
    for item in written.split(","):
        if re.fullmatch(field.special, item.upper()):
            continue
        match = _ITEM.fullmatch(item)
        if match is None or match["step"] == "0" or (match["first"] == "*" and match["last"]):
            return item or written
        ends = [end for end in (match["first"], match["last"]) if end not in ("*", None)]
        numbers = [field.number(end) for end in ends]
        for end, number in zip(ends, numbers, strict=True):
            if number is None:
                return end
        known = [number for number in numbers if number is not None]
        # FRI-MON goes over the end of the week, NOV-FEB over that of the year.
        if known != sorted(known) and not field.names:
            return item
    return None


def _range(field: _Field) -> str:
    text = f"the {field.name} is from {field.least} to {field.most}"
    return f"{text}, or {field.names[0]} to {field.names[-1]}" if field.names else text


_AREAS = (
    "Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|"
    "Indian|Mexico|Pacific|US"
)
_ZONE = re.compile(rf"UTC|GMT|(?:{_AREAS})/[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z][A-Za-z_-]*)?")


def is_zone(text: str) -> bool:
    """Whether a text has the form of a time zone's name in the IANA data base."""
    return _ZONE.fullmatch(text) is not None
