"""What is kept of a stage, written along the way: a process that is killed loses seconds of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from local.stage.stage import Stage

_SAVE_AFTER = 1.0
"""Seconds between two saves, at least."""
_SHARE = 20
"""Times that a save took pass before the next one."""
_LOOK_SECONDS = 0.2


class Saving:
    """Saves a stage whenever something was written to its tables, but not all the time."""

    def __init__(self, stage: Stage, told: Mapping[str, str]) -> None:
        self._stage = stage
        self._told = told
        self._saved, self._at, self._took = stage.writes, time.monotonic() - _SAVE_AFTER, 0.0

    def look(self) -> None:
        """Save if it is time to; raises OSError where nothing can be written."""
        if self._stage.writes == self._saved:
            return
        if time.monotonic() - self._at <= max(_SAVE_AFTER, _SHARE * self._took):
            return
        self._saved = self._stage.writes
        self._took = self._stage.save(self._told)
        self._at = time.monotonic()


@contextmanager
def saved_meanwhile(stage: Stage, told: Mapping[str, str]) -> Iterator[None]:
    """Save a stage beside what is done with it, on a thread that no run's time hangs on."""
    over = threading.Event()
    saving = Saving(stage, told)

    def watch() -> None:
        while not over.wait(_LOOK_SECONDS):
            try:
                saving.look()
            except OSError:
                return  # the last save, at the end, says what is wrong with the folder

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
