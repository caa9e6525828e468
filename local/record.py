"""The record of a local run, from stored results, the execution's history and the plan's rules.

Not here yet: items of a for_each, repeats, child runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NotRequired, TypedDict

from local.program import Program
from local.results import ResultRow
from local.timeline import StateTimes, Timeline
from local.workflow import Ran
from protocol import status as truth
from protocol.names import RUN_FAILED, TIMEOUT_ERRORS
from protocol.payloads import Json
from protocol.status import Outcome, Rule


class ErrorRecord(TypedDict):
    """What failed a step or a run."""

    type: str
    message: str
    details: NotRequired[Json]


class StepRecord(TypedDict):
    """What became of a step."""

    step_id: str
    status: str
    reason: NotRequired[str | None]
    tolerated: NotRequired[bool]
    in_doubt: NotRequired[bool]
    attempt: NotRequired[int]
    started_at: NotRequired[str]
    completed_at: NotRequired[str | None]
    outputs: NotRequired[Mapping[str, Json]]
    error: NotRequired[ErrorRecord]


class RunRecord(TypedDict):
    """A run, as `stepsmith run --format json` prints it."""

    run_id: str
    workflow_id: str
    workflow_version: str
    run_attempt: int
    status: str
    started_by: str | None
    started_at: str
    completed_at: str
    steps: list[StepRecord]
    outputs: Json
    error: ErrorRecord | None


_STATUSES = {"SUCCEEDED": "succeeded", "FAILED": "failed", "TIMED_OUT": "failed"}


def build(ran: Ran, program: Program, started_by: str | None = None) -> RunRecord:
    """Return the record of a run that is over."""
    finished = ran.finished
    timeline = Timeline(finished.history)
    steps = [
        _step(rule, ran.rows.get(step), timeline.states.get(step), ran)
        for step, rule in program.rules.items()
    ]
    _give_reasons(steps, program.rules)
    return {
        "run_id": ran.run_id,
        "workflow_id": program.workflow,
        "workflow_version": program.version,
        "run_attempt": 1,
        "status": _STATUSES.get(finished.status, "cancelled"),
        "started_by": started_by,
        "started_at": _stamp(finished.started_at),
        "completed_at": _stamp(finished.completed_at),
        "steps": steps,
        "outputs": finished.output,
        "error": _run_error(ran),
    }


def _step(rule: Rule, row: ResultRow | None, times: StateTimes | None, ran: Ran) -> StepRecord:
    if row is not None:
        record = _from_row(rule.id, row, cut_off=ran.finished.status == "ABORTED")
    elif times is not None:
        record = _from_history(rule.id, times)
    else:
        return {"step_id": rule.id, "status": _never_entered(ran)}
    if truth.is_tolerated(rule, record["status"]):
        record["tolerated"] = True
    return record


def _from_row(step: str, row: ResultRow, *, cut_off: bool) -> StepRecord:
    record: StepRecord = {
        "step_id": step,
        "status": truth.SUCCEEDED,
        "attempt": row.attempt,
        "started_at": _stamp(datetime.fromisoformat(row.started_at)),
        "completed_at": _maybe(row.completed_at),
        "outputs": row.outputs,
    }
    ended_by_us = cut_off and (row.status_code or 0) < 0  # a script's, by our signal
    if row.status == "begun" or ended_by_us:
        record |= {"status": truth.CANCELLED, "in_doubt": True}
    elif row.status == "failed":
        kind = row.error_type or "Error"
        record["status"] = truth.TIMED_OUT if kind in TIMEOUT_ERRORS else truth.FAILED
        record["error"] = {"type": kind, "message": row.error_message or ""}
    return record


def _from_history(step: str, times: StateTimes) -> StepRecord:
    """Return the record of a step without a stored result: what its state came to."""
    record: StepRecord = {
        "step_id": step,
        "status": truth.SUCCEEDED,
        "started_at": _stamp(times.entered),
        "completed_at": _stamp(times.exited) if times.exited else None,
    }
    if times.attempt:
        record["attempt"] = times.attempt
    if times.succeeded is False:
        kind = times.error or "Error"
        record["status"] = truth.TIMED_OUT if kind in TIMEOUT_ERRORS else truth.FAILED
        record["error"] = {"type": kind, "message": said(times.cause)}
    elif times.exited is None:
        record["status"] = truth.CANCELLED
    return record


def _never_entered(ran: Ran) -> str:
    """A step that a run did not reach was skipped, unless the run was cut off before."""
    finished = ran.finished
    whole = finished.status == "SUCCEEDED" or finished.error == RUN_FAILED
    return truth.SKIPPED if whole else truth.CANCELLED


def _give_reasons(steps: list[StepRecord], rules: Mapping[str, Rule]) -> None:
    """Give each skipped step the reason that the truth table has for it."""
    by_id = {record["step_id"]: record for record in steps}
    outcomes: dict[str, Outcome] = {}
    above: dict[str, frozenset[str]] = {}
    for step in _in_order(rules):
        rule, record = rules[step], by_id[step]
        above[step] = frozenset(rule.depends_on).union(*(above[d] for d in rule.depends_on))
        reason = None
        if record["status"] == truth.SKIPPED:
            bad = [a for a in above[step] if truth.is_bad(rules[a], outcomes[a].status)]
            reason = truth.decide(
                rule,
                bad_above=bad,
                has_counting=truth.has_counting_dependency(rule, rules, outcomes),
                condition=lambda: False,  # it was skipped: what it has, did not hold
            )
            record["reason"] = reason
        outcomes[step] = Outcome(record["status"], reason)


def _in_order(rules: Mapping[str, Rule]) -> list[str]:
    """Return the steps so that each comes after its dependencies."""
    ordered: dict[str, None] = {}
    stack: list[str] = list(rules)[::-1]
    while stack:
        step = stack[-1]
        waiting = [d for d in rules[step].depends_on if d not in ordered]
        if waiting and step not in ordered:
            stack += waiting
            continue
        ordered[stack.pop()] = None
    return list(ordered)


def _run_error(ran: Ran) -> ErrorRecord | None:
    finished = ran.finished
    if finished.status == "SUCCEEDED":
        return None
    cause = finished.cause or ""
    if finished.error == RUN_FAILED:
        try:
            failure = json.loads(cause)
            details = [_whole(detail, ran) for detail in failure.get("details", [])]
            return {
                "type": RUN_FAILED,
                "message": str(failure["message"]),
                "details": details,
            }
        except (ValueError, TypeError, KeyError):
            pass
    return {"type": finished.error or f"States.{finished.status}", "message": cause}


def _whole(detail: dict[str, Json], ran: Ran) -> Json:
    """Return a failed step's entry with the first line stored; the machine carries it cut."""
    row = ran.rows.get(str(detail.get("step_id")))
    if row is None or row.error_message is None:
        return detail
    return {**detail, "message": row.error_message.split("\n", 1)[0]}


def said(cause: str | None) -> str:
    """Return the message in a cause: Lambda's causes are JSON, others plain text."""
    try:
        parsed = json.loads(cause or "")
        return str(parsed["errorMessage"])
    except (ValueError, TypeError, KeyError):
        return cause or ""


def _maybe(text: str | None) -> str | None:
    return None if text is None else _stamp(datetime.fromisoformat(text))


def _stamp(moment: datetime) -> str:
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")
