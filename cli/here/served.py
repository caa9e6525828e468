"""Where a stage of this machine is served, and with which pages."""

from __future__ import annotations

from pathlib import Path

PORT, PORTS = 8321, 50
"""The first port that is tried, and how many are."""
CONSOLE = Path(__file__).parents[2] / "console"


def console_folder() -> Path | None:
    """Return the folder of the console's files; None where they are not installed."""
    return CONSOLE if (CONSOLE / "index.html").is_file() else None
