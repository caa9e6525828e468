"""The events of a local stage, with somebody who is told of those that start nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from functions.domain.events import REJECTED

if TYPE_CHECKING:
    from functions.domain.events import Event
    from functions.event_ports import Became, Events


class Watched:
    """`functions.event_ports.Events` that tells of each event that its workflow does not take."""

    def __init__(self, events: Events, tell: Callable[[Event], None]) -> None:
        self._events = events
        self._tell = tell
        self.take_over, self.renew, self.bury = events.take_over, events.renew, events.bury
        self.get, self.listed = events.get, events.listed
        self.found, self.waiting = events.found, events.waiting

    def receive(self, event: Event) -> Event:
        """As `Events.receive`."""
        kept = self._events.receive(event)
        if event.outcome == REJECTED:
            self._tell(event)
        return kept

    def settle(self, event: Event, became: Became) -> bool:
        """As `Events.settle`."""
        is_written = self._events.settle(event, became)
        if is_written and became.outcome == REJECTED:
            self._tell(replace(event, outcome=REJECTED, problems=became.problems))
        return is_written
