"""What became of each step of a run: from its stored results and what its states came to.

A step's states are called after it: `deploy`, `deploy.again`, `deploy.items`. In a for_each they
are `deploy.item`, once an item; steps of a parallel block keep their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from functions.domain.records.rows import ResultRow
from functions.domain.records.said import (
    child_message,
    described,
    first_of,
    parsed,
    run_of,
    said,
    stamp,
)
from functions.domain.records.shape import ItemRecord, StepRecord
from functions.domain.records.timeline import Items, StateTimes, Timeline
from protocol import status as truth
from protocol.names import DEADLINE_PASSED, STEPS_FAILED, TIMEOUT_ERRORS
from protocol.payloads import Json
from protocol.status import Rule

REJECTED_ERROR = "Rejected"
_WORK = frozenset(
    {"", "each", "items", "joined", "all", "decided", "expire", "again", "until", "time"}
    | {"result", "pause", "paused", "act", "answer", "level", "stopped", "keep"}
)
"""Parts of a step's states that carry it out; the others skip it, wait for others or tell on."""
_BEGINS = frozenset({"", "each", "all"})


Visits: TypeAlias = "dict[Items, list[tuple[str, StateTimes]]]"
"""States that carried a step out, by items, with their parts' names."""


@dataclass(frozen=True, slots=True)
class Story:
    """All that is known of one execution with its chunks: what its states came to, and rows.

    `whole` says that it came to its own end, so that what it did not reach was skipped. Rows
    of an earlier `attempt` of the run count where the step was come to again.
    """

    timelines: Sequence[Timeline]
    rows: Mapping[str, ResultRow]
    whole: bool
    cut_off: bool
    attempt: int = 1

    def visits(self) -> dict[str, Visits]:
        """Return the states that carried steps out, by the steps."""
        found: dict[str, Visits] = {}
        for timeline in self.timelines:
            for (name, items), times in timeline.states.items():
                step, _, part = name.partition(".")
                if part == "item" or part.startswith("item."):
                    part = part.removeprefix("item").removeprefix(".")
                if part.split("_")[0] in _WORK:
                    found.setdefault(step, {}).setdefault(items, []).append((part, times))
        return {
            step: {
                items: visits
                for items, visits in at.items()
                if any(part in _BEGINS for part, _ in visits)
            }
            for step, at in found.items()
        }

    def is_earlier(self, row: ResultRow) -> bool:
        """Whether a row was written by an earlier attempt of the run, or is void."""
        return row.run_attempt < self.attempt or row.status == "again"


@dataclass(slots=True)
class Found:
    """What is stored and what happened of a step at some items."""

    row: ResultRow | None = None
    rounds: int = 0
    visits: list[tuple[str, StateTimes]] = field(default_factory=list)


def records_of(rules: Mapping[str, Rule], story: Story) -> list[StepRecord]:
    """Return the records of steps in the order of their rules, without reasons of skips."""
    rows, visits = places_of(story.rows), story.visits()
    return [
        _step(rule, rows.get(rule.id, {}), visits.get(rule.id, {}), story)
        for rule in rules.values()
    ]


def places_of(rows: Mapping[str, ResultRow]) -> dict[str, dict[Items, Found]]:
    """Return rows by step and items; of a repeat's rounds the last."""
    found: dict[str, dict[Items, Found]] = {}
    for path, row in rows.items():
        step, *parts = path.split("/")
        number = next((int(part[1:]) for part in parts if part.startswith("r")), 0)
        items = tuple(int(part) for part in parts if part.isdigit())
        at = found.setdefault(step, {}).setdefault(items, Found())
        if at.row is None or number >= at.rounds:
            at.row, at.rounds = row, number
    return found


def _step(rule: Rule, found: dict[Items, Found], visits: Visits, story: Story) -> StepRecord:
    called_off = {items for at, count in _stopped(visits) for items in _items_of(at, count)}
    places = {
        items: Found(one.row, one.rounds)
        for items, one in found.items()
        if items in visits
        or not (one.row and story.is_earlier(one.row))
        or (items in called_off and one.row.status == "succeeded")  # nobody came to it again
    }
    for items, seen in visits.items():
        places.setdefault(items, Found()).visits = seen
    for items in called_off:
        places.setdefault(items, Found())
    if not places:
        status = truth.SKIPPED if story.whole else truth.CANCELLED
        return {"step_id": rule.id, "status": status}
    depth = min(map(len, places))
    record: StepRecord = {"step_id": rule.id, "status": truth.SUCCEEDED}
    own = places.get(()) or Found()
    if depth == 0:
        record |= _record(rule, own, story)  # type: ignore[typeddict-item]
    inner = {items: one for items, one in places.items() if items}
    if inner:
        record["items"] = [_item(rule, items, one, story) for items, one in sorted(inner.items())]
        summed_up(record, record["items"], is_known=depth == 0)
    skipped = _was_let_go(own.visits)
    if truth.is_tolerated(rule, record["status"]) or skipped:
        record["tolerated"] = True
    return record


