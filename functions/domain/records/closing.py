"""When a run that is over has to be closed by `records`: its machine did not come to it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from functions.domain.records.executions import ABORTED, FAILED, SUCCEEDED, Carried, Execution
from functions.domain.records.plan import Plan
from functions.domain.records.said import stamp
from functions.domain.records.shape import PENDING, RUNNING, ClosingRecord, StepRecord
from protocol.names import RUN_FAILED, STARTED_BY
from protocol.payloads import CONTRACT, Json, Undo
from protocol.status import SKIPPED

BEGUN_TO_CLOSE: ClosingRecord = {
    "status": RUNNING,
    "compensation": None,
    "undone": [],
    "handlers": [],
    "error": None,
}
"""What is told of a close run of which nothing else is known yet."""
_CLOSE_STATE = ("Close", ())
_STORED = ("action", "run")
"""The kinds of steps whose outputs are stored: the close machine asks for them."""
_MOST_KNOWN = 100_000
"""Bytes of records in its input, of the 262,144 that an input may have."""
_KEPT_OF_RUN = (
    "started_by",
    "root",
    "parent",
    "event_id",
    "depth",
    "secrets",
    "manifest",
    "source",
)


def needs_close(main: Carried, *, compensate: bool) -> bool:
    """Whether undos and handlers are due that the machine itself did not start.

    After a time-out, after a failure that no state of its own could catch, after an abort that
    asked for it, and where the state that starts them could not.
    """
    execution = main.execution
    if execution.status == ABORTED:
        # What a run called ends with it, and is undone by way of it: see `cut_off`.
        return compensate and execution.role == "run"
    if execution.status == FAILED and execution.error == RUN_FAILED:
        return _CLOSE_STATE in main.timeline.states
    return execution.status != SUCCEEDED


def cut_off(children: Iterable[Execution], plan: Plan) -> list[Json]:
    """Return the undos of called workflows that were cut off with a run, the latest first."""
    undone = [step for step, written in plan.steps.items() if written.get("undo")]
    found: list[Json] = []
    stopped = [child for child in children if child.status == ABORTED]
    for _, undo in cut_off_of(stopped, undone):
        found.append({"step": undo["step"], "items": [*undo["items"]], "record": undo["record"]})
    return found


def cut_off_of(
    children: Iterable[Execution], undone: Collection[str]
) -> list[tuple[datetime, Undo]]:
    """Return the undos of called workflows that were cut off, and when they were; latest first.

    `undone` are the steps that have an undo. One that succeeded is among them: whoever knows what
    is stored with its caller knows whether the caller was still there to hear of it.
    """
    found: list[tuple[datetime, Undo]] = []
    for child in children:
        step, items = child.place
        if child.status not in (ABORTED, SUCCEEDED) or step is None or step not in undone:
            continue
        run: dict[str, Json] = {
            "id": child.run_id,
            "attempt": child.attempt,
            "inputs": child.input.get("inputs") or {},
        }
        record: dict[str, Json] = {"status": "cancelled", "outputs": {}, "child": run}
        undo: Undo = {"step": step, "items": [*items], "record": record}
        found.append((child.completed_at or child.started_at, undo))
    return sorted(found, key=lambda one: one[0], reverse=True)


def known(steps: Iterable[StepRecord], plan: Plan) -> dict[str, Json]:
    """Return what handlers and undos are told of steps, without outputs that are stored, by step.

    What would be too much for an execution's input is left out.
    """
    from functions.domain.events import canonical

    found: dict[str, Json] = {}
    left = _MOST_KNOWN
    for step in steps:
        written = plan.steps.get(step["step_id"])
        if written is None or step["status"] in (PENDING, SKIPPED):
            continue
        error = step.get("error")
        told: Json = None if error is None else {"type": error["type"], "message": error["message"]}
        record: dict[str, Json] = {"status": step["status"], "error": told}
        if written["kind"] not in _STORED:
            record["outputs"] = step.get("outputs")
        size = len(canonical(record).encode())
        if size <= left:
            found[step["step_id"]] = record
            left -= size
    return found


def close_input(
    execution: Execution,
    failed: Sequence[Json],
    lost: Sequence[Json],
    plan: Plan,
    steps: Iterable[StepRecord] = (),
) -> str:
    """Return the input of a run's close execution, the same text for the same run.

    It is what the machine hands on itself (`compiler.asl`): `failure.steps` are those that
    failed; `lost` is what `cut_off` gives, `steps` are the run's records.
    """
    from functions.domain.events import canonical

    run: dict[str, Json] = {
        "id": execution.run_id,
        "attempt": execution.attempt,
        "started_at": stamp(execution.started_at),
        "workflow": plan.workflow,
        "version": plan.version,
        "contract": CONTRACT,
    }
    run |= {name: execution.run[name] for name in _KEPT_OF_RUN if name in execution.run}
    given: dict[str, Json] = {
        "run": run,
        "inputs": execution.input.get("inputs") or {},
        "failure": {"steps": [*failed]},
        "known": known(steps, plan),
        "cut_off": [*lost],
        STARTED_BY: execution.arn,
    }
    for root in ("trigger", "github", "event"):
        if root in execution.input:
            given[root] = execution.input[root]
    return canonical(given)
