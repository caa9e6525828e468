"""Give a machine what was stored of its run, and note what it undoes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from functions.domain.stored import DONE, UNDONE, call_of, items_of, records_beside, stored_of
from protocol.items import Items, StoredItems
from protocol.payloads import Json, Stored, StoredRecords, Undo
from protocol.undoing import UndoBegun, UndoNote

if TYPE_CHECKING:
    from functions.ports import StoredResults


Lost: TypeAlias = "Callable[[StoredRecords], Sequence[tuple[datetime, Undo]]]"
"""Tells of the called workflows that were cut off in the course of a run, and when they were."""


def stored(message: StoredRecords, results: StoredResults, lost: Lost) -> Stored:
    """Return the records that handlers read, and the undos due, newest completion first."""
    around = tuple(message.get("items", ()))
    # First: what they still do while they are stopped is stored then.
    cut_off = lost(message) if message.get("execution") else ()
    found = results.of_run(message["run"]["id"])
    given = message.get("cut_off", ())
    # Of a call that ended just when its caller was stopped nothing is stored there.
    known = {call_of(one.child) for one in found} | {call_of(_child(one)) for one in given}
    left = [(at, one) for at, one in cut_off if call_of(_child(one)) not in known]
    return stored_of(found, message["steps"], message["undo"], around, given, left)


def _child(undo: Undo) -> dict[str, Json] | None:
    child = undo["record"].get("child")
    return child if isinstance(child, dict) else None


def stored_items(message: StoredItems, results: StoredResults) -> Items:
    """Return what is stored of the items of a for_each."""
    found = results.of_step(message["run"]["id"], message["step"])
    return {"items": items_of(found, message["step"], tuple(message.get("items", ())))}


def answer(
    message: StoredRecords | StoredItems | UndoNote, results: StoredResults, lost: Lost
) -> object:
    """Answer whatever a machine asks about stored results."""
    if message["op"] == "stored":
        return stored(message, results, lost)
    if message["op"] == "items":
        return stored_items(message, results)
    return note_undo(message, results)


def note_undo(message: UndoNote, results: StoredResults) -> UndoBegun | dict[str, Json]:
    """Note that a result is being undone, or is (`undone`); say whether it was undone before.

    From the first on it counts no more: no resume keeps what an undo may have taken away.
    """
    run = message["run"]["id"]
    items = tuple(message["items"])
    rows = [row for row in results.of_step(run, message["step"]) if row.place.items == items]
    child = message.get("child")
    if child is not None:
        rows = [row for row in rows if call_of(row.child) == call_of(child)]
    there = [row for row in rows if row.may_be_there]
    if message["op"] == "undone":
        if message.get("status") == UNDONE:
            for row in there:
                results.note_undone(run, row.path)
        return {}
    if not there:
        return {"done": any(row.undo == DONE for row in rows)}
    done = [results.begin_undo(run, row.path) for row in there]
    begun: UndoBegun = {"done": all(done)}
    beside = message.get("beside")
    if beside and not begun["done"]:
        begun["steps"] = records_beside(results.of_run(run), beside, items)
    return begun
