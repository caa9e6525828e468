"""What a stage's records have beside what happened: where a run came from, tasks, links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from functions.domain.records.executions import Execution
from functions.domain.records.plan import Plan
from functions.domain.records.shape import RunRecord, StepRecord
from functions.domain.task import Task
from protocol.manifest import WorkflowManifest
from protocol.payloads import Json


def with_more(
    record: RunRecord,
    execution: Execution,
    tasks: Iterable[Task],
    plan: Plan | None,
    manifest: WorkflowManifest | None,
) -> RunRecord:
    """Return a record with the run's origin, its tasks and links, and the lines of its steps."""
    more = with_origin(record, execution.run, execution.input)
    more["manifest"] = None if manifest is None else manifest["digest"]
    give_tasks(more, tasks)
    give_lines(more, plan)
    give_links(more)
    return more


def with_origin(record: RunRecord, run: Mapping[str, Json], given: Mapping[str, Json]) -> RunRecord:
    """Return a record with what the run was started with, and by what."""
    return {
        **record,
        "trigger": given.get("trigger"),
        "inputs": given.get("inputs"),
        "event_id": _text(run.get("event_id")),
        "rerun_of": _text(run.get("rerun_of")),
    }


def give_tasks(record: RunRecord, tasks: Iterable[Task]) -> None:
    """Name the tasks of an attempt of a run, each in the step that waits or waited for it."""
    own = sorted(
        (task for task in tasks if task.place.run_attempt == record["run_attempt"]),
        key=lambda task: (task.opened_at, task.task_id),
    )
    record["tasks"] = [task.task_id for task in own]
    last = {(task.place.step_id, task.place.items): task.task_id for task in own}
    for step in _steps(record):
        places: list[tuple[tuple[int, ...], Any]] = [((), step)]
        for item in step.get("items", ()):
            index = item["index"]
            places.append(((index,) if isinstance(index, int) else tuple(index), item))
        for items, place in places:
            if (step["step_id"], items) in last:
                place["task_id"] = last[step["step_id"], items]


def give_lines(record: RunRecord, plan: Plan | None) -> None:
    """Name the lines of steps in the workflow's file."""
    if plan is None:
        return
    for step in _steps(record):
        written = plan.steps.get(step["step_id"])
        if written is not None:
            step["line"] = written["line"]


def give_links(record: RunRecord) -> None:
    """Link a record, and the failed steps in its error, to what they said."""
    log = f"/api/runs/{quote(record['run_id'], safe='')}/logs"
    record["links"] = {"log": log}
    details = None if record["error"] is None else record["error"].get("details")
    for entry in details if isinstance(details, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("step_id"), str):
            entry["log"] = f"{log}?step={quote(str(entry['step_id']), safe='')}"


def _steps(record: RunRecord) -> Iterable[StepRecord]:
    yield from record["steps"]
    if "closing" in record:
        yield from record["closing"]["handlers"]


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None
