"""Durations are whole seconds; what else people write is answered with what to write."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.spec.durations import LONGEST, PATTERN, DurationError, seconds, shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30s", 30), ("15m", 900), ("72h", 259_200), ("3d", 259_200), ("0s", 0),
        ("PT1H30M", 5400), ("P1D", 86_400), ("P2DT3H4M5S", 183_845), ("PT90S", 90),
        ("365d", LONGEST),
    ],
)  # fmt: skip
def test_a_duration_is_a_number_of_seconds(text, expected):
    assert seconds(text) == expected
    assert re.search(PATTERN, text)


@pytest.mark.parametrize(
    ("text", "help_"),
    [
        ("72", "a bare number has no unit; write 72s, 72m, 72h or 72d"),
        ("1.5h30", "write a number with its unit: 30s, 15m, 72h or 3d"),
        ("1.5h", "write 90m"),
        ("1h30m", "write one number and one unit: 90m"),
        ("15 minutes", "write 15m"),
        ("15M", "write 15m"),
        ("2w", "write 14d"),
        ("1 month", "months and years have no fixed length; write days, such as 30d"),
        ("500ms", "durations are whole seconds; write 1s"),
        ("P1M", "years, months and weeks are not taken; write days, such as 30d or P30D"),
        ("P1W", "years, months and weeks are not taken; write days, such as 30d or P30D"),
        ("366d", "at most 365d"),
    ],
)
def test_what_is_no_duration_is_answered_with_one(text, help_):
    with pytest.raises(DurationError) as error:
        seconds(text)
    assert error.value.help == help_


@pytest.mark.parametrize("text", ["", "P", "PT", "-5s", "5", "½h", "h", "1d2", "P1DT", "１s"])
def test_half_a_duration_is_none(text):
    with pytest.raises(DurationError):
        seconds(text)
    assert not re.search(PATTERN, text)


@given(st.integers(0, LONGEST))
def test_what_is_shown_reads_as_the_same_duration(total):
    assert seconds(shown(total)) == total


@given(st.text(max_size=20))
def test_any_text_is_a_duration_or_gets_an_answer(text):
    answer: str | None = None
    try:
        total = seconds(text)
    except DurationError as error:
        answer, total = error.help, 0
    assert answer != ""
    assert 0 <= total <= LONGEST
