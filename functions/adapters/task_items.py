"""Tasks as JSON text: how the tables keep them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from functions.domain.task import Decision, Entry, Link, Notice, Place, Task, Vote


def packed(value: Task | Entry) -> str:
    """Return a task or a line of its audit trail as JSON text."""
    return json.dumps(asdict(value), ensure_ascii=False, default=_moment, separators=(",", ":"))


def task_from(text: str) -> Task:
    """Return the task in a text of `packed`."""
    raw = json.loads(text)
    decision = raw["decision"]
    task = Task(
        **{
            **raw,
            "place": Place(**{**raw["place"], "items": tuple(raw["place"]["items"])}),
            "decision": None if decision is None else Decision(**_timed(decision, "decided_at")),
            "votes": {who: Vote(**_timed(vote, "at")) for who, vote in raw["votes"].items()},
            "links": {who: Link(**_timed(x, "expires_at")) for who, x in raw["links"].items()},
            "notices": {key: Notice(**_timed(x, "at")) for key, x in raw["notices"].items()},
            "history": tuple(Entry(**_timed(entry, "at")) for entry in raw["history"]),
            "people": tuple(raw["people"]),
            "answers": tuple(raw["answers"]),
        }
    )
    return replace(
        task,
        opened_at=datetime.fromisoformat(raw["opened_at"]),
        expires_at=datetime.fromisoformat(raw["expires_at"]),
        due_at=None if raw["due_at"] is None else datetime.fromisoformat(raw["due_at"]),
    )


def entry_from(text: str) -> Entry:
    """Return the line in a text of `packed`."""
    return Entry(**_timed(json.loads(text), "at"))


def _timed(raw: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {**raw, name: datetime.fromisoformat(raw[name])}


def _moment(value: object) -> str:
    assert isinstance(value, datetime)
    return value.isoformat()
