"""The source of a local run: a copy of a folder as it is when the run starts."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from functions.domain.source import Wanted

MOST_FILES = 20_000
"""Of a folder that is no git tree: more is hardly what was meant (a home, a temporary folder)."""


class SourceError(Exception):
    """The folder cannot be a source; the text says why and what to do."""


def tree_of(file: Path) -> Path:
    """Return the git tree that holds a file, else the file's folder."""
    for folder in (file.resolve().parent, *file.resolve().parent.parents):
        if (folder / ".git").exists():
            return folder
    return file.resolve().parent


class LocalSources:
    """`functions.ports.Sources` for local runs: fresh copies of one snapshot.

    A git tree is cloned, its origin kept, and gets the changes that are not committed yet,
    without ignored files. Another folder is copied. The snapshot is taken when the first step
    asks for it; `folder` None means that steps start with nothing.
    """

    def __init__(self, folder: Path | None, store: Path) -> None:
        self._folder = folder
        self._snapshot = store / "source"
        self._lock = threading.Lock()

    def lay(self, run: str, workspace: Path, wanted: Wanted | None = None) -> None:
        """Put a fresh copy of the source into a folder."""
        del run, wanted
        if self._folder is None:
            return
        with self._lock:
            if not self._snapshot.exists():
                _take(self._folder.resolve(), self._snapshot)
        shutil.copytree(self._snapshot, workspace, symlinks=True, dirs_exist_ok=True)


def _take(folder: Path, snapshot: Path) -> None:
    if not folder.is_dir():
        raise SourceError(f"the source '{folder}' is not a folder")
    if not (folder / ".git").exists():
        _refuse_large(folder)
        _copy(folder, snapshot)
        return
    _git(folder.parent, "clone", "--quiet", "--local", str(folder), str(snapshot))
    origin = _git(folder, "config", "--get", "remote.origin.url", check=False).strip()
    if origin:
        _git(snapshot, "remote", "set-url", "origin", origin)
    else:
        _git(snapshot, "remote", "remove", "origin")
    _overlay(folder, snapshot)


def _copy(folder: Path, snapshot: Path) -> None:
    """Copy a folder, so that steps can write into it wherever its own permissions say no."""
    try:
        shutil.copytree(folder, snapshot, symlinks=True, ignore=_no_files)
    except shutil.Error as error:
        path, _, why = error.args[0][0]
        raise SourceError(
            f"'{path}' cannot be copied ({why}); say what the steps work on with --source DIR"
        ) from None
    for where, _, _ in os.walk(snapshot):
        copy = Path(where)
        copy.chmod(copy.stat().st_mode | stat.S_IRWXU)


def _no_files(folder: str, names: list[str]) -> list[str]:
    """Return the sockets, pipes and devices among names: they hold nothing to be copied."""
    kinds = {name: Path(folder, name).lstat().st_mode for name in names}
    kept = (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK)
    return [name for name, mode in kinds.items() if not any(is_kind(mode) for is_kind in kept)]


def _overlay(folder: Path, snapshot: Path) -> None:
    """Bring what is changed, new or deleted in the tree, but not committed, into the copy."""
    listed = _git(folder, "ls-files", "-z", "--modified", "--others", "--exclude-standard")
    staged = _git(folder, "diff", "-z", "--name-only", "--no-renames", "--cached")
    for name in filter(None, {*listed.split("\0"), *staged.split("\0")}):
        path, copy = folder / name, snapshot / name
        if path.is_symlink() or path.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy, follow_symlinks=False)
        elif not path.exists():
            copy.unlink(missing_ok=True)


def _refuse_large(folder: Path) -> None:
    count = 0
    for _, _, files in os.walk(folder):
        count += len(files)
        if count > MOST_FILES:
            raise SourceError(
                f"the folder '{folder}' holds more than {MOST_FILES} files and is no git tree; "
                "say which one the steps work on with --source DIR"
            )


def _git(folder: Path, *arguments: str, check: bool = True) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False
    )
    if check and done.returncode != 0:
        raise SourceError(f"git {arguments[0]} failed in '{folder}': {done.stderr.strip()}")
    return done.stdout
