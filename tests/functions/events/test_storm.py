"""A thousand events, each delivered 1 to 5 times by 16 threads, while 2 % of all calls fail."""

from __future__ import annotations

import logging

import pytest

from bench.intake import Weather, storm


@pytest.mark.slow
def test_each_event_of_a_storm_starts_one_run(calls):
    """Dead letters are those, and only those, that can never start."""
    logging.disable(logging.ERROR)
    try:
        found = storm(calls, Weather(1000, 16, 0.02, seed=7, often=(50, 25, 12, 8, 5)))
    finally:
        logging.disable(logging.NOTSET)
    assert found.wrong == []
    assert found.faults > 50
    assert found.deliveries > 1500
