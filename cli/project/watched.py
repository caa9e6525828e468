"""Files that are looked at again and again, for what has changed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cli.project.project import WORKFLOWS, root_of, workflow_files
from cli.project.settings import FILE


def state_of(words: Iterable[str]) -> dict[Path, tuple[int, int]]:
    """Return the files that matter, each with when it was changed and its size."""
    paths: list[Path] = []
    for word in words or (".",):
        path = Path(word)
        root = root_of(path)
        if root is not None:
            paths += [root / FILE, *workflow_files(root / WORKFLOWS)]
            paths += sorted((root / "actions").glob("*.py"))
        paths += workflow_files(path) if path.is_dir() and list(words) else [path]
    found: dict[Path, tuple[int, int]] = {}
    for path in paths:
        try:
            stat = path.stat()
        except OSError:
            continue
        if path.is_file():
            found[path.resolve()] = (stat.st_mtime_ns, stat.st_size)
    return found
