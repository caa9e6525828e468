"""Schedules that would fail when they are deployed are refused when they are read."""

from __future__ import annotations

import zoneinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.spec import cron


@pytest.mark.parametrize(
    "text",
    [
        "0 6 * * 1-5", "*/5 * * * *", "0,30 8-18/2 * * MON-FRI", "0 0 1 JAN *", "0 0 L * ?",
        "0 0 15W * *", "0 0 ? * 5#2", "59 23 31 12 * 2030", "5/10 * * * *", "0 0 * * fri-mon",
        "0 0 * nov-feb *", "0 0 * * 7",
    ],
)  # fmt: skip
def test_a_schedule_that_is_right(text):
    assert cron.problem(text) is None


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("60 * * * *", "'60' is no minute"),
        ("0 24 * * *", "'24' is no hour"),
        ("0 0 0 * *", "'0' is no day of the month"),
        ("0 0 * 13 *", "'13' is no month"),
        ("0 0 * * 8", "'8' is no day of the week"),
        ("0 0 * * MONDAY", "'MONDAY' is no day of the week"),
        ("0 0 * * * 30", "'30' is no year"),
        ("*/0 * * * *", "'*/0' is no minute"),
        ("30-10 * * * *", "'30-10' is no minute"),
        ("1, * * * *", "'1,' is no minute"),
        ("a b c d e", "'a' is no minute"),
        ("0 0 1 * 1", "'0 0 1 * 1' has a day of the month and a day of the week"),
        ("0 6", "'0 6' has 2 fields"),
        ("daily", "'daily' has 1 field"),
        ("@daily", "'@daily' is a word of another tool"),
        ("cron(0 6 * * ? *)", "'cron(0 6 * * ? *)' is a call of another tool"),
    ],
)
def test_a_schedule_that_is_wrong_and_where(text, wrong):
    found = cron.problem(text)
    assert found is not None
    assert found[0] == wrong
    assert found[1]


def test_the_words_of_cron_are_put_into_fields():
    for word in ("@hourly", "@daily", "@weekly", "@monthly", "@yearly"):
        found = cron.problem(word)
        assert found is not None
        assert cron.problem(found[1].split("`")[1]) is None


@given(st.text(alphabet="0159*/-,?LW# MONJAFR@()", max_size=30))
def test_every_text_is_right_or_has_a_problem_with_a_help(text):
    found = cron.problem(text)
    assert found is None or all(found)


def test_the_zones_that_are_in_use_are_zones():
    areas = {name for name in zoneinfo.available_timezones() if "/" in name}
    old = {"SystemV", "posix", "right"}
    assert [name for name in sorted(areas) if name.split("/")[0] not in old
            and not cron.is_zone(name)] == []  # fmt: skip
    assert cron.is_zone("UTC")


@pytest.mark.parametrize("name", ["Berlin", "CET+1", "+02:00", "europe/Berlin", "Europe/", ""])
def test_what_is_no_zone(name):
    assert not cron.is_zone(name)
