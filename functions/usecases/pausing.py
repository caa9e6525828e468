"""A run is paused while a person is asked what becomes of a failed step, in it or below it."""

from __future__ import annotations

from functions.domain.records.item import RunItem, paused
from functions.domain.records.shape import PAUSED
from functions.usecases.announce import announce_pause
from functions.usecases.archive import Keeper

_DEEPEST = 50


def note_pauses(run_id: str, keeper: Keeper) -> None:
    """Look whether a run is paused, keep it so, and tell of pauses that are new.

    What counts are the tasks as they are now, so that it does not matter which change of theirs
    brought this call, or how late. The runs that called it are looked at too.
    """
    at: str | None = run_id
    for _ in range(_DEEPEST):
        item = None if at is None else keeper.archive.runs.get(at)
        if item is None:
            return
        changed = _look(item, keeper)
        if item.parent is None or changed is None:
            return
        at = item.parent


def _look(item: RunItem, keeper: Keeper) -> RunItem | None:
    runs, tasks = keeper.archive.runs, keeper.archive.tasks

    def wish(now: RunItem | None) -> RunItem | None:
        if now is None:
            return None
        open_ones = [
            task
            for task in tasks.of_run(now.run_id)
            if task.kind == "pause" and task.is_open and task.place.run_attempt == now.attempt
        ]
        return paused(now, now.attempt, is_paused=bool(open_ones) or _is_below(now, keeper))

    changed = runs.change(item.run_id, wish)
    if changed is not None and not changed.is_over:
        for task in tasks.of_run(item.run_id):
            if task.kind == "pause" and task.is_open:
                announce_pause(task, changed, keeper)
    return changed


def _is_below(item: RunItem, keeper: Keeper) -> bool:
    """Whether a workflow that a run called is paused."""
    runs = keeper.archive.runs
    children = [known.run_id for known in runs.known(item.run_id) if known.role == "child"]
    return any(
        child is not None and child.status == PAUSED and not child.is_over
        for child in map(runs.get, children)
    )
