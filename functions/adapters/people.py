"""The people of a stage, in a file that the deployment lays beside the code."""

from __future__ import annotations

import json
from pathlib import Path

from functions.domain.people import Directory


def directory_in(path: str | None) -> Directory:
    """Return the people in a JSON file (`groups`, `identities`, `approvers`); none without one."""
    if path is None:
        return Directory()
    raw = json.loads(Path(path).read_text(encoding="utf-8"))
    return Directory(
        groups={name: tuple(members) for name, members in raw.get("groups", {}).items()},
        identities=dict(raw.get("identities", {})),
        approvers=tuple(raw.get("approvers", ())),
    )
