"""The files that the steps of played cases work on: one copy for all cases of a call."""

from __future__ import annotations

import subprocess
from pathlib import Path

from local.source import LocalSources, SourceError, tree_of

__all__ = ["Sources"]


class Sources:
    """The sources of workflows, each as it is when it is first asked for.

    A run takes a copy of its source, and each step of the run another. Here the objects of a
    git tree are packed into one file beforehand, which makes all of these copies cheap.
    """

    def __init__(self, store: Path, folder: Path | None = None) -> None:
        self._store = store
        self._folder = folder
        self._taken: dict[Path, Path] = {}

    def of(self, workflow: Path) -> Path | None:
        """Return the source of a workflow. Raises SourceError where it cannot be one."""
        folder = (self._folder or tree_of(workflow)).resolve()
        if folder not in self._taken:
            self._taken[folder] = self._take(folder, self._store / f"source-{len(self._taken)}")
        return self._taken[folder]

    def _take(self, folder: Path, copy: Path) -> Path:
        if not (folder / ".git").exists():
            return folder
        LocalSources(folder, self._store / f"{copy.name}-work").lay("", copy)
        packed = subprocess.run(
            ["git", "-C", str(copy), "repack", "-a", "-d", "-q"],
            capture_output=True,
            check=False,
            text=True,
        )
        if packed.returncode:
            raise SourceError(f"the source '{folder}' cannot be copied: {packed.stderr.strip()}")
        return copy
