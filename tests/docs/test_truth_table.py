"""The truth table of the documents is that of `protocol/status.py`."""

from __future__ import annotations

from tests.docs.truth_table import PAGE, replaced


def test_the_tables_are_current():
    """After a change: python -m tests.docs.truth_table."""
    page = PAGE.read_text(encoding="utf-8")

    assert replaced(page) == page


def test_another_table_is_noticed():
    page = PAGE.read_text(encoding="utf-8").replace("upstream_skipped", "upstream_failed", 1)

    assert replaced(page) != page
