"""A run as text: its steps, its outputs, what followed a failure, and what is known of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from cli.output.causes import of_item
from cli.output.paint import shown
from cli.output.progress import Style, spoken
from protocol.status import CANCELLED

if TYPE_CHECKING:
    from functions.domain.records.shape import ClosingRecord, RunRecord, StepRecord
    from protocol.payloads import Json

_WIDEST_VALUE = 60
_LOG_LINES = 12
_MOST_ITEMS = 5


def summary(
    record: RunRecord,
    file: object,
    lines: Mapping[str, int],
    style: Style,
    *,
    time: str = " of the workflow's time",
) -> str:
    """Return a run's record as text.

    `file` is the workflow's, `lines` are its steps' where the record does not say them; `time`
    is said behind how long it took.
    """
    left_out = record.get("not_carried_out", [])
    ids = [*(step["step_id"] for step in record["steps"]), *left_out]
    width = max(map(len, ids), default=0)
    out = ["", _head(record, style, time)]
    out += [_row(step, width) for step in record["steps"]]
    out += [f"  {step:<{width}}  not carried out" for step in left_out]
    closing = record.get("closing")
    if closing is not None:
        out += _closing(closing, width, style)
    if record["outputs"]:
        out += ["", f"outputs: {json.dumps(record['outputs'], ensure_ascii=False)}"]
    handlers = [] if closing is None else closing["handlers"]
    for step in (*record["steps"], *handlers):
        if "error" in step and not step.get("tolerated"):
            out += ["", *_failure(step, file, lines, style)]
    if record["error"] and not any("error" in step for step in record["steps"]):
        out += ["", f"{record['error']['type']}: {record['error']['message']}"]
    return "\n".join(out) + "\n"


def _head(record: RunRecord, style: Style, time: str) -> str:
    name, status, completed = record["workflow_id"], record["status"], record["completed_at"]
    if completed is None:
        return style(f"{name} {status}, started at {record['started_at']}", "strong")
    took = took_between(record["started_at"], completed)
    is_good = status == "succeeded"
    steps = record["steps"]
    if is_good and steps and all(step["status"] == "skipped" for step in steps):
        why = next((step["reason"] for step in steps if step.get("reason")), None)
        return style(f"{name} succeeded: nothing to do" + (f" ({why})" if why else ""), "good")
    return style(f"{name} {status} in {took}{time}", "good" if is_good else "bad")


def _closing(closing: ClosingRecord, width: int, style: Style) -> list[str]:
    """Return what followed a failed run: what was undone, newest first, and its handlers."""
    out: list[str] = []
    if closing["undone"]:
        out += ["", style(f"undone, the newest first: {closing['compensation']}", "strong")]
        out += [_undone(one, width) for one in closing["undone"] if isinstance(one, dict)]
    if closing["handlers"]:
        out += ["", style("on_failure", "strong")]
        out += [_row(step, width) for step in closing["handlers"]]
    if closing["error"] is not None and not closing["handlers"]:
        out += ["", f"{closing['error']['type']}: {closing['error']['message']}"]
    return out


def _undone(one: Mapping[str, Any], width: int) -> str:
    items = "".join(f"[{index}]" for index in one.get("items") or ())
    cells = [f"  {str(one.get('step')) + items:<{width}}", str(one.get("status"))]
    error = one.get("error")
    if isinstance(error, dict):
        first = str(error.get("message", "")).split("\n", 1)[0]
        cells.append(f"{error.get('type')}: {shown(first)}")
    return "  ".join(cells)


def _row(step: StepRecord, width: int) -> str:
    cells = [f"  {step['step_id']:<{width}}", f"{_status(step):<28}"]
    outputs = step.get("outputs")
    if isinstance(outputs, dict):  # of a for_each they are a list
        given = {name: value for name, value in outputs.items() if value is not None}
        cells.append("  ".join(f"{name}={_short(value)}" for name, value in given.items()))
    return "  ".join(cells).rstrip()


def _status(step: StepRecord) -> str:
    status = step["status"] + (" (tolerated)" if step.get("tolerated") else "")
    if step.get("reason"):
        return f"{status} ({step['reason']})"
    attempt = step.get("attempt", 1)
    return f"{status} (attempt {attempt})" if attempt > 1 else status


def _failure(step: StepRecord, file: object, lines: Mapping[str, int], style: Style) -> list[str]:
    error = step["error"]
    first, *rest = error["message"].splitlines() or [""]
    line = lines.get(step["step_id"], step.get("line"))
    place = f"{file}:{line}" if line else str(file)
    head = style(f"{step['step_id']}: {error['type']}: {shown(first)}", "bad")
    told = [f"  | {shown(text)}".rstrip() for text in rest[-_LOG_LINES:]]
    return [head, f"  at {place}", *told, *_bad_items(step)]


def _bad_items(step: StepRecord) -> list[str]:
    """Return of a for_each the items that failed, with their errors, and those cut off."""
    bad = [item for item in step.get("items", ()) if "error" in item]
    cut_off = [str(item["index"]) for item in step.get("items", ()) if item["status"] == CANCELLED]
    told = [f"  item {item['index']}: {of_item(item['error'])}" for item in bad[:_MOST_ITEMS]]
    more = len(bad) - _MOST_ITEMS
    told += [f"  and {more} more"] if more > 0 else []
    if cut_off:
        rest = len(cut_off) - _MOST_ITEMS
        listed = ", ".join(cut_off[:_MOST_ITEMS]) + (f" and {rest} more" if rest > 0 else "")
        told.append(f"  cancelled: {'item' if len(cut_off) == 1 else 'items'} {listed}")
    return told


def _short(value: Json) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = shown(text.replace("\n", "⏎"))
    return text if len(text) <= _WIDEST_VALUE else text[: _WIDEST_VALUE - 1] + "…"


def took_between(start: str, end: str) -> str:
    """Return how long it is from one time to another, as people say it."""
    return spoken((datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds())
