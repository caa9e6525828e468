"""When schedules are due: every field of a cron expression, and clocks that are put on and back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise, takewhile
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.domain.triggers.occurrences import is_due, occurrences

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


def due(cron: str, zone: str = "UTC", after: datetime = NEW_YEAR, count: int = 3) -> list[str]:
    """Return the first times that a schedule is due, as its own clock shows them."""
    found = islice(occurrences({"cron": cron, "timezone": zone}, after), count)
    return [one.astimezone(ZoneInfo(zone)).strftime("%a %d.%m.%y %H:%M%z") for one in found]


@pytest.mark.parametrize(
    ("cron", "expected"),
    [
        ("0 6 * * 1-5", ["Thu 01.01.26 06:00", "Fri 02.01.26 06:00", "Mon 05.01.26 06:00"]),
        ("30 4 1,15 * ?", ["Thu 01.01.26 04:30", "Thu 15.01.26 04:30", "Sun 01.02.26 04:30"]),
        ("*/20 23 * * *", ["Thu 01.01.26 23:00", "Thu 01.01.26 23:20", "Thu 01.01.26 23:40"]),
        ("5/20 0 * * *", ["Thu 01.01.26 00:05", "Thu 01.01.26 00:25", "Thu 01.01.26 00:45"]),
        ("0 0 * * 0", ["Sun 04.01.26 00:00", "Sun 11.01.26 00:00", "Sun 18.01.26 00:00"]),
        ("0 0 * * 7", ["Sun 04.01.26 00:00", "Sun 11.01.26 00:00", "Sun 18.01.26 00:00"]),
        ("0 0 * * fri-mon", ["Fri 02.01.26 00:00", "Sat 03.01.26 00:00", "Sun 04.01.26 00:00"]),
        ("0 0 L * *", ["Sat 31.01.26 00:00", "Sat 28.02.26 00:00", "Tue 31.03.26 00:00"]),
        ("0 0 LW * *", ["Fri 30.01.26 00:00", "Fri 27.02.26 00:00", "Tue 31.03.26 00:00"]),
        ("0 0 15W * *", ["Thu 15.01.26 00:00", "Mon 16.02.26 00:00", "Mon 16.03.26 00:00"]),
        ("0 0 ? * 5L", ["Fri 30.01.26 00:00", "Fri 27.02.26 00:00", "Fri 27.03.26 00:00"]),
        ("0 0 ? * 2#1", ["Tue 06.01.26 00:00", "Tue 03.02.26 00:00", "Tue 03.03.26 00:00"]),
        ("0 0 29 2 *", ["Tue 29.02.28 00:00", "Sun 29.02.32 00:00", "Fri 29.02.36 00:00"]),
        ("0 0 1 NOV-FEB *", ["Thu 01.01.26 00:00", "Sun 01.02.26 00:00", "Sun 01.11.26 00:00"]),
        ("0 0 1 1 * 2027,2029", ["Fri 01.01.27 00:00", "Mon 01.01.29 00:00"]),
    ],
)
def test_a_schedule_is_due_when_its_fields_say(cron, expected):
    after = NEW_YEAR - timedelta(seconds=1)
    assert due(cron, after=after) == [f"{time}+0000" for time in expected]


def test_a_rate_is_due_every_so_often():
    found = islice(occurrences({"rate": 900}, NEW_YEAR + timedelta(minutes=1)), 2)
    assert list(found) == [NEW_YEAR + timedelta(minutes=15), NEW_YEAR + timedelta(minutes=30)]


# --- clocks that are put on and back: as EventBridge Scheduler has it ----------------------------


def test_a_time_that_a_clock_leaves_out_is_skipped():
    assert due("30 2 * * *", "Europe/Berlin", datetime(2026, 3, 28, tzinfo=UTC)) == [
        "Sat 28.03.26 02:30+0100",
        "Mon 30.03.26 02:30+0200",  # there is no half past two on the 29th
        "Tue 31.03.26 02:30+0200",
    ]


def test_a_time_that_a_clock_shows_twice_is_due_once():
    assert due("30 2 * * *", "Europe/Berlin", datetime(2026, 10, 24, tzinfo=UTC)) == [
        "Sat 24.10.26 02:30+0200",
        "Sun 25.10.26 02:30+0200",  # and not again at 02:30+0100
        "Mon 26.10.26 02:30+0100",
    ]


ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata",
         "America/St_Johns", "Pacific/Apia", "Africa/Casablanca")  # fmt: skip
FIELDS = st.tuples(
    st.sampled_from(["0", "30", "*/15", "59", "1-3"]),
    st.sampled_from(["*", "1", "2", "0-3", "*/6", "23"]),
    st.sampled_from(["*", "1", "L", "25-31"]),
    st.sampled_from(["*", "3", "10,11", "4/3"]),
    st.just("*"),
)


@given(FIELDS, st.sampled_from(ZONES), st.integers(2015, 2035), st.integers(0, 365))
def test_no_occurrence_is_due_twice_and_each_is_at_a_time_that_was_asked_for(
    fields, zone, year, day
):
    """Over every clock change: the identities, schedule and moment, are as many as occurrences."""
    after = datetime(year, 1, 1, tzinfo=UTC) + timedelta(days=day)
    settings = {"cron": " ".join(fields), "timezone": zone}
    found = list(islice(occurrences(settings, after), 60))
    assert all(one < other for one, other in pairwise([after, *found]))
    local = [one.astimezone(ZoneInfo(zone)).replace(tzinfo=None) for one in found]
    assert len(set(local)) == len(local)  # no time of the clock comes twice, either


@given(st.sampled_from(ZONES), st.integers(2015, 2035), st.integers(0, 365))
def test_every_time_that_a_clock_shows_on_the_hour_is_due(zone, year, day):
    """Held against the clock itself, one hour of the world after the other."""
    after = datetime(year, 1, 1, tzinfo=UTC) + timedelta(days=day)
    until = after + timedelta(days=3)
    settings = {"cron": "0 * * * *", "timezone": zone}
    found = set(takewhile(lambda one: one <= until, occurrences(settings, after)))
    expected, seen = set(), set()
    moment = after
    while moment < until:
        moment += timedelta(minutes=30)
        shown = moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
        if shown.minute == 0 and shown not in seen:
            expected.add(moment)
        seen.add(shown)
    missing = {one for one in expected - found if one.astimezone(ZoneInfo(zone)).fold == 0}
    assert found <= expected
    assert not missing


# --- what was missed -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("missed", "late", "runs"),
    [
        ("last", timedelta(minutes=4), True),  # no more than a slow queue
        ("last", timedelta(minutes=59), True),  # the last one that was due
        ("last", timedelta(minutes=61), False),
        ("all", timedelta(days=3), True),
        ("skip", timedelta(minutes=6), False),
        ("skip", timedelta(minutes=4), True),
    ],
)
@pytest.mark.parametrize("every", [{"rate": 3600}, {"cron": "0 * * * *"}])
def test_a_schedule_says_what_becomes_of_times_that_come_late(every, missed, late, runs):
    settings = {**every, "missed": missed, "timezone": "UTC"}
    assert is_due(settings, NEW_YEAR, NEW_YEAR + late) is runs


def test_after_an_outage_the_last_occurrence_runs_and_those_of_the_last_minutes():
    settings = {"cron": "*/10 * * * *", "missed": "last"}
    now = NEW_YEAR + timedelta(hours=2, minutes=7)
    waited = list(takewhile(lambda one: one <= now, occurrences(settings, NEW_YEAR)))
    assert [one for one in waited if is_due(settings, one, now)] == [waited[-1]]


def test_a_time_zone_that_is_not_known_here_keeps_nothing_from_starting():
    settings = {"cron": "0 * * * *", "timezone": "Europe/Nowhere", "missed": "last"}
    assert is_due(settings, NEW_YEAR, NEW_YEAR + timedelta(days=1))


def test_what_was_missed_is_asked_in_the_schedule_s_own_time_zone():
    settings = {"cron": "0 9 * * 1", "timezone": "Europe/Berlin", "missed": "last"}
    monday = datetime(2026, 3, 23, 8, tzinfo=UTC)  # 9:00+0100
    following = datetime(2026, 3, 30, 7, tzinfo=UTC)  # 9:00+0200
    assert is_due(settings, monday, following - timedelta(seconds=1))
    assert not is_due(settings, monday, following)
