"""What is stored of a step's result, as records read it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from functions.domain.stored import DONE, UNDONE
from protocol.payloads import Json


@dataclass(frozen=True, slots=True)
class ResultRow:
    """How far a step got, and what it gave or failed with. Times are ISO 8601.

    `run_attempt` is that of the run in which it was claimed.
    """

    status: str  # begun, succeeded, failed, in_doubt (it may have had its effect), or again: void
    attempt: int
    started_at: str
    last_started_at: str
    completed_at: str | None
    outputs: Mapping[str, Json]
    error_type: str | None
    error_message: str | None
    status_code: int | None
    error_details: list[Json] = field(default_factory=list)
    refs: Mapping[str, Json] = field(default_factory=dict)
    run_attempt: int = 1
    undone: bool = False


def row_from(item: Mapping[str, Any]) -> ResultRow:
    """Return the result in an item of the table, or in an image of its stream."""
    envelope = json.loads(item["envelope"]["S"]) if "envelope" in item else {}
    status = item["status"]["S"]
    return ResultRow(
        status=item["was"]["S"] if status == UNDONE and "was" in item else status,
        attempt=int(item["attempt"]["N"]),
        started_at=item["started_at"]["S"],
        last_started_at=item["attempt_started_at"]["S"],
        completed_at=_text(item, "completed_at"),
        outputs=envelope.get("outputs", {}),
        error_type=_text(item, "error_type"),
        error_message=_text(item, "error_message"),
        status_code=int(item["status_code"]["N"]) if "status_code" in item else None,
        error_details=json.loads(_text(item, "error_details") or "[]"),
        refs=envelope.get("refs", {}),
        run_attempt=int(item["run_attempt"]["N"]) if "run_attempt" in item else 1,
        undone=status == UNDONE and _text(item, "undoing") == DONE,
    )


def _text(item: Mapping[str, Any], name: str) -> str | None:
    return str(item[name]["S"]) if name in item else None
