"""The record of a run that is over, from what its executions' states came to and stored results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from functions.domain.records.executions import ABORTED, SUCCEEDED, Carried, Execution
from functions.domain.records.failures import error_of_call, run_error
from functions.domain.records.plan import Plan
from functions.domain.records.reasons import give_reasons
from functions.domain.records.rows import ResultRow
from functions.domain.records.said import in_words, parsed, stamp
from functions.domain.records.shape import RUNNING, ClosingRecord, RunRecord, StepRecord
from functions.domain.records.steps import Story, records_of
from functions.domain.records.timeline import Timeline
from protocol.names import FIRST_ITEM, LONGEST_FIRST, RUN_FAILED
from protocol.payloads import Json

Rows = Mapping[str, ResultRow]

_STATUSES = {"SUCCEEDED": "succeeded", "FAILED": "failed", "TIMED_OUT": "failed"}


def run_status(execution: Execution) -> str:
    """Return what a run comes to whose execution is over."""
    return _STATUSES.get(execution.status, "cancelled")


@dataclass(frozen=True, slots=True)
class Family:
    """A run's own executions: the run itself, its chunks, its close runs; and its results.

    There are several close runs where what one left was undone by another, in their order.
    """

    main: Carried
    rows: Rows
    chunks: Sequence[Carried] = ()
    closes: Sequence[Carried] = ()
    children: Mapping[str, RunRecord] = field(default_factory=dict)
    """Records of the runs it called, by the names of their executions."""

    def timelines(self) -> list[Timeline]:
        """Return what the states of the run and of its chunks came to."""
        return [self.main.timeline, *(chunk.timeline for chunk in self.chunks)]


def record_of(family: Family, plan: Plan) -> RunRecord:
    """Return the record of a run that is over; of a plan without rules nothing of its steps."""
    execution = family.main.execution
    steps = records_of(plan.rules, _story(family.main, family.rows, family.timelines()))
    _give_runs(steps, family.timelines(), family.children)
    give_reasons(steps, plan.rules, plan.blocks)
    completed = execution.completed_at or execution.started_at
    started_by = execution.run.get("started_by")
    record: RunRecord = {
        "run_id": execution.run_id,
        "workflow_id": plan.workflow,
        "workflow_version": plan.version,
        "run_attempt": execution.attempt,
        "status": run_status(execution),
        "started_by": started_by if isinstance(started_by, str) else None,
        "started_at": stamp(execution.started_at),
        "completed_at": stamp(completed),
        "steps": steps,
        "outputs": execution.output,
        "error": run_error(execution, steps, plan),
    }
    if family.closes:
        record["closing"] = _closing(family, plan)
        ends = [one.execution.completed_at for one in family.closes]
        record["completed_at"] = max(stamp(completed), *(stamp(end) for end in ends if end))
    return record


def _story(carried: Carried, rows: Rows, timelines: Sequence[Timeline]) -> Story:
    execution = carried.execution
    whole = execution.status == SUCCEEDED or execution.error == RUN_FAILED
    return Story(timelines, rows, whole, execution.status == ABORTED, execution.attempt)


def _give_runs(
    steps: Sequence[StepRecord], timelines: Sequence[Timeline], children: Mapping[str, RunRecord]
) -> None:
    """Give each step, and item, that called a workflow the record of the run it started last."""
    calls: dict[tuple[str, tuple[int, ...]], RunRecord] = {}
    for timeline in timelines:
        for (state, items), times in timeline.states.items():
            if times.child is not None and times.child in children:
                calls[state.partition(".")[0], items] = children[times.child]
    for step in steps:
        places: list[tuple[tuple[int, ...], Any]] = [((), step)]
        for item in step.get("items", ()):
            index = item["index"]
            places.append(((index,) if isinstance(index, int) else tuple(index), item))
        for items, place in places:
            record = calls.get((step["step_id"], items))
            if record is None:
                continue
            place["run"] = record
            error = error_of_call(record, place["error"]) if "error" in place else None
            if error is not None:
                place["error"] = error
        _tell_first_item(step)


def _tell_first_item(step: StepRecord) -> None:
    """Say of a for_each what its first bad item says, which travels cut short."""
    error = step.get("error")
    bad = next((one["error"] for one in step.get("items", ()) if "error" in one), None)
    if error is None or bad is None:
        return
    head, is_cut, _ = error["message"].partition(FIRST_ITEM)
    if is_cut:
        first = bad["message"].split("\n", 1)[0][:LONGEST_FIRST]
        step["error"] = {**error, "message": f"{head}{FIRST_ITEM}{bad['type']}: {first})"}


def _closing(family: Family, plan: Plan) -> ClosingRecord:
    """Return what the close machine did, the last time and in all."""
    last = family.closes[-1]
    execution, timeline = last.execution, last.timeline
    undone: list[dict[str, Json]] = []
    for close in family.closes:
        # What could not be undone is tried again by the next.
        undone = [one for one in undone if one.get("status") == "undone"]
        undone += _undone(close.timeline)
    partial = any(one.get("status") == "failed" for one in undone)
    handlers = records_of(plan.handlers, _story(last, family.rows, [timeline]))
    _give_runs(handlers, [timeline], family.children)
    give_reasons(handlers, plan.handlers, {})
    return {
        "status": run_status(execution) if execution.is_over else RUNNING,
        "compensation": ("partial" if partial else "complete") if undone else None,
        "undone": [*undone],
        "handlers": handlers,
        "error": run_error(execution, handlers, plan) if execution.is_over else None,
    }


def _undone(timeline: Timeline) -> list[dict[str, Json]]:
    """Return what one close execution tells of its undos, in their order."""
    found = []
    for (name, items), times in timeline.states.items():
        output = parsed(times.output)
        if items and isinstance(output, dict) and _tells_of_an_undo(name, output):
            found.append({key: in_words(value) for key, value in output.items()})
    return found


def _tells_of_an_undo(name: str, output: Mapping[str, object]) -> bool:
    part = name.partition(".")[2]
    named = part.startswith("undo") or name == "Undo.unknown"
    return named and output.get("status") in ("undone", "failed")
