"""The record of a run that goes on: what stored results and tasks tell so far.

A step's own states are not looked at. What has no stored result (direct AWS calls, waits,
published events) is `pending` until something behind it has begun, which says that it went well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from functions.domain.records.closing import BEGUN_TO_CLOSE
from functions.domain.records.failures import error_of_call
from functions.domain.records.item import RunItem
from functions.domain.records.more import give_lines, give_links, give_tasks, with_origin
from functions.domain.records.plan import Plan
from functions.domain.records.reasons import ancestors, in_order
from functions.domain.records.rows import ResultRow
from functions.domain.records.said import stamp
from functions.domain.records.shape import (
    PAUSED,
    PENDING,
    RUNNING,
    WAITING,
    ItemRecord,
    RunRecord,
    StepRecord,
)
from functions.domain.records.steps import Found, from_row, places_of, summed_up
from functions.domain.records.timeline import Items
from functions.domain.task import Task
from functions.domain.task_answers import stamp as moment
from protocol import status as truth
from protocol.names import TIMEOUT_ERRORS
from protocol.payloads import Json
from protocol.status import Outcome, Rule

_OPEN = frozenset({PENDING, RUNNING, WAITING, PAUSED})
_DECIDED: Mapping[str, str] = {
    "approved": truth.SUCCEEDED,
    "delivered": truth.SUCCEEDED,
    "succeeded": truth.SUCCEEDED,
    "failed": truth.FAILED,
    "rejected": truth.REJECTED,
    "timed_out": truth.TIMED_OUT,
    "cancelled": truth.CANCELLED,
}


@dataclass(frozen=True, slots=True)
class Call:
    """A workflow that a step called, for some items of a for_each, and its record so far."""

    step: str
    items: Items
    started_at: str
    record: RunRecord


@dataclass(frozen=True, slots=True)
class Scene:
    """What is known of a run that goes on; `given` is what its attempt was started with.

    `is_closing`: its close run has begun.
    """

    item: RunItem
    plan: Plan | None
    given: Mapping[str, Json]
    rows: Mapping[str, ResultRow]
    tasks: Sequence[Task] = ()
    calls: Sequence[Call] = ()
    is_closing: bool = False


def live_record(scene: Scene) -> RunRecord:
    """Return what is known of a run that goes on."""
    item = scene.item
    plan = scene.plan or Plan(item.workflow_id, item.workflow_version, {})
    run = scene.given.get("run")
    record: RunRecord = {
        "run_id": item.run_id,
        "workflow_id": item.workflow_id,
        "workflow_version": item.workflow_version,
        "run_attempt": item.attempt,
        "status": _status(scene),
        "started_by": item.started_by,
        "started_at": item.began_at,
        "completed_at": item.completed_at,
        "steps": _Steps(scene, plan).records(),
        "outputs": None,
        "error": None,
    }
    if scene.is_closing:
        after = replace(plan, rules=plan.handlers, blocks={})
        record["closing"] = {**BEGUN_TO_CLOSE, "handlers": _Steps(scene, after).records()}
    record = with_origin(record, run if isinstance(run, dict) else {}, scene.given)
    if not scene.given:  # just started: its starter told this much
        record |= {
            "trigger": item.trigger,
            "event_id": item.event_id,
            "rerun_of": item.rerun_of,
        }
    record["manifest"] = item.manifest
    give_tasks(record, scene.tasks)
    give_lines(record, plan)
    give_links(record)
    return record


def _status(scene: Scene) -> str:
    """Return whether a run is paused; its item may not say so yet, or not any more."""
    if scene.item.is_over:
        return scene.item.status
    asked = any(
        task.kind == "pause" and task.is_open and task.place.run_attempt == scene.item.attempt
        for task in scene.tasks
    )
    return PAUSED if asked or any(c.record["status"] == PAUSED for c in scene.calls) else RUNNING


class _Steps:
    """Works out what is certain of each step."""

    def __init__(self, scene: Scene, plan: Plan) -> None:
        self._scene = scene
        self._plan = plan
        self._rules = plan.rules
        self._found: dict[str, StepRecord] = {}

    def records(self) -> list[StepRecord]:
        """Return the records of all steps in the order of their rules."""
        rows = places_of(self._scene.rows)
        tasks = self._tasks()
        for step in self._rules:
            self._found[step] = self._of(step, rows.get(step, {}), tasks.get(step, {}))
        self._sum_up_blocks()
        self._infer()
        self._skip()
        return [self._found[step] for step in self._rules]

    def _tasks(self) -> dict[str, dict[Items, Task]]:
        """Return the newest task of each step and item of this attempt."""
        found: dict[str, dict[Items, Task]] = {}
        for task in sorted(self._scene.tasks, key=lambda one: one.opened_at):
            if task.place.run_attempt == self._scene.item.attempt:
                found.setdefault(task.place.step_id, {})[task.place.items] = task
        return found

    def _of(
        self, step: str, rows: Mapping[Items, Found], tasks: Mapping[Items, Task]
    ) -> StepRecord:
        """Return what rows, tasks and calls tell of a step itself."""
        calls = self._calls(step)
        record: StepRecord = {"step_id": step, "status": PENDING}
        own = self._place(step, rows.get(()), tasks.get(()), calls.get(()))
        if own is not None:
            record |= own  # type: ignore[typeddict-item]
        inner = sorted({*rows, *tasks, *calls} - {()})
        if inner:
            items = []
            for index in inner:
                told = self._place(step, rows.get(index), tasks.get(index), calls.get(index))
                at: Any = index[0] if len(index) == 1 else list(index)
                if told is not None:
                    items.append(cast("ItemRecord", {"index": at, **told}))
            if items:
                record["items"] = items
                summed_up(record, items, is_known=False)
                # How many there are is not known: others may follow.
                record |= {"status": RUNNING, "completed_at": None}
        if truth.is_tolerated(self._rules[step], record["status"]):
            record["tolerated"] = True
        return record

    def _calls(self, step: str) -> dict[Items, Call]:
        found: dict[Items, Call] = {}
        for call in sorted(self._scene.calls, key=lambda one: one.started_at):
            if call.step == step:
                found[call.items] = call
        return found

    def _place(
        self, step: str, found: Found | None, task: Task | None, call: Call | None
    ) -> dict[str, Any] | None:
        record: dict[str, Any] | None = None
        if found is not None and found.row is not None:
            record = self._of_row(step, found.row)
            if record is not None and found.rounds:
                # Whether it was the last is for the machine to say.
                record |= {"rounds": found.rounds, "status": RUNNING, "completed_at": None}
        if call is not None:
            record = (record or {}) | self._of_call(step, call)
        if task is not None:
            record = _of_task(task, record)
            if not task.is_open and task.kind in ("event", "callback"):
                record = self._or_again(step, record)
        return record

    def _of_row(self, step: str, row: ResultRow) -> dict[str, Any] | None:
        """Return what a stored result tells; one of an earlier attempt only if it will be kept."""
        record = from_row(row, cut_off=False)
        if row.status == "again":
            return None
        if row.run_attempt < self._scene.item.attempt:
            return record | {"kept": True} if row.status == "succeeded" else None
        if row.status == "begun":
            record.pop("in_doubt", None)
            return record | {"status": RUNNING}
        return self._or_again(step, record)

    def _or_again(self, step: str, record: dict[str, Any]) -> dict[str, Any]:
        """Return a record as it is, or as of a step that goes on where it may be tried again."""
        written = self._plan.steps.get(step)
        if record["status"] == truth.SUCCEEDED or written is None or not written.get("again"):
            return record
        return record | {"status": RUNNING, "completed_at": None}

    def _of_call(self, step: str, call: Call) -> dict[str, Any]:
        record = call.record
        told: dict[str, Any] = {
            "status": record["status"],
            "started_at": record["started_at"],
            "completed_at": record["completed_at"],
            "run": record,
        }
        if record["status"] == truth.SUCCEEDED:
            told["outputs"] = record["outputs"]
        if record["error"] is not None:
            told["error"] = error_of_call(record)
            if record["error"]["type"] in (*TIMEOUT_ERRORS, "States.TIMED_OUT"):
                told["status"] = truth.TIMED_OUT
        if record["status"] in _OPEN:
            return told
        return self._or_again(step, told)

    def _infer(self) -> None:
        """Take steps of which nothing else is known for done where something behind has begun.

        Only where nothing else can be: what begun needs them, and they themselves can neither be
        skipped nor fail and be tolerated.
        """
        may_skip: dict[str, bool] = {}
        ordered = in_order(self._rules, self._plan.blocks)
        for step in ordered:
            rule = self._rules[step]
            has_own = rule.has_condition or rule.has_status_function or bool(rule.asks)
            may_not_count = [may_skip[d] or self._may_not_count(d) for d in rule.depends_on]
            may_skip[step] = has_own or (bool(may_not_count) and all(may_not_count))
        for step in reversed(ordered):
            record, rule = self._found[step], self._rules[step]
            has_begun = record["status"] != PENDING and not record.get("kept")
            if not has_begun or rule.has_status_function or rule.asks:
                continue
            for above in rule.depends_on:
                certain = not (may_skip[above] or self._rules[above].continues)
                if certain and self._found[above]["status"] in (PENDING, RUNNING):
                    self._found[above] |= {"status": truth.SUCCEEDED}

    def _may_not_count(self, step: str) -> bool:
        rule = self._rules[step]
        return rule.manual and bool(rule.continues)

    def _sum_up_blocks(self) -> None:
        """Say of parallel steps what their children tell."""
        inside: dict[str, list[StepRecord]] = {}
        for step, block in self._plan.blocks.items():
            inside.setdefault(block, []).append(self._found[step])
        for block, children in inside.items():
            record = self._found[block]
            if record["status"] != PENDING:
                continue
            starts = [one["started_at"] for one in children if "started_at" in one]
            if starts:
                record["status"] = RUNNING
                record["started_at"] = min(starts)

    def _skip(self) -> None:
        """Say of steps that cannot begin any more that they are skipped, and why."""
        outcomes: dict[str, Outcome] = {}
        above: dict[str, frozenset[str]] = {}
        for step in in_order(self._rules, self._plan.blocks):
            rule, record = self._rules[step], self._found[step]
            above[step] = ancestors(rule, above)
            block = self._plan.blocks.get(step)
            reason = None
            if record["status"] == PENDING:
                if block is not None and outcomes.get(block) is not None:
                    if outcomes[block].status == truth.SKIPPED:
                        reason = outcomes[block].reason
                else:
                    reason = self._reason(rule, above[step], outcomes)
                if reason is not None:
                    record |= {"status": truth.SKIPPED, "reason": reason}
            if record["status"] not in _OPEN:
                outcomes[step] = Outcome(record["status"], reason)

    def _reason(
        self, rule: Rule, above: frozenset[str], outcomes: Mapping[str, Outcome]
    ) -> str | None:
        """Return why a step is certain to be skipped; None while it is not."""
        if rule.has_status_function:
            return None
        bad = {
            one
            for one in above
            if one in outcomes and truth.is_bad(self._rules[one], outcomes[one].status)
        }
        if bad - rule.asks:
            return truth.UPSTREAM_FAILED
        if above - outcomes.keys():
            return None
        return truth.decide(
            rule,
            bad_above=bad,
            has_counting=truth.has_counting_dependency(rule, self._rules, outcomes),
            condition=lambda: True,  # what is not known cannot be certain
        )


def _of_task(task: Task, record: dict[str, Any] | None) -> dict[str, Any]:
    """Return what a task tells of its step, over what is known of it otherwise."""
    told: dict[str, Any] = {"task_id": task.task_id, **(record or {})}
    if task.is_open:
        told["status"] = PAUSED if task.kind == "pause" else WAITING
        told.setdefault("started_at", moment(task.opened_at))
        return told | {"completed_at": None}
    if task.kind == "pause":
        # A retry shows in the stored result; what else was said does in the end.
        return told if record is not None else told | {"status": RUNNING}
    decision = task.decision
    assert decision is not None
    told |= {
        "started_at": told.get("started_at", moment(task.opened_at)),
        "completed_at": moment(decision.decided_at),
    }
    if task.kind != "manual":
        return told | {"status": _DECIDED[task.status]}
    outputs: dict[str, Json] = {
        "status": decision.status,
        "comments": decision.comments,
        "decided_by": decision.decided_by,
        "decided_at": stamp(decision.decided_at),
        "form": decision.form,
        "timeout_reason": decision.timeout_reason,
    }
    return told | {"status": _DECIDED[task.status], "outputs": outputs}
