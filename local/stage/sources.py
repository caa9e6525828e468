"""The source of a local stage's runs: each has a copy of the folder as it was at its first step."""

from __future__ import annotations

import hashlib
import itertools
import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from local.source import LocalSources

if TYPE_CHECKING:
    from functions.domain.source import Wanted


class _Copy:
    """The copy of one run, and how many read it."""

    def __init__(self, folder: Path | None, place: Path) -> None:
        self._place = place
        self._sources = LocalSources(folder, place)
        self._changed = threading.Condition()
        self._readers = 0
        self._gone = False

    def lay(self, run: str, workspace: Path) -> bool:
        """Copy it on into a folder; False where it is thrown away."""
        with self._changed:
            if self._gone:
                return False
            self._readers += 1
        try:
            self._sources.lay(run, workspace)
        finally:
            with self._changed:
                self._readers -= 1
                self._changed.notify_all()
        return True

    def throw_away(self) -> None:
        """Delete it, as soon as nobody reads it."""
        with self._changed:
            self._gone = True
            self._changed.wait_for(lambda: not self._readers)
        shutil.rmtree(self._place, ignore_errors=True)


class StageSources:
    """`functions.ports.Sources` for many runs; see `local.source`."""

    def __init__(self, folder: Path | None, store: Path) -> None:
        self._folder = folder
        self._store = store
        self._lock = threading.Lock()
        self._of_run: dict[str, _Copy] = {}
        self._made = itertools.count()

    def lay(self, run: str, workspace: Path, wanted: Wanted | None = None) -> None:
        """Put a fresh copy of the run's source into a folder; raises SourceError."""
        del wanted
        while True:
            with self._lock:
                found = self._of_run.get(run)
                if found is None:
                    found = self._of_run[run] = _Copy(self._folder, self._place(run))
            if found.lay(run, workspace):
                return

    def forget(self, run: str) -> None:
        """Throw away the copy of a run that is over; should it go on, it gets another.

        What follows the run, such as an undo, may be reading it at this moment: that is waited for.
        """
        with self._lock:
            found = self._of_run.pop(run, None)
        if found is not None:
            found.throw_away()

    def _place(self, run: str) -> Path:
        """Return a new place: an earlier copy of the run may just be thrown away."""
        digest = hashlib.sha256(run.encode()).hexdigest()[:20]
        return self._store / f"{digest}-{next(self._made)}"
