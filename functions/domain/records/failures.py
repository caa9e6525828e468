"""The error of a run: its failed steps, each with what is known of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from functions.domain.records.executions import SUCCEEDED, Execution
from functions.domain.records.plan import Plan
from functions.domain.records.said import first_of, in_words, parsed, said, with_run
from functions.domain.records.shape import ErrorRecord, RunRecord, StepRecord
from protocol import status as truth
from protocol.names import CANCELLED, RUN_FAILED, SUPERSEDED, TIMEOUT_ERRORS
from protocol.payloads import Json


def run_error(
    execution: Execution, steps: Sequence[StepRecord], plan: Plan | None
) -> ErrorRecord | None:
    """Return the error of an execution that is over, None of one that succeeded.

    The cause of a failed execution names ten steps, cut; here each failed step is named, with the
    first line of its whole message and its details (of a called workflow: its failed steps).
    Its message says of the first why it failed, and names the others.
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
            told += [_whole(entry, steps) for entry in more]
            return {
                "type": RUN_FAILED,
                "message": first_of(told) or str(failure["message"]),
                "details": told,
            }
    if execution.error == SUPERSEDED:
        return {"type": SUPERSEDED, "message": cause}
    kind = execution.error or f"States.{execution.status}"
    if kind == CANCELLED:
        wish = parsed(cause)
        by = wish.get("by") if isinstance(wish, dict) else None
        return {"type": kind, "message": f"cancelled by {by}" if by else "cancelled"}
    return {"type": kind, "message": said(cause) or _in_words(execution)}


def error_of_call(record: RunRecord, own: ErrorRecord | None = None) -> ErrorRecord | None:
    """Return the error of a step by the record of the run that it called: that run's, and its id.

    `own` is what the step itself ended in. Where that is its time, the run was stopped for it,
    and what is told of that is where it was. None: the run has no error.
    """
    error = record["error"]
    if error is None:
        return None
    run_id, message, kind = record["run_id"], error["message"], error["type"]
    if own is not None and own["type"] in TIMEOUT_ERRORS and record["status"] == truth.CANCELLED:
        kind, message = (
            own["type"],
            "the workflow that was called took longer than the step's timeout",
        )
        open_steps = [
            step["step_id"]
            for step in record["steps"]
            if step["status"] == truth.CANCELLED and "started_at" in step
        ]
        message += f"; it was at {', '.join(open_steps)}" if open_steps else ""
    found: ErrorRecord = {"type": kind, "message": with_run(message, run_id), "run_id": run_id}
    if "details" in error:
        found["details"] = error["details"]
    return found


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
    entry |= {"type": error["type"], "message": error["message"].split("\n", 1)[0]}
    return entry | ({"run_id": error["run_id"]} if "run_id" in error else {})


def _cut(entry: dict[str, Json]) -> Json:
    return {**entry, "message": str(entry["message"])[:400]}


def _whole(entry: Json, steps: Sequence[StepRecord]) -> Json:
    """Return a failed step's entry with its error's type and the first line, which travel cut."""
    if not isinstance(entry, dict):
        return entry
    step = next((one for one in steps if one["step_id"] == entry.get("step_id")), None)
    error: Any = None if step is None else step.get("error")
    if error is None:
        return in_words(entry)
    first = error["message"].split("\n", 1)[0]
    whole: dict[str, Json] = {**entry, "type": error["type"], "message": first}
    if "run_id" in error:
        whole["run_id"] = error["run_id"]
    if "details" in error and "details" not in whole:
        whole["details"] = json.loads(json.dumps(error["details"]))
    return whole


def _in_words(execution: Execution) -> str:
    how: Mapping[str, str] = {
        "TIMED_OUT": "the run took longer than its timeout",
        "ABORTED": "the run was stopped",
    }
    return how.get(execution.status, "")
