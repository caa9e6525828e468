"""The record of a local run, from stored results, histories and the plan's rules."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from local.engine import Finished
from local.program import Program
from local.results import ResultRow
from local.step_records import ErrorRecord, StepRecord, Story, records_of, said, stamp
from local.timeline import Timeline, parsed
from local.workflow import Child, Ran
from protocol import status as truth
from protocol.names import RUN_FAILED, SUPERSEDED
from protocol.payloads import Json
from protocol.status import Outcome, Rule

__all__ = ["ErrorRecord", "RunRecord", "StepRecord", "build", "said"]

CLOSE = "--close"


class ClosingRecord(TypedDict):
    """What followed a failed run: its undos and handlers."""

    status: str
    compensation: str | None  # complete, partial, or None where nothing was undone
    undone: list[Json]
    handlers: list[StepRecord]
    error: ErrorRecord | None


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
    closing: NotRequired[ClosingRecord]
    not_carried_out: NotRequired[list[str]]  # steps that `--until` left out


_STATUSES = {"SUCCEEDED": "succeeded", "FAILED": "failed", "TIMED_OUT": "failed"}


def build(ran: Ran, program: Program, started_by: str | None = None) -> RunRecord:
    """Return the record of a run that is over."""
    return _Teller(ran.others).run(ran.run_id, ran.finished, ran.rows, program, started_by)


class _Teller:
    """Tells of a run and of those it started."""

    def __init__(self, others: Sequence[Child]) -> None:
        self._others = others

    def run(
        self,
        run_id: str,
        finished: Finished,
        rows: Mapping[str, ResultRow],
        program: Program,
        started_by: str | None,
    ) -> RunRecord:
        """Return the record of one run."""
        chunks = [one for one in self._of(run_id) if not one.machine.endswith(CLOSE)]
        timelines = [Timeline().follow_all(finished.history), *map(_chunk, chunks)]
        story = _story(finished, rows, program, timelines)
        steps = records_of(program.rules, story)
        self._give_runs(steps, timelines, program)
        _give_reasons(steps, program)
        record: RunRecord = {
            "run_id": run_id,
            "workflow_id": program.workflow,
            "workflow_version": program.version,
            "run_attempt": 1,
            "status": _STATUSES.get(finished.status, "cancelled"),
            "started_by": started_by,
            "started_at": stamp(finished.started_at),
            "completed_at": stamp(finished.completed_at),
            "steps": steps,
            "outputs": finished.output,
            "error": _run_error(finished, steps),
        }
        closing = next((one for one in self._of(run_id) if one.machine.endswith(CLOSE)), None)
        if closing is not None:
            record["closing"] = _closing(closing, program)
            record["completed_at"] = max(
                record["completed_at"], stamp(closing.finished.completed_at)
            )
        return record

    def _of(self, run_id: str) -> list[Child]:
        """Return the executions that belong to a run itself: chunks and its close machine."""
        return [one for one in self._others if one.run_id == run_id]

    def _give_runs(
        self, steps: Sequence[StepRecord], timelines: Sequence[Timeline], program: Program
    ) -> None:
        """Give each step that called a workflow the record of the run it started."""
        by_name = {one.finished.name: one for one in self._others}
        calls = {
            name.partition(".")[0]: by_name[times.child]
            for timeline in timelines
            for (name, items), times in timeline.states.items()
            if times.child in by_name and not items
        }
        for step in steps:
            child = calls.get(step["step_id"])
            called = program.children.get(child.machine) if child is not None else None
            if child is None or called is None:
                continue
            record = self.run(child.run_id, child.finished, child.rows, called, None)
            step["run"] = record
            if record["error"] is not None and "error" in step:
                step["error"] = record["error"]


def _story(
    finished: Finished,
    rows: Mapping[str, ResultRow],
    program: Program,
    timelines: Sequence[Timeline],
) -> Story:
    whole = finished.status == "SUCCEEDED" or finished.error == RUN_FAILED
    machine = program.machines.get(program.workflow, {})
    return Story(timelines, rows, machine.get("States", {}), whole, finished.status == "ABORTED")


def _chunk(child: Child) -> Timeline:
    given = child.finished.input
    offset = given.get("offset", 0) if isinstance(given, dict) else 0
    assert isinstance(offset, int)
    return Timeline(offset).follow_all(child.finished.history)


def _closing(child: Child, program: Program) -> ClosingRecord:
    """Return what the close machine did."""
    finished = child.finished
    timeline = Timeline().follow_all(finished.history)
    story = _story(finished, child.rows, program, [timeline])
    undone: list[Json] = []
    for (name, items), times in timeline.states.items():
        output = parsed(times.output)
        if items and isinstance(output, dict) and _tells_of_an_undo(name, output):
            undone.append(output)
    statuses = {entry.get("status") for entry in undone if isinstance(entry, dict)}
    partial = "failed" in statuses
    handlers = records_of(program.handlers, story)
    _give_reasons(handlers, Program(program.workflow, "", {}, program.handlers))
    return {
        "status": _STATUSES.get(finished.status, "cancelled"),
        "compensation": ("partial" if partial else "complete") if undone else None,
        "undone": undone,
        "handlers": handlers,
        "error": _run_error(finished, handlers),
    }


def _tells_of_an_undo(name: str, output: Mapping[str, Json]) -> bool:
    part = name.partition(".")[2]
    named = part.startswith("undo") or name == "Undo.unknown"
    return named and output.get("status") in ("undone", "failed")


def _give_reasons(steps: Sequence[StepRecord], program: Program) -> None:
    """Give each skipped step the reason that the truth table has for it."""
    by_id = {record["step_id"]: record for record in steps}
    rules = program.rules
    outcomes: dict[str, Outcome] = {}
    above: dict[str, frozenset[str]] = {}
    for step in _in_order(rules, program.blocks):
        rule, record = rules[step], by_id[step]
        above[step] = frozenset(rule.depends_on).union(*(above[d] for d in rule.depends_on))
        reason = None
        block = by_id.get(program.blocks.get(step, ""))
        if record["status"] == truth.SKIPPED:
            if block is not None and block["status"] == truth.SKIPPED:
                reason = block.get("reason")
            else:
                reason = _reason(rule, rules, outcomes, above[step])
            record["reason"] = reason
        outcomes[step] = Outcome(record["status"], reason)


def _reason(
    rule: Rule,
    rules: Mapping[str, Rule],
    outcomes: Mapping[str, Outcome],
    above: frozenset[str],
) -> str | None:
    bad = [one for one in above if truth.is_bad(rules[one], outcomes[one].status)]
    return truth.decide(
        rule,
        bad_above=bad,
        has_counting=truth.has_counting_dependency(rule, rules, outcomes),
        condition=lambda: False,  # it was skipped: what it has, did not hold
    )


def _in_order(rules: Mapping[str, Rule], blocks: Mapping[str, str]) -> list[str]:
    """Return the steps so that each comes after its dependencies and the block it is in."""
    ordered: dict[str, None] = {}
    stack: list[str] = list(rules)[::-1]
    while stack:
        step = stack[-1]
        needed = [*rules[step].depends_on, *([blocks[step]] if step in blocks else [])]
        waiting = [one for one in needed if one not in ordered]
        if waiting and step not in ordered:
            stack += waiting
            continue
        ordered[stack.pop()] = None
    return list(ordered)


def _run_error(finished: Finished, steps: Sequence[StepRecord]) -> ErrorRecord | None:
    if finished.status == "SUCCEEDED":
        return None
    cause = finished.cause or ""
    if finished.error == RUN_FAILED:
        failure = parsed(cause)
        if isinstance(failure, dict) and "message" in failure:
            details = failure.get("details")
            entries = details if isinstance(details, list) else []
            return {
                "type": RUN_FAILED,
                "message": str(failure["message"]),
                "details": [_whole(entry, steps) for entry in entries],
            }
    if finished.error == SUPERSEDED:
        return {"type": SUPERSEDED, "message": cause}
    return {"type": finished.error or f"States.{finished.status}", "message": said(cause)}


def _whole(entry: Json, steps: Sequence[StepRecord]) -> Json:
    """Return a failed step's entry with the first line of its message, which travels cut."""
    if not isinstance(entry, dict):
        return entry
    step = next((one for one in steps if one["step_id"] == entry.get("step_id")), None)
    error: Any = None if step is None else step.get("error")
    if error is None:
        return entry
    whole: dict[str, Json] = {**entry, "message": error["message"].split("\n", 1)[0]}
    if "details" in error and "details" not in whole:
        whole["details"] = json.loads(json.dumps(error["details"]))
    return whole
