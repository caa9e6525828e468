"""What an execution's history tells of each state: see `functions.domain.records.timeline`."""

from __future__ import annotations

from functions.domain.records.said import parsed
from functions.domain.records.timeline import Change, Event, Items, StateTimes, Timeline, moment

__all__ = ["Change", "Event", "Items", "StateTimes", "Timeline", "moment", "parsed"]
