"""An event of a file as a trigger takes it: what it gives as inputs, and what is read of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from compiler.document.nodes import Json
from compiler.manifest import manifest
from functions.domain.triggers.recorded import recorded
from functions.domain.triggers.taking import Ignored, Taken, take

if TYPE_CHECKING:
    from cli.project.compile_file import Compiled
    from protocol.payloads import MachineInput


class NothingStarts(Exception):
    """No run would start from the event; the text says why."""


def started(compiled: Compiled, trigger: str, event: Mapping[str, Json]) -> MachineInput:
    """Return what the run is given that an event starts by a trigger, named as in the file.

    The event is recorded as its source delivers it, or what expressions read as `event`. Of the
    inputs there are those that the event and the trigger give. Raises NothingStarts.
    """
    whole = manifest(compiled.own, compiled.called)
    one = next(one for one in whole["triggers"] if one["name"] == trigger)
    try:
        incoming = recorded(one, event, datetime.now(UTC))
    except ValueError as error:
        raise NothingStarts(str(error)) from None
    taken = take(whole, one, incoming, checks=False)
    if isinstance(taken, Taken):
        return taken.given
    if isinstance(taken, Ignored):
        raise NothingStarts(taken.reason)
    raise NothingStarts("; ".join(problem["detail"] for problem in taken.problems))
