"""The folder in which a stage is kept belongs to one process at a time.

A process takes up all that is kept, and writes all of it: of two at once, the later one would
write over what the other has done.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cli.console import Misuse
from cli.here import addresses

LOCK = Path(".lock")
"""Locked by the process that works on the folder, whose id is in it."""
PATIENCE = 10.0
"""Seconds in which a command that only looked, or answered a task, is done."""
_LOOK_SECONDS = 0.05


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep other processes off a folder, which is made if it is missing.

    Raises Misuse where it cannot be written, or another process goes on working on it.
    """
    other = addresses.read(folder / addresses.KEPT)
    if other is not None:
        raise _taken(folder, other.pid)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        reason = "it is no folder" if folder.exists() and not folder.is_dir() else error.strerror
        raise Misuse(f"nothing can be kept in '{folder}': {reason}") from None
    try:
        _take(folder, lock)
        yield
    finally:
        os.close(lock)


def _take(folder: Path, lock: int) -> None:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise _taken(folder, os.pread(lock, 20, 0).decode(errors="replace")) from None
            time.sleep(_LOOK_SECONDS)
        else:
            os.truncate(lock, 0)
            os.pwrite(lock, str(os.getpid()).encode(), 0)
            return


def _taken(folder: Path, pid: int | str) -> Misuse:
    return Misuse(f"process {pid} is at work on what is kept in '{folder}'")
