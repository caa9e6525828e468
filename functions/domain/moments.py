"""Moments and times as they are written."""

from __future__ import annotations

from datetime import UTC, datetime


def stamp(moment: datetime) -> str:
    """Return a moment as records write it: UTC, with milliseconds."""
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def lasted(seconds: float) -> str:
    """Return how long something took, in words: `1 second`, `2.5 seconds`."""
    return "1 second" if seconds == 1 else f"{seconds:g} seconds"
