"""Close a run again: undo what an earlier close machine left, or what nobody asked to be undone.

What is undone already is noted in the stored results and is not undone twice; handlers that ended
well have results of their own. So it may be asked for as often as there is something left.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import cast

from functions.domain.events import canonical
from functions.domain.records.closing import close_input
from functions.domain.records.executions import Execution, close_name
from functions.domain.records.failures import bad_steps
from functions.domain.records.item import CLOSED, ENDED, RunItem
from functions.domain.records.plan import Plan
from functions.domain.stored import SUCCEEDED, call_of
from functions.ports import Machines, StoredResults
from functions.record_ports import Histories, Known, Runs
from functions.usecases.archive import Plans
from protocol.names import machine_name
from protocol.payloads import Json


@dataclass(frozen=True, slots=True)
class Closer:
    """What runs are closed again with."""

    stage: str
    runs: Runs
    results: StoredResults
    histories: Histories
    machines: Machines
    plans: Plans


class NothingLeft(Exception):
    """Nothing of the run is left to be undone; the text says why."""


def close_again(item: RunItem, closer: Closer) -> str:
    """Start the close machine of a run that is over once more; return its execution's name.

    Raises NothingLeft. The run counts as ended, not as closed, until that has ended as well.
    """
    plan = closer.plans.of(item.manifest)
    if plan is None:
        raise NothingLeft("nobody knows any more which version of its workflow it was of")
    if item.status == "succeeded":
        raise NothingLeft("it succeeded: nothing is undone of a run that did")
    inside = left_inside(item.run_id, plan, closer)
    if not inside and not _is_left(item.run_id, plan, closer):
        raise NothingLeft("nothing is left to be undone")
    main = closer.histories.describe(item.execution)
    if main is None:
        raise NothingLeft("Step Functions does not know its execution any more")
    first = close_name(item.run_id, item.attempt)
    before = {
        one.name: one.arn
        for one in closer.runs.known(item.run_id)
        if one.role == "close" and one.attempt == item.attempt
    }
    given = _given(main, plan, before.get(first), closer)
    given["cut_off"] = [*inside]
    name, number = first, len(before) + 1
    if before:
        name, given["again"] = f"{first}-{number}", number
    _reopen(item, closer.runs)
    closer.machines.start(f"{item.reference}--close", name, canonical(given))
    return name


def left_inside(run_id: str, plan: Plan, closer: Closer) -> list[Json]:
    """Return the undos of workflows that a run called, of which something is left, latest first.

    They ended badly, with or before their caller, so that it has no result of theirs.
    """
    results = closer.results.of_run(run_id)
    whole = {call_of(row.child) for row in results if row.status == SUCCEEDED}
    found: list[Json] = []
    for one in sorted(_called(run_id, closer.runs), key=lambda one: one.started_at, reverse=True):
        about = None if one.step is None else plan.steps.get(one.step)
        if one.step is None or about is None or not about.get("undo"):
            continue
        inside = plan.children.get(machine_name(closer.stage, about.get("action", "")))
        if inside is None or (one.run_id, one.attempt) in whole:
            continue
        if _is_left(one.run_id, inside, closer) or left_inside(one.run_id, inside, closer):
            given = closer.runs.given(one.run_id, one.attempt) or {}
            child: dict[str, Json] = {"id": one.run_id, "attempt": one.attempt}
            child["inputs"] = given.get("inputs") or {}
            record: dict[str, Json] = {"status": "cancelled", "outputs": {}, "child": child}
            found.append({"step": one.step, "items": [*one.items], "record": record})
    return found


def _called(run_id: str, runs: Runs) -> list[Known]:
    """Return the last executions of the workflows that a run called."""
    last: dict[str, Known] = {}
    for one in runs.known(run_id):
        if one.role == "child" and one.attempt >= last.get(one.run_id, one).attempt:
            last[one.run_id] = one
    return list(last.values())


def _is_left(run_id: str, plan: Plan, closer: Closer) -> bool:
    """Whether something of a run may be there that its close machine would undo."""
    undone = {step for step, about in plan.steps.items() if about.get("undo")}
    rows = closer.results.of_run(run_id)
    return any(row.place.step in undone and row.may_be_there for row in rows)


def _given(main: Execution, plan: Plan, before: str | None, closer: Closer) -> dict[str, Json]:
    """Return what the close machine was given the first time, or would have been."""
    found = None if before is None else closer.histories.describe(before)
    if found is not None:
        return dict(found.input)
    kept = closer.runs.kept(main.run_id, main.attempt)
    steps = [] if kept is None else kept.record["steps"]
    failed = bad_steps(steps, plan)
    return cast("dict[str, Json]", json.loads(close_input(main, failed, [], plan, steps)))


def _reopen(item: RunItem, runs: Runs) -> None:
    """Have a run wait for what follows it, so that nobody resumes it meanwhile."""

    def wish(one: RunItem | None) -> RunItem | None:
        if one is None or one.attempt != item.attempt or one.phase != CLOSED:
            return None
        return replace(one, phase=ENDED, settled=False)

    runs.change(item.run_id, wish)
