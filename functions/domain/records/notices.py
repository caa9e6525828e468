"""What is told of runs: events on the stage's bus, and messages to the people that `notify` names.

An event has the shape of those that steps publish (`protocol.events`), so that triggers and waits
read it the same way; its `event_id` is the same however often it is published.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias
from urllib.parse import quote

from functions.domain.records.item import RunItem
from functions.domain.records.plan import Plan
from functions.domain.records.shape import FAILED, SUCCEEDED, ErrorRecord, RunRecord
from functions.domain.task import Task
from functions.domain.task_messages import Message
from protocol import status as truth
from protocol.payloads import Json

Occasion: TypeAlias = Literal["failed", "tolerated_failure", "paused", "succeeded"]

_LONGEST_MESSAGE = 1_000
_LONGEST_SUBJECT = 200
_LONGEST_LINE = 500
_MOST_LINES = 10
_HEADS: Mapping[str, str] = {
    "failed": "Failed",
    "tolerated_failure": "A failure was tolerated",
    "paused": "Paused",
    "succeeded": "Succeeded",
    "partial": "Not everything was undone",
}


@dataclass(frozen=True, slots=True)
class Published:
    """An event for the bus."""

    name: str
    detail: dict[str, Json]


def of_end(record: RunRecord, plan: Plan | None, depth: int) -> Iterator[Published]:
    """Yield the events of a run that is over: the steps that failed, then the run itself."""
    for step in record["steps"]:
        rule = None if plan is None else plan.rules[step["step_id"]]
        if rule is None or "error" not in step:
            continue
        if step.get("tolerated"):
            yield of_step("step.tolerated_failure", record, step["step_id"], step["error"], depth)
        elif truth.is_bad(rule, step["status"]):
            yield of_step("step.failed", record, step["step_id"], step["error"], depth)
    yield _published(f"run.{record['status']}", record, {"error": _told(record["error"])}, depth)


def of_step(
    name: str, run: Mapping[str, Any], step: str, error: ErrorRecord, depth: int
) -> Published:
    """Return the event of a step that failed; `run` has at least a summary's fields."""
    return _published(name, run, {"step_id": step, "error": _told(error)}, depth, step)


def of_pause(item: RunItem, task: Task, depth: int) -> Published:
    """Return the event of a run that waits for a person."""
    more: dict[str, Json] = {"step_id": task.place.step_id, "task_id": task.task_id}
    return _published("run.paused", item.summary(), more, depth, task.task_id)


def _published(
    name: str, run: Mapping[str, Any], more: Mapping[str, Json], depth: int, what: str = ""
) -> Published:
    key = "/".join(part for part in (run["run_id"], str(run["run_attempt"]), name, what) if part)
    shown = ("run_id", "run_attempt", "workflow_id", "workflow_version", "status")
    payload: dict[str, Json] = {field: run[field] for field in shown}
    payload |= {field: run[field] for field in ("started_by", "started_at", "completed_at")}
    detail: dict[str, Json] = {
        "event_id": key,
        "payload": {**payload, **more},
        "run": run["run_id"],
        "depth": depth,
        "started_by": run["started_by"],
    }
    return Published(name, detail)


def is_notice(name: str, detail: Mapping[str, Any]) -> bool:
    """Whether an event of the stage's bus is one of these, which are told unasked."""
    key = str(detail.get("event_id")).split("/")
    return len(key) > 2 and key[0] == detail.get("run") and key[2] == name  # as `_published`


def _told(error: ErrorRecord | None) -> Json:
    if error is None:
        return None
    return {"type": error["type"], "message": error["message"][:_LONGEST_MESSAGE]}


def occasions(record: RunRecord) -> list[Occasion]:
    """Return what of a run that is over people may want to be told."""
    found: list[Occasion] = []
    if any(step.get("tolerated") and "error" in step for step in record["steps"]):
        found.append("tolerated_failure")
    if record["status"] == FAILED:
        found.append("failed")
    elif record["status"] == SUCCEEDED:
        found.append("succeeded")
    return found


def is_partial(record: RunRecord) -> bool:
    """Whether something that a failed run did could not be undone."""
    return "closing" in record and record["closing"]["compensation"] == "partial"


def message_of_end(record: RunRecord, occasion: str, api: str, recipient: str | None) -> Message:
    """Return what a recipient is told of a run that is over."""
    parts = [_facts(record, record["started_by"])]
    error = record["error"]
    if occasion == "failed" and error is not None:
        details = error.get("details")
        parts.append("\n".join([f"{error['type']}: {error['message']}", *_lines(details)]))
    if occasion == "tolerated_failure":
        parts.append("\n".join(_tolerated(record)))
    if occasion in ("failed", "partial") and "closing" in record:
        parts.append(_closing(record))
    return _message(record, occasion, recipient, "\n\n".join(part for part in parts if part), api)


def message_of_pause(item: RunItem, task: Task, api: str, recipient: str | None) -> Message:
    """Return what a recipient is told of a run that waits for a person."""
    text = "\n\n".join(
        part
        for part in (_facts(item.summary(), item.started_by), task.title, task.description)
        if part
    )
    return _message(item.summary(), "paused", recipient, text, api)


def _message(
    run: Mapping[str, Any], occasion: str, recipient: str | None, text: str, api: str
) -> Message:
    subject = f"{_HEADS[occasion]}: {run['workflow_id']} ({run['run_id']})"[:_LONGEST_SUBJECT]
    return Message(
        f"run:{run['run_id']}",
        recipient,
        subject,
        text,
        f"{api}/#/runs/{quote(run['run_id'], safe='')}",
        asks=False,
    )


def _facts(run: Mapping[str, Any], started_by: str | None) -> str:
    attempt = f", attempt {run['run_attempt']}" if run["run_attempt"] > 1 else ""
    return "\n".join(
        [
            f"Workflow: {run['workflow_id']}",
            f"Run: {run['run_id']}{attempt}",
            f"Started by: {started_by or 'unknown'}, at {run['started_at']}",
        ]
    )


def _lines(details: Json) -> Iterator[str]:
    entries = [one for one in details if isinstance(one, dict)] if isinstance(details, list) else []
    for one in entries[:_MOST_LINES]:
        message = str(one.get("message", ""))[:_LONGEST_LINE]
        yield f"- {one.get('step_id')}: {one.get('type', one.get('status'))}: {message}"
    if len(entries) > _MOST_LINES:
        yield f"- and {len(entries) - _MOST_LINES} more"


def _tolerated(record: RunRecord) -> Iterator[str]:
    for step in record["steps"]:
        if step.get("tolerated") and "error" in step:
            error = step["error"]
            first = error["message"].split("\n", 1)[0][:_LONGEST_LINE]
            yield f"- {step['step_id']}: {error['type']}: {first}"


def _closing(record: RunRecord) -> str:
    left = [
        f"{one.get('step')}{_places(one.get('items'))}"
        for one in record["closing"]["undone"]
        if isinstance(one, dict) and one.get("status") == "failed"
    ]
    if left:
        return f"Could not be undone: {', '.join(left)}"
    return "What it had done was undone." if record["closing"]["undone"] else ""


def _places(items: Json) -> str:
    """Return in which items of a for_each something was; nothing outside of one."""
    return "".join(f"[{index}]" for index in items) if isinstance(items, list) else ""
