"""Schedules as EventBridge Scheduler spells them.

https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
"""

from __future__ import annotations

from collections.abc import Mapping

from compiler.document.nodes import Json

_DAY, _HOUR, _MINUTE = 86_400, 3_600, 60
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")


def expression(settings: Mapping[str, Json]) -> str:
    """Return the schedule expression of a schedule trigger's settings."""
    written, seconds = settings.get("cron"), settings.get("rate")
    if isinstance(written, str):
        return cron(written)
    assert isinstance(seconds, int)
    return rate(seconds)


def rate(seconds: int) -> str:
    """Return `rate(N UNIT)` in the largest unit that divides the time; whole minutes only."""
    for size, unit in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        if seconds % size == 0:
            number = seconds // size
            return f"rate({number} {unit}{'' if number == 1 else 's'})"
    raise ValueError(f"{seconds} seconds are no whole minutes")


def cron(written: str) -> str:
    """Return a checked cron expression of five or six fields as `cron(...)`."""
    minute, hour, day, month, weekday, *year = written.upper().split()
    # One of the two days says nothing, which is a question mark there.
    if weekday in ("*", "?"):
        day, weekday = ("*" if day == "?" else day), "?"
    else:
        day = "?"
    fields = [
        _spelled(minute, 0, 59),
        _spelled(hour, 0, 23),
        _spelled(day, 1, 31),
        _spelled(month, 1, 12, _MONTHS),
        ",".join(_weekdays(item) for item in weekday.split(",")),
        _spelled(year[0], 1970, 2199) if year else "*",
    ]
    return f"cron({' '.join(fields)})"


def _spelled(field: str, least: int, most: int, names: tuple[str, ...] = ()) -> str:
    return ",".join(_item(item, least, most, names) for item in field.split(","))


def _item(item: str, least: int, most: int, names: tuple[str, ...]) -> str:
    """Return an item; ranges with a step, or over the end of the year, are written out."""
    ends, slash, step = item.partition("/")
    if ends == "*":
        return f"{least}/{step}" if slash else "*"
    first, dash, last = ends.partition("-")
    if not dash:
        return item
    low, high = _number(first, names, least), _number(last, names, least)
    if low <= high and not slash:
        return item
    numbers = (
        [*range(low, high + 1)] if low <= high else [*range(low, most + 1), *range(least, high + 1)]
    )
    chosen = numbers[:: int(step) if slash else 1]
    return ",".join(names[number - least] if names else str(number) for number in chosen)


def _number(text: str, names: tuple[str, ...], least: int) -> int:
    return names.index(text) + least if text in names else int(text)


def _weekdays(item: str) -> str:
    """Return days of the week by their names: AWS counts them from 1, cron from 0."""
    if item in ("?", "L"):
        return item
    for mark in ("#", "L"):
        if mark in item and item not in _DAYS:
            day, _, number = item.partition(mark)
            return f"{_number(day, _DAYS, 0) % 7 + 1}{mark}{number}"
    ends, slash, step = item.partition("/")
    if ends == "*":
        numbers = [*range(7)]
    else:
        first, dash, last = ends.partition("-")
        low = _number(first, _DAYS, 0)
        high = _number(last, _DAYS, 0) if dash else (6 if slash else low)
        numbers = [*range(low, (high if low <= high else high + 7) + 1)]
    chosen = [number % 7 for number in numbers[:: int(step) if slash else 1]]
    is_row = len(chosen) > 2 and chosen == [*range(chosen[0], chosen[0] + len(chosen))]
    if is_row:
        return f"{_DAYS[chosen[0]]}-{_DAYS[chosen[-1]]}"
    return ",".join(_DAYS[number] for number in dict.fromkeys(chosen))
