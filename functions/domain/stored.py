"""What close machines read of a run: records of steps and the undos that are due.

A result's path is `step[/item...][/r<n>]` (`functions.domain.keys`): an item's of a for_each,
a round's of a repeat, whose last one counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from protocol.names import TIMEOUT_ERRORS
from protocol.payloads import Json, Reference, Stored, Undo

_HAD_AN_EFFECT = ("succeeded", "in_doubt", "begun")
"""Of these an undo is due: one that did not report may have had its effect."""


@dataclass(frozen=True, slots=True)
class StoredResult:
    """What is stored of a step's result: `status` is begun, succeeded, failed or in_doubt."""

    path: str
    status: str
    at: datetime  # when it ended, of one that did not report: when it began
    outputs: Mapping[str, Json]
    refs: Mapping[str, Reference]
    error: tuple[str, str] | None  # type and message
    child: dict[str, Json] | None = None  # id and inputs of the execution it was


@dataclass(frozen=True, slots=True)
class _Place:
    step: str
    items: tuple[int, ...]
    round: int


def stored_of(
    results: Iterable[StoredResult],
    steps: Sequence[str],
    undo: Sequence[str],
    around: tuple[int, ...] = (),
) -> Stored:
    """Return the records of `steps` and the undos of `undo`, newest completion first.

    `around` are the indices of the for_each items whose `steps` are meant.
    """
    last: dict[tuple[str, tuple[int, ...]], tuple[int, StoredResult]] = {}
    for result in results:
        place = _place(result.path)
        key = (place.step, place.items)
        if key not in last or last[key][0] < place.round:
            last[key] = (place.round, result)
    kept = {key: result for key, (_, result) in last.items()}
    due = [
        (result, key)
        for key, result in kept.items()
        if key[0] in undo and result.status in _HAD_AN_EFFECT
    ]
    due.sort(key=lambda found: found[1])
    due.sort(key=lambda found: found[0].at, reverse=True)
    return {
        "steps": {
            step: record for step in steps if (record := _step(kept, step, around)) is not None
        },
        "undo": [_undo(result, *key) for result, key in due],
    }


def _undo(result: StoredResult, step: str, items: tuple[int, ...]) -> Undo:
    return {"step": step, "items": list(items), "record": _record(result)}


def _place(path: str) -> _Place:
    step, *parts = path.split("/")
    rounds = [part for part in parts if part.startswith("r")]
    items = tuple(int(part) for part in parts if part.isdigit())
    return _Place(step, items, int(rounds[0][1:]) if rounds else 0)


def _step(
    kept: dict[tuple[str, tuple[int, ...]], StoredResult], step: str, around: tuple[int, ...]
) -> Json:
    """Return the record of a step, of a for_each that of all its items; None without any."""
    own = kept.get((step, around))
    if own is not None:
        return _record(own)
    depth = len(around)
    found = sorted(
        (key[1], result)
        for key, result in kept.items()
        if key[0] == step and key[1][:depth] == around
    )
    if not found:
        return None
    items: list[Json] = []
    for indices, result in found:
        items.append({"index": indices[-1], "error": None, **_record(result)})
    outputs: list[Json] = [
        dict(result.outputs) if result.status == "succeeded" else None for _, result in found
    ]
    whole = all(result.status == "succeeded" for _, result in found)
    return {
        "status": "succeeded" if whole else "failed",
        "items": items,
        "outputs": outputs,
    }


def _record(result: StoredResult) -> dict[str, Json]:
    record: dict[str, Json] = {"status": "succeeded", "outputs": dict(result.outputs)}
    if result.refs:
        record["refs"] = {name: _plain(reference) for name, reference in result.refs.items()}
    if result.child is not None:
        record["child"] = result.child
    if result.status == "succeeded":
        return record
    kind, message = result.error or ("StepInDoubt", "it never reported")
    record["status"] = "timed_out" if kind in TIMEOUT_ERRORS else "failed"
    record["error"] = {"type": kind, "message": message}
    if result.status != "failed":
        record["in_doubt"] = True
    return record


def _plain(reference: Reference) -> dict[str, Json]:
    return {"bucket": reference["bucket"], "key": reference["key"], "bytes": reference["bytes"]}
