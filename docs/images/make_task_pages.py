"""Draw the pages of a task as pictures: pending, overdue and decided.

    python docs/images/make_task_pages.py

Each is rendered as the API renders it, and photographed by a Chromium without a window: light
and dark, as wide as a phone and as a desktop. Without Chromium nothing is done.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from functions.domain.task import (  # noqa: E402 (of the project around this file)
    APPROVED,
    Decision,
    Place,
    Task,
)
from functions.http.page import Hidden, task_page  # noqa: E402

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
ALICE = "alice@example.com"
DARK, LIGHT = "0", "1"
PENDING = Task(
    task_id="0" * 32,
    kind="manual",
    place=Place("release-4f1c9a0be2d75c3318aa", 1, "review"),
    workflow_id="release",
    workflow_version="2.1",
    opened_at=NOW - timedelta(hours=2),
    due_at=NOW + timedelta(hours=46),
    expires_at=NOW + timedelta(hours=70),
    title="Review the staging deployment of shop 2.14",
    description=(
        "Twelve changes are on staging: https://staging.example.com/shop\n"
        "Please look at the new checkout before it goes to production."
    ),
    people=(ALICE, "bob@example.com"),
    started_by="carol@example.com",
    answers=("approved", "rejected"),
    form={
        "type": "object",
        "required": ["window", "strategy"],
        "properties": {
            "window": {
                "type": "string",
                "format": "date",
                "title": "Day of the release",
                "description": "Not on a Friday.",
            },
            "strategy": {
                "enum": ["all at once", "canary", "blue-green"],
                "title": "How",
                "default": "canary",
            },
            "announce": {"type": "boolean", "title": "Announce it in the newsletter"},
        },
    },
)
OVERDUE = replace(
    PENDING,
    due_at=NOW - timedelta(hours=5),
    expires_at=NOW + timedelta(hours=19),
    form=None,
)
DECIDED = replace(
    OVERDUE,
    status=APPROVED,
    decision=Decision(
        status=APPROVED,
        decided_at=NOW - timedelta(minutes=8),
        decided_by=ALICE,
        comments="The checkout works, also with the screen reader.",
        via="link",
    ),
)


def pages() -> Iterator[tuple[str, str]]:
    """Return the pages by name."""
    hidden = Hidden("csrf", "token")
    following = ("Deploy to production", "Tell the support team")
    yield "pending", task_page(PENDING, ALICE, NOW, hidden=hidden, following=following)
    yield "overdue", task_page(OVERDUE, ALICE, NOW, hidden=hidden, following=following)
    yield "decided", task_page(DECIDED, ALICE, NOW)


SHOTS = (
    ("pending", "phone", LIGHT, "390,1537"),
    ("pending", "desktop-dark", DARK, "900,1321"),
    ("overdue", "phone-dark", DARK, "390,1206"),
    ("overdue", "desktop", LIGHT, "900,990"),
    ("decided", "phone", LIGHT, "390,806"),
    ("decided", "desktop-dark", DARK, "900,659"),
)
"""Page, what the picture is called, its colours, its size."""


def shoot(chromium: str, page: Path, picture: Path, colours: str, size: str) -> None:
    """Photograph a page."""
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [
                chromium,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars",
                "--force-device-scale-factor=1",
                f"--blink-settings=preferredColorScheme={colours}",
                f"--user-data-dir={profile}",
                f"--window-size={size}",
                f"--screenshot={picture}",
                page.as_uri(),
            ],
            check=True,
            capture_output=True,
            timeout=120,
        )


def main() -> int:
    """Draw all pictures; return the exit code."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.stderr.write("there is no Chromium here: nothing is drawn\n")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        made = {}
        for name, html in pages():
            made[name] = Path(folder, f"{name}.html")
            made[name].write_text(html, encoding="utf-8")
        for name, look, colours, size in SHOTS:
            shoot(chromium, made[name], HERE / f"task-{name}-{look}.png", colours, size)
    return 0


if __name__ == "__main__":
    sys.exit(main())
