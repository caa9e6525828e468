"""What changed rows of results and tasks ask for: told by the streams of their tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from functions.domain.records.rows import row_from
from functions.usecases.announce import announce_step
from functions.usecases.archive import Keeper
from functions.usecases.pausing import note_pauses

Record: TypeAlias = Mapping[str, Any]
"""A record of a stream, with new and old images.
https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html"""


def take_changes(
    records: Sequence[Record], keeper: Keeper, failed: Callable[[Exception], None]
) -> str | None:
    """Take records of streams in; return the number of the first that is to come again.

    It and what comes behind it do; None where all were taken in. `failed` is told why.
    """
    for record in records:
        change = record["dynamodb"]
        try:
            _take(change, keeper)
        except Exception as error:  # noqa: BLE001 (whatever it is, the stream brings it again)
            failed(error)
            return str(change["SequenceNumber"])
    return None


def _take(change: Mapping[str, Any], keeper: Keeper) -> None:
    keys, image = change["Keys"], change.get("NewImage")
    if image is None:
        return
    if "step" in keys and "attempt" in image:
        announce_step(keys["run"]["S"], keys["step"]["S"], row_from(image), keeper)
    elif "task" in image and json.loads(image["task"]["S"])["kind"] == "pause":
        note_pauses(image["run"]["S"], keeper)
