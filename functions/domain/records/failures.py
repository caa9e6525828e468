"""The error of a run: its failed steps, each with what is known of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from functions.domain.records.executions import SUCCEEDED, Execution
from functions.domain.records.plan import Plan
from functions.domain.records.said import in_words, parsed, said
from functions.domain.records.shape import ErrorRecord, StepRecord
from protocol import status as truth
from protocol.names import CANCELLED, RUN_FAILED, SUPERSEDED
from protocol.payloads import Json


def run_error(
    execution: Execution, steps: Sequence[StepRecord], plan: Plan | None
) -> ErrorRecord | None:
    """Return the error of an execution that is over, None of one that succeeded.

    The cause of a failed execution names ten steps, cut; here each failed step is named, with the
    first line of its whole message and its details (of a called workflow: its failed steps).
    """
    if execution.status == SUCCEEDED:
        return None
    cause = execution.cause or ""
    if execution.error == RUN_FAILED:
        failure = parsed(cause)
        if isinstance(failure, dict) and "message" in failure:
            details = failure.get("details")
            entries = details if isinstance(details, list) else []
            told = [_whole(entry, steps) for entry in entries]
            named = {entry.get("step_id") for entry in entries if isinstance(entry, dict)}
            more = [_entry(step) for step in _bad(steps, plan) if step["step_id"] not in named]
            return {
                "type": RUN_FAILED,
                "message": str(failure["message"]),
                "details": [*told, *(_whole(entry, steps) for entry in more)],
            }
    if execution.error == SUPERSEDED:
        return {"type": SUPERSEDED, "message": cause}
    kind = execution.error or f"States.{execution.status}"
    if kind == CANCELLED:
        wish = parsed(cause)
        by = wish.get("by") if isinstance(wish, dict) else None
        return {"type": kind, "message": f"cancelled by {by}" if by else "cancelled"}
    return {"type": kind, "message": said(cause) or _in_words(execution)}


def bad_steps(steps: Sequence[StepRecord], plan: Plan | None) -> list[Json]:
    """Return the failed steps of a run, in the order of its file, as its close machine reads it.

    Of a run that was cut off, the steps that had begun count as failed.
    """
    return [_cut(_entry(step)) for step in _bad(steps, plan)]


def _bad(steps: Sequence[StepRecord], plan: Plan | None) -> list[StepRecord]:
    """Return the steps that fail a run: those in a block do by way of it."""
    if plan is None:
        return []
    rules = {**plan.rules, **plan.handlers}
    return [
        step
        for step in steps
        if step["step_id"] in rules
        and step["step_id"] not in plan.blocks
        and not step.get("tolerated")
        and truth.is_bad(rules[step["step_id"]], step["status"])
        and (step["status"] != truth.CANCELLED or "started_at" in step)
    ]


def _entry(step: StepRecord) -> dict[str, Json]:
    error = step.get("error")
    entry: dict[str, Json] = {"step_id": step["step_id"], "status": step["status"]}
    if error is None:
        return entry | {"type": "States.Timeout", "message": "it was cut off"}
    return entry | {"type": error["type"], "message": error["message"].split("\n", 1)[0]}


def _cut(entry: dict[str, Json]) -> Json:
    return {**entry, "message": str(entry["message"])[:400]}


def _whole(entry: Json, steps: Sequence[StepRecord]) -> Json:
    """Return a failed step's entry with the first line of its message, which travels cut."""
    if not isinstance(entry, dict):
        return entry
    step = next((one for one in steps if one["step_id"] == entry.get("step_id")), None)
    error: Any = None if step is None else step.get("error")
    if error is None:
        return in_words(entry)
    whole: dict[str, Json] = {**entry, "message": error["message"].split("\n", 1)[0]}
    if "details" in error and "details" not in whole:
        whole["details"] = json.loads(json.dumps(error["details"]))
    return whole


def _in_words(execution: Execution) -> str:
    how: Mapping[str, str] = {
        "TIMED_OUT": "the run took longer than its timeout",
        "ABORTED": "the run was stopped",
    }
    return how.get(execution.status, "")
