"""The source of a local stage's runs: each has a copy of the folder as it was at its first step."""

from __future__ import annotations

import hashlib
import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from local.source import LocalSources

if TYPE_CHECKING:
    from functions.domain.source import Wanted


class StageSources:
    """`functions.ports.Sources` for many runs; see `local.source`."""

    def __init__(self, folder: Path | None, store: Path) -> None:
        self._folder = folder
        self._store = store
        self._lock = threading.Lock()
        self._of_run: dict[str, LocalSources] = {}

    def lay(self, run: str, workspace: Path, wanted: Wanted | None = None) -> None:
        """Put a fresh copy of the run's source into a folder; raises SourceError."""
        del wanted
        with self._lock:
            found = self._of_run.setdefault(run, LocalSources(self._folder, self._place(run)))
        found.lay(run, workspace)

    def forget(self, run: str) -> None:
        """Throw away the copy of a run that is over; should it go on, it gets another."""
        with self._lock:
            self._of_run.pop(run, None)
        shutil.rmtree(self._place(run), ignore_errors=True)

    def _place(self, run: str) -> Path:
        return self._store / hashlib.sha256(run.encode()).hexdigest()[:20]
