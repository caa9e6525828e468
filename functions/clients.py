"""How clients of AWS try, by what they are for."""

from __future__ import annotations

from botocore.config import Config

EFFECTS = Config(retries={"total_max_attempts": 1, "mode": "standard"})
"""Calls with an effect of their own are made once: whether again is the machine's business."""
CALLS = Config(retries={"total_max_attempts": 3, "mode": "standard"})
"""Calls of our own may be repeated: what is written and started is the same."""
QUICK = Config(
    retries={"total_max_attempts": 3, "mode": "standard"}, connect_timeout=2, read_timeout=6
)
"""The same for what answers at once or not at all: tables, queues, the bus, executions.

All tries are over before a function's time is, which by default one alone would outlast: so a
machine hears what it was, and tries again.
"""
PATIENT = Config(retries={"total_max_attempts": 10, "mode": "adaptive"})
"""Histories are read when many runs end at once, from a quota that all of the account share."""
