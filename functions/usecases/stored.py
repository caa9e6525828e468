"""Give a close machine what was stored of its run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.domain.stored import stored_of
from protocol.payloads import Stored, StoredRecords

if TYPE_CHECKING:
    from functions.ports import StoredResults


def stored(message: StoredRecords, results: StoredResults) -> Stored:
    """Return the records that handlers read, and the undos due, newest completion first."""
    around = tuple(message.get("items", ()))
    found = results.of_run(message["run"]["id"])
    return stored_of(found, message["steps"], message["undo"], around)
