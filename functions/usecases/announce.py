"""Tell of runs: on the stage's bus, and the people that a workflow's `notify` names.

An event may be published twice (its id tells); a message is claimed before it is sent, so that
nobody gets it twice. One that cannot be sent is noted, and stops nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from functions.domain.errors import ValidationError
from functions.domain.records.item import RunItem
from functions.domain.records.notices import (
    Published,
    is_partial,
    message_of_end,
    message_of_pause,
    occasions,
    of_end,
    of_pause,
    of_step,
)
from functions.domain.records.rows import ResultRow
from functions.domain.records.shape import RunRecord
from functions.domain.records.steps import from_row
from functions.domain.task import Task
from functions.domain.task_messages import Message
from functions.ports import NotSent
from functions.usecases.archive import Keeper
from functions.usecases.gather import Gathered
from protocol import status as truth
from protocol.evaluate import evaluate
from protocol.manifest import NoticeManifest, WorkflowManifest
from protocol.payloads import Json

_DONE = "done"
_BEFORE_ITS_END = "sent before what followed was over"
_CHAT = "chat"


def announce_end(told: Gathered, item: RunItem, keeper: Keeper, *, is_closed: bool) -> None:
    """Tell of a run that is over, and later of what followed it, if that left something undone."""
    record, execution = told.record, told.main.execution
    noted = keeper.archive.runs.noted(record["run_id"])
    _publish(record["run_id"], of_end(record, told.plan, _depth(execution.input)), noted, keeper)
    manifest = keeper.archive.manifests.by_digest(item.manifest) if item.manifest else None
    if manifest is None or not manifest["notify"]:
        return
    contexts = _contexts(record, manifest, execution.input)
    wanted: list[str] = [*occasions(record)]
    told_before = [key for key, outcome in noted.items() if outcome == _BEFORE_ITS_END]
    if is_closed and is_partial(record) and told_before:
        wanted.append("partial")
    for occasion in wanted:
        key = f"{record['run_attempt']}/{occasion}"
        outcome = "sent" if is_closed else _BEFORE_ITS_END
        _notify(
            record["run_id"],
            _Notice(key, occasion, outcome, contexts, manifest),
            partial(message_of_end, record, occasion, keeper.api),
            keeper,
        )


def announce_pause(task: Task, item: RunItem, keeper: Keeper) -> None:
    """Tell that a run waits for a person to say what becomes of a step."""
    given = keeper.archive.runs.given(item.run_id, item.attempt) or {}
    noted = keeper.archive.runs.noted(item.run_id)
    _publish(item.run_id, [of_pause(item, task, _depth(given))], noted, keeper)
    manifest = keeper.archive.manifests.by_digest(item.manifest) if item.manifest else None
    if manifest is None or not manifest["notify"]:
        return
    contexts = {**given, "vars": manifest["vars"], "run": _run_context(item.summary())}
    _notify(
        item.run_id,
        _Notice(f"{item.attempt}/paused/{task.task_id}", "paused", "sent", contexts, manifest),
        partial(message_of_pause, item, task, keeper.api),
        keeper,
    )


def announce_step(run_id: str, path: str, row: ResultRow, keeper: Keeper) -> None:
    """Tell of a failed attempt at a step at once, if no other can follow it."""
    if row.status not in ("failed", "in_doubt") or "/" in path:
        return
    item = keeper.archive.runs.get(run_id)
    plan = None if item is None else keeper.plans.of(item.manifest)
    if item is None or plan is None or item.is_over or path not in plan.rules:
        return
    if plan.steps[path].get("again") or row.run_attempt < item.attempt:
        return
    given = keeper.archive.runs.given(run_id, item.attempt) or {}
    record = from_row(row, cut_off=False)
    tolerated = truth.is_tolerated(plan.rules[path], record["status"])
    name = "step.tolerated_failure" if tolerated else "step.failed"
    event = of_step(name, item.summary(), path, record["error"], _depth(given))
    _publish(run_id, [event], keeper.archive.runs.noted(run_id), keeper)


def _depth(given: Mapping[str, Json]) -> int:
    """Return how many runs led to one, each by an event that it published."""
    run = given.get("run")
    depth = run.get("depth") if isinstance(run, dict) else 0
    return depth if isinstance(depth, int) else 0


def _publish(
    run_id: str, events: Iterable[Published], noted: Mapping[str, str], keeper: Keeper
) -> None:
    """Publish events, but those of which it is known that they were."""
    for event in events:
        key = f"event/{event.detail['event_id']}"
        if noted.get(key) != _DONE:
            keeper.bus.publish(event.name, event.detail)
            keeper.archive.runs.note(run_id, key, _DONE)


class _Notice:
    """A message on an occasion: what it is claimed by, and to whom it may go."""

    def __init__(
        self,
        key: str,
        occasion: str,
        outcome: str,
        contexts: Mapping[str, Json],
        manifest: WorkflowManifest,
    ) -> None:
        self.key, self.outcome, self.contexts = key, outcome, contexts
        asked = "failed" if occasion == "partial" else occasion
        self.wanted = [one for one in manifest["notify"] if asked in one["on"]]


def _notify(
    run_id: str, notice: _Notice, message: Callable[[str | None], Message], keeper: Keeper
) -> None:
    people: dict[str, str] = {}
    for wanted in notice.wanted:
        for one in _to(wanted, notice.contexts, keeper):
            try:
                for person in keeper.directory.resolve(one):
                    people.setdefault(keeper.directory.identity(person), person)
            except ValidationError as error:
                is_secret = bool(wanted.get("secrets"))
                who = "a secret" if is_secret else json.dumps(one)[:80]
                why = "it is no mail address" if is_secret else str(error)
                key = f"notice/{notice.key}/{who}"
                if keeper.archive.runs.claim(run_id, key):
                    keeper.archive.runs.note(run_id, key, f"failed: {why}"[:300])
    recipients: list[str | None] = [*people.values()]
    if recipients and keeper.notifications.has_chat:
        recipients.append(None)
    for recipient in recipients:
        key = f"notice/{notice.key}/{recipient or _CHAT}"
        if keeper.archive.runs.claim(run_id, key):
            keeper.archive.runs.note(run_id, key, _sent(message(recipient), notice, keeper))


def _sent(message: Message, notice: _Notice, keeper: Keeper) -> str:
    try:
        keeper.notifications.send(message)
    except NotSent as error:
        return f"failed: {error}"[:300]
    return notice.outcome


def _to(notice: NoticeManifest, contexts: Mapping[str, Json], keeper: Keeper) -> list[Json]:
    """Return whom a notice is for, one by one; a secret that is not there is nobody."""
    secrets: dict[str, Json] = {}
    for name in notice.get("secrets", []):
        with suppress(KeyError):
            secrets[name] = keeper.secrets.get(name)
    found = evaluate(notice["to"], {**contexts, "secrets": secrets})
    return found if isinstance(found, list) else [found]


def _contexts(
    record: RunRecord, manifest: WorkflowManifest, given: Mapping[str, Json]
) -> dict[str, Json]:
    """Return what the expressions of `notify` read of a run that is over."""
    contexts: dict[str, Json] = {
        name: given[name] for name in ("inputs", "trigger", "event", "github") if name in given
    }
    steps: dict[str, Json] = {}
    for step in record["steps"]:
        error = step.get("error")
        steps[step["step_id"]] = {
            "status": step["status"],
            "outputs": step.get("outputs"),
            "error": None
            if error is None
            else {"type": error["type"], "message": error["message"]},
        }
    error = record["error"]
    details = None if error is None else error.get("details")
    failed = [one for one in details if isinstance(one, dict)] if isinstance(details, list) else []
    contexts["failure"] = {**(failed[0] if failed else {}), "steps": [*failed]}
    return contexts | {"steps": steps, "vars": manifest["vars"], "run": _run_context(record)}


def _run_context(run: Mapping[str, Any]) -> Json:
    return {
        "id": run["run_id"],
        "attempt": run["run_attempt"],
        "started_at": run["started_at"],
        "started_by": run["started_by"],
    }