def _stopped(visits: Visits) -> Iterator[tuple[Items, int]]:
    """Yield how many items a for_each had that its first bad item ended, by the items around."""
    for items, seen in visits.items():
        for part, times in seen:
            output = parsed(times.output) if part == "stopped" else None
            count = output.get("count") if isinstance(output, dict) else None
            if isinstance(count, int):
                yield items, count


def _items_of(around: Items, count: int) -> Iterator[Items]:
    return ((*around, index) for index in range(count))


def _item(rule: Rule, items: Items, found: Found, story: Story) -> ItemRecord:
    index: Any = items[0] if len(items) == 1 else list(items)
    record: Any = {"index": index} | _record(rule, found, story)
    made: ItemRecord = record
    return made


def summed_up(record: StepRecord, items: list[ItemRecord], *, is_known: bool) -> None:
    """Give a for_each the times and outputs of its items, where its own states have none."""
    outputs: list[Json] = [
        item.get("outputs") if item["status"] == truth.SUCCEEDED else None for item in items
    ]
    record["outputs"] = outputs
    record.pop("attempt", None)
    if all(item.get("kept") for item in items):
        record["kept"] = True
    if is_known:
        return
    statuses = {item["status"] for item in items}
    against = [s for s in (truth.FAILED, truth.TIMED_OUT, truth.CANCELLED) if s in statuses]
    record["status"] = against[0] if against else truth.SUCCEEDED
    begun = [item for item in items if "started_at" in item]
    starts = [item["started_at"] for item in begun]
    ends = [item.get("completed_at") for item in begun]
    if starts:
        record["started_at"] = min(starts)
    record["completed_at"] = max((end or "" for end in ends), default=None) if all(ends) else None


def _record(rule: Rule, found: Found, story: Story) -> dict[str, Any]:
    told = _from_states(rule, found.visits) if found.visits else None
    if found.row is None:
        # One of a for_each that was stopped before it came to it.
        return {"status": truth.CANCELLED} if told is None else told
    earlier = story.is_earlier(found.row)
    if (
        earlier
        and told is not None
        and not (told["status"] == truth.SUCCEEDED and found.row.status == "succeeded")
    ):
        return told
    record = from_row(found.row, cut_off=story.cut_off)
    if found.rounds:
        record["rounds"] = found.rounds
    if earlier:
        return record | {"kept": True}
    return record if told is None else _merged(record, told)


