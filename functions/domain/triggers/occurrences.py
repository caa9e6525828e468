"""When a schedule is due, in its time zone.

As EventBridge Scheduler has it: an occurrence at a time that a clock change leaves out is skipped,
and one at a time that comes twice is due once.
https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#daylist-savings-time
"""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from protocol.payloads import Json

LATE = timedelta(minutes=5)
"""An occurrence that comes later than this was missed."""
_LONGEST = timedelta(days=366 * 9)
"""Between two occurrences: from one 29 February to the next, over a year that has none."""
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")


def is_due(settings: Mapping[str, Json], scheduled: datetime, now: datetime) -> bool:
    """Return whether an occurrence that comes now runs, by the trigger's `missed`.

    One that was missed runs with `last` if no other was due since, and with `skip` never.
    """
    policy = settings.get("missed")
    if policy == "all" or now - scheduled <= LATE:
        return True
    if policy == "skip":
        return False
    try:
        following = next(occurrences(settings, scheduled, anchor=scheduled), None)
    except ZoneInfoNotFoundError:  # what is not known here must not keep a run from starting
        return True
    return following is None or following > now


def occurrences(
    settings: Mapping[str, Json], after: datetime, *, anchor: datetime | None = None
) -> Iterator[datetime]:
    """Yield the times at which a schedule trigger's settings are due after a moment, in UTC.

    Those of a `rate` are counted from `anchor` (the beginning of 1970 where none is given), as
    the service counts them from when the schedule was made.
    """
    seconds, written = settings.get("rate"), settings.get("cron")
    if isinstance(seconds, int) and not isinstance(written, str):
        start = datetime(1970, 1, 1, tzinfo=UTC) if anchor is None else anchor
        passed = (after - start) // timedelta(seconds=seconds)
        while True:
            passed += 1
            yield start + timedelta(seconds=seconds * passed)
    zone = ZoneInfo(str(settings.get("timezone") or "UTC"))
    yield from _of_cron(_read(str(written)), zone, after)


def _of_cron(cron: _Cron, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    day = after.astimezone(zone).date()
    last = day + _LONGEST
    while day <= last:
        if cron.is_on(day):
            for hour in cron.hours:
                for minute in cron.minutes:
                    moment = _moment(datetime.combine(day, time(hour, minute)), zone)
                    if moment is not None and moment > after:
                        yield moment
                        last = day + _LONGEST
        day += timedelta(days=1)


def _moment(local: datetime, zone: ZoneInfo) -> datetime | None:
    """Return when a clock shows a time, the first time it does; None where it never does."""
    moment = local.replace(tzinfo=zone, fold=0).astimezone(UTC)
    shown = moment.astimezone(zone).replace(tzinfo=None)
    return moment if shown == local else None


@dataclass(frozen=True, slots=True)
class _Cron:
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    months: frozenset[int]
    years: frozenset[int] | None
    days: tuple[Callable[[date], bool], ...]

    def is_on(self, day: date) -> bool:
        if day.month not in self.months:
            return False
        if self.years is not None and day.year not in self.years:
            return False
        return all(asked(day) for asked in self.days)


def _read(written: str) -> _Cron:
    """Return a cron expression of five or six fields, which the compiler has checked."""
    minute, hour, day, month, weekday, *year = written.upper().split()
    days: list[Callable[[date], bool]] = []
    if day not in ("*", "?"):
        days.append(_any_of([_day_of_month(item) for item in day.split(",")]))
    if weekday not in ("*", "?"):
        days.append(_any_of([_day_of_week(item) for item in weekday.split(",")]))
    return _Cron(
        tuple(sorted(_numbers(minute, 0, 59))),
        tuple(sorted(_numbers(hour, 0, 23))),
        frozenset(_numbers(month, 1, 12, _MONTHS)),
        frozenset(_numbers(year[0], 1970, 2199)) if year and year[0] != "*" else None,
        tuple(days),
    )


def _any_of(asked: list[Callable[[date], bool]]) -> Callable[[date], bool]:
    return lambda day: any(one(day) for one in asked)


def _numbers(field: str, least: int, most: int, names: tuple[str, ...] = ()) -> set[int]:
    found: set[int] = set()
    for item in field.split(","):
        ends, slash, step = item.partition("/")
        first, dash, last = ends.partition("-")
        if first == "*":
            low, high = least, most
        else:
            low = _number(first, names, least)
            high = _number(last, names, least) if dash else (most if slash else low)
        row = (
            [*range(low, high + 1)]
            if low <= high
            else [*range(low, most + 1), *range(least, high + 1)]
        )
        found.update(row[:: int(step) if slash else 1])
    return found


def _number(text: str, names: tuple[str, ...], least: int) -> int:
    return names.index(text) + least if text in names else int(text)


def _day_of_month(item: str) -> Callable[[date], bool]:
    if item == "L":
        return lambda day: day.day == _length(day)
    if item == "LW":
        return lambda day: day.day == _near_working_day(day, _length(day))
    if item.endswith("W"):
        wanted = int(item[:-1])
        return lambda day: day.day == _near_working_day(day, min(wanted, _length(day)))
    numbers = _numbers(item, 1, 31)
    return lambda day: day.day in numbers


def _length(day: date) -> int:
    return calendar.monthrange(day.year, day.month)[1]


def _near_working_day(month: date, wanted: int) -> int:
    """Return the day from Monday to Friday that is nearest to a day, in the same month."""
    weekday = month.replace(day=wanted).weekday()
    if weekday == 5:
        return wanted - 1 if wanted > 1 else wanted + 2
    if weekday == 6:
        return wanted + 1 if wanted < _length(month) else wanted - 2
    return wanted


def _day_of_week(item: str) -> Callable[[date], bool]:
    if item == "L":
        return lambda day: _weekday(day) == 6
    if "#" in item:
        name, _, number = item.partition("#")
        wanted, nth = _number(name, _DAYS, 0) % 7, int(number)
        return lambda day: _weekday(day) == wanted and (day.day - 1) // 7 + 1 == nth
    if item.endswith("L"):
        wanted = _number(item[:-1], _DAYS, 0) % 7
        return lambda day: _weekday(day) == wanted and day.day > _length(day) - 7
    numbers = {number % 7 for number in _row_of_days(item)}
    return lambda day: _weekday(day) in numbers


def _row_of_days(item: str) -> list[int]:
    ends, slash, step = item.partition("/")
    first, dash, last = ends.partition("-")
    if first == "*":
        low, high = 0, 6
    else:
        low = _number(first, _DAYS, 0)
        high = _number(last, _DAYS, 0) if dash else (6 if slash else low)
    row = range(low, (high if low <= high else high + 7) + 1)
    return [*row][:: int(step) if slash else 1]


def _weekday(day: date) -> int:
    """Return the day of the week as cron counts it: Sunday is 0."""
    return (day.weekday() + 1) % 7
