"""Cancel a run: its executions are stopped at once, and no step of it begins any more.

What an action is doing at that moment it does to its end; its step is in doubt. Open tasks are
closed, and what was done is undone if that was asked for, when `records` learns of the end.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from functions.domain.records.item import Cancelling, RunItem, cancelled_by
from functions.domain.records.said import stamp
from functions.ports import Clock, Executions
from functions.record_ports import Runs
from functions.usecases.close_run import Closer, NothingLeft, close_again
from protocol.names import CANCELLED

_DEEPEST = 10
"""Workflows that called one another."""


@dataclass(frozen=True, slots=True)
class Canceller:
    """What runs are cancelled with."""

    clock: Clock
    runs: Runs
    executions: Executions
    closer: Closer


class UnknownRun(Exception):
    """There is no such run."""


class NotCancelled(Exception):
    """The run cannot be cancelled; the text says why."""


def cancel(run_id: str, by: str, canceller: Canceller, *, compensate: bool = False) -> RunItem:
    """Cancel a run and return it; with `compensate` what it did is undone afterwards.

    Of a run that is over, that was not undone or not wholly, `compensate` alone is carried out.
    Raises UnknownRun and NotCancelled.
    """
    item = canceller.runs.get(run_id)
    if item is None:
        raise UnknownRun(run_id)
    if item.parent is not None:
        raise NotCancelled(f"another run called it: cancel {item.root or item.parent}")
    if item.is_over:
        return _undo(item, canceller, compensate=compensate)
    wanted = Cancelling(by, stamp(canceller.clock.now()), compensate)
    # First that it is wanted: whoever sees the end knows then whether something is to follow.
    item = canceller.runs.change(
        run_id, lambda one: None if one is None else cancelled_by(one, wanted)
    )
    assert item is not None
    if item.is_over or item.cancelling is None:
        return _undo(item, canceller, compensate=compensate)
    cause = json.dumps({"by": item.cancelling.by, "compensate": item.cancelling.compensate})
    if item.execution:
        canceller.executions.stop(item.execution, CANCELLED, cause)
    # On AWS, called workflows are stopped with their caller, at best; chunks are as well.
    for arn in _started(run_id, item.attempt, canceller.runs, _DEEPEST):
        canceller.executions.stop(arn, CANCELLED, cause)
    return item


def _undo(item: RunItem, canceller: Canceller, *, compensate: bool) -> RunItem:
    if not compensate:
        raise NotCancelled("it is over")
    try:
        close_again(item, canceller.closer)
    except NothingLeft as error:
        raise NotCancelled(f"it is over: {error}") from None
    return canceller.runs.get(item.run_id) or item


def _started(run_id: str, attempt: int, runs: Runs, depth: int) -> Iterator[str]:
    """Yield the executions that an attempt of a run has started, those they started behind."""
    for one in runs.known(run_id):
        if one.role == "close" or one.attempt != attempt:
            continue
        called = runs.get(one.run_id) if one.role == "child" else None
        if called is None or not called.is_over:
            yield one.arn
            if one.role == "child" and depth:
                yield from _started(one.run_id, one.attempt, runs, depth - 1)
