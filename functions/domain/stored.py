"""What close machines read of a run: records of steps and the undos that are due.

A result's path is `step[/item...][/r<n>]` (`functions.domain.keys`): an item's of a for_each,
a round's of a repeat, whose last one counts.

A result's `status` is what its last attempt came to: begun, succeeded, failed or in_doubt; or
what was done about it since: `undone` (an undo has begun, and `undo` says whether it is done),
`again` (a resume lets the step run again, which it has not done yet).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from functions.domain.keys import StepPlace, place_of
from protocol.items import ItemRecord
from protocol.names import TIMEOUT_ERRORS
from protocol.payloads import Json, Reference, Stored, Undo
from protocol.status import CANCELLED

BEGUN, SUCCEEDED, FAILED, IN_DOUBT = "begun", "succeeded", "failed", "in_doubt"
UNDONE, AGAIN = "undone", "again"
DONE = "done"
_HAD_AN_EFFECT = frozenset({SUCCEEDED, IN_DOUBT, BEGUN})
"""Of these an undo is due: one that did not report may have had its effect."""


@dataclass(frozen=True, slots=True)
class StoredResult:
    """What is stored of a step's result. `attempt` counts its claims, `claim` is the last one.

    `was` is the status before it was `undone`, or let go (`again`); `lease` until when an attempt
    that has begun may still be at work. `run_attempt` is that of the run in which it was claimed.
    """

    path: str
    status: str
    at: datetime  # when it ended, of one that did not report: when it began
    outputs: Mapping[str, Json]
    refs: Mapping[str, Reference]
    error: tuple[str, str] | None  # type and message
    child: dict[str, Json] | None = None  # id, attempt and inputs of the run it was
    claim: str = ""
    attempt: int = 1
    run_attempt: int = 1
    lease: datetime | None = None
    repeatable: bool = False
    was: str | None = None
    undo: str | None = None
    recheck: bool = False  # a resume was not sure of it

    @property
    def place(self) -> StepPlace:
        """Where in its run it belongs."""
        return place_of(self.path)

    @property
    def is_late(self) -> bool:
        """Whether its attempt was cut off by its timeout, in the middle of whatever it did."""
        return self.error is not None and self.error[0] in TIMEOUT_ERRORS

    @property
    def came_to(self) -> str:
        """What its last attempt came to, whatever was done about it since."""
        return self.was or self.status

    @property
    def may_be_there(self) -> bool:
        """Whether it has, or may have, an effect that nobody has undone."""
        had = self.came_to in _HAD_AN_EFFECT or (self.came_to == FAILED and self.is_late)
        return had and self.undo != DONE


def call_of(child: Mapping[str, Json] | None) -> tuple[Json, Json] | None:
    """Return which run in which attempt a call was; None of what is no call."""
    return None if child is None else (child["id"], child.get("attempt") or 1)


def stored_of(
    results: Iterable[StoredResult],
    steps: Sequence[str],
    undo: Sequence[str],
    around: tuple[int, ...] = (),
    cut_off: Sequence[Undo] = (),
    lost: Sequence[tuple[datetime, Undo]] = (),
) -> Stored:
    """Return the records of `steps` and the undos of `undo`, newest completion first.

    `around` are the indices of the for_each items whose `steps` are meant; `cut_off` are children
    that ended with their run, and so later than all that is stored; `lost` are those that were cut
    off in its course, with the moment.
    """
    last = _last_rounds(results)
    due = [(one, key) for key, one in last.items() if key[0] in undo and one.may_be_there]
    kept = {key: one for key, one in last.items() if one.status != AGAIN}
    due.sort(key=lambda found: found[1])
    # Of one that did not report it is known that it had begun: it ended after that.
    timed = [(one.at, one.came_to == BEGUN, _undo(one, *key)) for one, key in due]
    timed += [(at, True, one) for at, one in lost if one["step"] in undo]
    timed.sort(key=lambda found: found[:2], reverse=True)
    return {
        "steps": {
            step: record for step in steps if (record := _step(kept, step, around)) is not None
        },
        "undo": [
            *(one for one in cut_off if one["step"] in undo),
            *(one for _, _, one in timed),
        ],
    }


def records_beside(
    results: Iterable[StoredResult], steps: Mapping[str, int], items: tuple[int, ...]
) -> dict[str, Json]:
    """Return the records of `steps` as they are seen from an item.

    The values of `steps` are how many of the item's indices they share.
    """
    kept = {key: one for key, one in _last_rounds(results).items() if one.status != AGAIN}
    found = {step: _step(kept, step, items[:depth]) for step, depth in steps.items()}
    return {step: record for step, record in found.items() if record is not None}


def items_of(
    results: Iterable[StoredResult], step: str, around: tuple[int, ...]
) -> dict[str, ItemRecord]:
    """Return what came of the items of a for_each that was stopped, by their indices.

    What did not report was cut off: it is in doubt.
    """
    depth = len(around) + 1
    found: dict[str, ItemRecord] = {}
    for (name, items), result in _last_rounds(results).items():
        if name != step or len(items) != depth or items[:-1] != around or result.status == AGAIN:
            continue
        record = _record(result)
        is_good = _is_good(result)
        found[str(items[-1])] = {
            "status": CANCELLED if record.get("in_doubt") else str(record["status"]),
            "outputs": record["outputs"] if is_good else None,
            "error": None if record.get("in_doubt") else record.get("error"),
        }
    return found


def _last_rounds(
    results: Iterable[StoredResult],
) -> dict[tuple[str, tuple[int, ...]], StoredResult]:
    """Return the last round of each step and item; one that was let go only for want of others."""
    last: dict[tuple[str, tuple[int, ...]], tuple[tuple[bool, int], StoredResult]] = {}
    for result in results:
        place = result.place
        key, weight = (place.step, place.items), (result.status != AGAIN, place.round)
        if key not in last or last[key][0] < weight:
            last[key] = (weight, result)
    return {key: result for key, (_, result) in last.items()}


def _undo(result: StoredResult, step: str, items: tuple[int, ...]) -> Undo:
    record = _record(result)
    if result.run_attempt > 1:  # the undo is not that of the result of an earlier attempt
        record["life"] = result.run_attempt
    return {"step": step, "items": list(items), "record": record}


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
        dict(result.outputs) if _is_good(result) else None for _, result in found
    ]
    whole = all(_is_good(result) for _, result in found)
    return {
        "status": "succeeded" if whole else "failed",
        "items": items,
        "outputs": outputs,
    }


def _is_good(result: StoredResult) -> bool:
    return SUCCEEDED in (result.status, result.was)


def _record(result: StoredResult) -> dict[str, Json]:
    record: dict[str, Json] = {"status": SUCCEEDED, "outputs": dict(result.outputs)}
    if result.refs:
        record["refs"] = {name: _plain(reference) for name, reference in result.refs.items()}
    if result.child is not None:
        record["child"] = result.child
    if _is_good(result):
        return record
    kind, message = result.error or ("StepInDoubt", "it never reported")
    record["status"] = "timed_out" if kind in TIMEOUT_ERRORS else FAILED
    record["error"] = {"type": kind, "message": message}
    if result.came_to != FAILED:
        record["in_doubt"] = True
    return record


def _plain(reference: Reference) -> dict[str, Json]:
    return {"bucket": reference["bucket"], "key": reference["key"], "bytes": reference["bytes"]}
