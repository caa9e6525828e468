"""The machine's own clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """`functions.ports.Clock` of the machine."""

    def now(self) -> datetime:
        """Return the present moment in UTC."""
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        """Wait for a time."""
        time.sleep(seconds)