def _merged(record: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """Return what is stored, with what the states around the wrapper made of it.

    An attempt that the deadline kept from beginning has stored nothing: the one before it has.
    """
    is_late = told.get("error", {}).get("type") == DEADLINE_PASSED
    merged = record | {name: told[name] for name in ("started_at", "completed_at") if name in told}
    if is_late or (record["status"] == truth.SUCCEEDED and told["status"] != truth.SUCCEEDED):
        merged |= {name: told[name] for name in ("status", "error") if name in told}
    elif told.get("has_answer"):
        merged |= {"status": told["status"], "outputs": told.get("outputs")}
    return merged


def from_row(row: ResultRow, *, cut_off: bool) -> dict[str, Any]:
    """Return what a stored result alone tells; `cut_off`: the execution was stopped."""
    record: dict[str, Any] = {
        "status": truth.SUCCEEDED,
        "attempt": row.attempt,
        "started_at": stamp(row.started_at),
        "completed_at": stamp(row.completed_at) if row.completed_at else None,
        "last_attempt": stamp(row.last_started_at),
        "outputs": row.outputs,
    }
    if row.refs:
        record["refs"] = row.refs
    if row.undone:
        record["undone"] = True
    ended_by_us = cut_off and (row.status_code or 0) < 0  # a script's, by our signal
    if row.status == "begun" or ended_by_us:
        record |= {"status": truth.CANCELLED, "in_doubt": True}
    elif row.status in ("failed", "in_doubt"):
        kind = row.error_type or "Error"
        record["status"] = truth.TIMED_OUT if kind in TIMEOUT_ERRORS else truth.FAILED
        record["error"] = {"type": kind, "message": row.error_message or ""}
        if row.error_details:
            record["error"]["details"] = row.error_details
        if row.status == "in_doubt":
            record["in_doubt"] = True
    return record


def _from_states(rule: Rule, visits: Sequence[tuple[str, StateTimes]]) -> dict[str, Any]:
    """Return the record of a step by what its states came to; the last of them decides."""
    ordered = sorted(
        visits, key=lambda visit: (visit[1].last_entered or visit[1].entered, visit[1].order)
    )
    part, last = ordered[-1]
    ends = [times.exited for _, times in ordered if times.exited]
    record: dict[str, Any] = {
        "status": truth.SUCCEEDED,
        "started_at": stamp(min(times.entered for _, times in ordered)),
        "completed_at": stamp(max(ends)) if ends else None,
    }
    attempts = sum(times.attempt for part, times in ordered if part == "")
    if attempts:
        record["attempt"] = attempts
    if part == "answer":
        record["has_answer"] = True
    fault = _fault(rule, part, last)
    if fault is not None:
        record |= fault
    elif last.exited is None:
        record |= {"status": truth.CANCELLED, "completed_at": None}
    outputs = _outputs(ordered) if record["status"] == truth.SUCCEEDED else None
    decision = _decision(visits)
    if decision is not None:
        outputs = decision
    if outputs is not None:
        record["outputs"] = outputs
    return record


def _fault(rule: Rule, part: str, last: StateTimes) -> dict[str, Any] | None:
    """Return the status and error of a step whose last state failed or told of a failure."""
    output = parsed(last.output)
    told: Mapping[str, Any] = output if isinstance(output, dict) else {}
    if part == "decided" and told.get("status") in rule.continues:
        return {"status": told["status"]}
    if part == "joined" and isinstance(listed := told.get("f"), list) and listed:
        return _error_of_block(listed[0])
    if (last.kind == "Choice" or part == "stopped") and "Error" in told:
        return _error(str(told["Error"]), told.get("Cause"), told.get("details"))
    if last.succeeded is False:
        return _error(last.error or "Error", last.cause, None)
    return None


def _error_of_block(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the error of a block that a for_each repeats; its item tells it cut."""
    details = entry.get("details")
    return _error(str(entry.get("type")), str(entry.get("message")), details)


def _error(kind: str, cause: object, details: Json) -> dict[str, Any]:
    status = truth.TIMED_OUT if kind in TIMEOUT_ERRORS else truth.FAILED
    text = cause if isinstance(cause, str) else ""
    error: dict[str, Any] = {"type": kind, "message": said(text)}
    if kind == STEPS_FAILED and isinstance(details, list):
        error["message"] = first_of(details)
    inside = described(cause if isinstance(cause, str) else None)
    if inside is not None:
        error = child_error(inside)
        status = truth.TIMED_OUT if inside.get("Status") == "TIMED_OUT" else status
    if details:
        error["details"] = details
    return {"status": truth.REJECTED if kind == REJECTED_ERROR else status, "error": error}


def child_error(child: Mapping[str, Json]) -> dict[str, Any]:
    """Return the error of a child by its description: its own, with the steps that failed it."""
    cause = child.get("Cause")
    own = parsed(cause) if isinstance(cause, str) else None
    kind = str(child.get("Error") or f"States.{child.get('Status')}")
    error: dict[str, Any] = {"type": kind, "message": child_message(child)}
    run = run_of(child)
    if run is not None:
        error["run_id"] = run
    if isinstance(own, dict) and own.get("details"):
        error["details"] = own["details"]
    return error


def _outputs(visits: Iterable[tuple[str, StateTimes]]) -> Json:
    """Return what a step without a wrapper gave, None where it gives nothing."""
    results = [times.result for part, times in visits if times.result and part != "keep"]
    result = parsed(results[-1]) if results else None
    if not isinstance(result, dict) or "Payload" in result:
        return None
    if "ExecutionArn" in result or "Output" in result:
        return result.get("Output")
    if "FailedEntryCount" in result:
        return {}
    return {k: v for k, v in result.items() if not k.startswith("Sdk")}


def _decision(visits: Iterable[tuple[str, StateTimes]]) -> Json:
    """Return a person's decision, as it came out of the step."""
    decided = next((times for part, times in visits if part == "decided"), None)
    if decided is None:
        return None
    for _, times in visits:
        result = parsed(times.result)
        if isinstance(result, dict):
            payload = result.get("Payload", result)
            if isinstance(payload, dict) and "status" in payload:
                return payload
    return None


def _was_let_go(visits: Iterable[tuple[str, StateTimes]]) -> bool:
    """Whether a person skipped a paused step."""
    for part, times in visits:
        output = parsed(times.output) if part == "paused" else None
        if isinstance(output, dict) and output.get("choice") == "skip":
            return True
    return False
