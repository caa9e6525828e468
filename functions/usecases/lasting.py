"""How long an attempt at a step may take, and whether it may begin at all."""

from __future__ import annotations

import contextlib
from datetime import datetime

from functions import ports
from functions.domain.errors import DeadlinePassed
from protocol.payloads import ActionCall

DEFAULT_SECONDS = 840
"""For an attempt without a timeout of its own; Lambda ends a call after 900."""


def seconds_for(
    call: ActionCall, place: ports.Place, now: datetime, results: ports.Results
) -> float:
    """Return the seconds an attempt may take: its timeout, or what is left until the deadline.

    Raises DeadlinePassed where nothing is left, which tells why the attempt before failed:
    machines do not try that again, and so it is what is said of the step in the end.
    """
    seconds = float(call.get("timeout", DEFAULT_SECONDS))
    deadline = call.get("deadline")
    if deadline is None:
        return seconds
    left = (datetime.fromisoformat(deadline) - now).total_seconds()
    if left > 0:
        return min(seconds, left)
    said = f"the deadline {deadline} passed before '{call['step']}' began"
    # That the step is too late is known without the store, too.
    with contextlib.suppress(Exception):
        before = results.read(place)
        if isinstance(before, ports.Failure):
            said += f" anew; the attempt before failed: {before.type}: {before.message}"
    raise DeadlinePassed(said)
