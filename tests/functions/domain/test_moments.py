"""Moments and times in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from functions.domain.moments import lasted

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(1, "1 second"), (1.0, "1 second"), (0, "0 seconds"), (2, "2 seconds"), (0.2, "0.2 seconds")],
)
def test_one_second_is_no_seconds(seconds, told):
    assert lasted(seconds) == told


def test_no_message_counts_seconds_by_itself():
    """Each would say `1 seconds`."""
    files = [file for top in ("functions", "local", "cli") for file in (ROOT / top).rglob("*.py")]
    own = {"moments.py"}
    found = [file.name for file in files if ":g} seconds" in file.read_text(encoding="utf-8")]
    assert set(found) <= own
