"""The project's own files, as the tests of its architecture read them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("bench", "cdk", "cli", "compiler", "functions", "local", "protocol", "tests")


def _generated_folders() -> frozenset[str]:
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    # Without a slash where it may be a link, as in a second work tree.
    return frozenset(line.rstrip("/") for line in lines if "*" not in line) | {".git"}


def files(*suffixes: str) -> Iterator[Path]:
    """Yield the files that belong to the project; with `suffixes`, only those ending in one."""
    generated = _generated_folders()
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(
            name for name in folders if name not in generated and not name.endswith(".egg-info")
        )
        for name in sorted(names):
            path = Path(folder, name)
            if path.is_file() and (not suffixes or path.suffix in suffixes):
                yield path


def sources() -> Iterator[Path]:
    """Yield the Python files of the packages, tests and benchmarks included."""
    for path in files(".py"):
        if path.relative_to(ROOT).parts[0] in PACKAGES:
            yield path


def shown(path: Path) -> str:
    """Return how a file is named in a message: its path from the project's folder."""
    return path.relative_to(ROOT).as_posix()
