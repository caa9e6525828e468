"""Read runs: one with all that is known of it, or a list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from functions.domain.records.item import RunItem
from functions.domain.records.live import Call, Scene, live_record
from functions.domain.records.shape import SUCCEEDED, RunRecord
from functions.record_ports import Known, LogPage, Span
from functions.usecases.reading import Reading
from protocol.payloads import Json

_MOST_CALLS = 100
"""Called workflows whose records are read for one of a run that goes on."""
_DEEPEST = 5
_LATE = timedelta(minutes=5)
"""For lines that come into the log after the end of their run."""


def read_run(run_id: str, reading: Reading) -> RunRecord | None:
    """Return all that is known of a run; None for one that is not known."""
    item = reading.archive.runs.get(run_id)
    return None if item is None else _record(item, reading, _DEEPEST)


def read_logs(
    run_id: str,
    step: str | None,
    page: tuple[int, Mapping[str, Json] | None],
    reading: Reading,
) -> LogPage | None:
    """Return a page (its length, and behind what) of what a run said; None for one not known."""
    item = reading.archive.runs.get(run_id)
    if item is None:
        return None
    until = None
    if item.is_over and item.completed_at is not None:
        until = datetime.fromisoformat(item.completed_at) + _LATE
    limit, after = page
    span = Span(datetime.fromisoformat(item.started_at), until)
    return reading.logs.lines(run_id, step, span, limit, after)


def _record(item: RunItem, reading: Reading, depth: int) -> RunRecord:
    archive = reading.archive
    if item.is_over:
        kept = archive.runs.kept(item.run_id, item.attempt)
        if kept is not None:
            return kept.record
    every = archive.runs.known(item.run_id)
    known = [one for one in every if one.role == "child"]
    scene = Scene(
        item=item,
        plan=reading.plans.of(item.manifest),
        given=archive.runs.given(item.run_id, item.attempt) or {},
        rows=archive.rows.of_run(item.run_id),
        tasks=archive.tasks.of_run(item.run_id),
        calls=[*_calls(item, known[-_MOST_CALLS:], reading, depth)] if depth else [],
        is_closing=any(
            one.role == "close" and one.run_id == item.run_id and one.attempt == item.attempt
            for one in every
        ),
    )
    return live_record(scene)


def _calls(item: RunItem, known: Sequence[Known], reading: Reading, depth: int) -> Iterator[Call]:
    """Yield the workflows that a run called; of an earlier attempt those that are kept."""
    newest = {one.run_id: one for one in sorted(known, key=lambda one: one.started_at)}
    for one in newest.values():
        child = reading.archive.runs.get(one.run_id)
        if child is None or one.step is None:
            continue
        if one.attempt == item.attempt or child.status == SUCCEEDED:
            record = _record(child, reading, depth - 1)
            yield Call(one.step, tuple(one.items), one.started_at, record)
