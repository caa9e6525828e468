"""Programs that an action starts, each a process group of its own that ends with the action."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

GRACE_SECONDS = 2.0
"""Between asking a program to end and ending it."""
_TAIL_BYTES = 65_536

_running: set[int] = set()
_lock = threading.Lock()
_stopping = threading.Event()


@dataclass(frozen=True, slots=True)
class Program:
    """A program to run; `logs` is the stem of the files that take what it says."""

    arguments: tuple[str, ...]
    directory: Path
    environment: Mapping[str, str]
    seconds: float
    logs: Path
    mask: Callable[[str], str] | None = None  # takes secrets out of what was said


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended, with the last of what it said."""

    code: int
    timed_out: bool
    stdout: str
    stderr: str


def run_program(program: Program) -> Ended:
    """Run a program to its end or its timeout; then nothing of its process group is left."""
    said = {name: program.logs.with_suffix(f".{name}") for name in ("stdout", "stderr")}
    with said["stdout"].open("wb") as stdout, said["stderr"].open("wb") as stderr:
        process = subprocess.Popen(
            program.arguments,
            cwd=program.directory,
            env=dict(program.environment),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
        with _lock:
            _running.add(process.pid)
            if _stopping.is_set():
                _signal(process.pid, signal.SIGTERM)
        try:
            timed_out = _wait(process, program.seconds)
        finally:
            _signal(process.pid, signal.SIGKILL)
            process.wait()
            with _lock:
                _running.discard(process.pid)
    if program.mask is not None:
        for path in said.values():
            _mask(path, program.mask)
    return Ended(process.returncode, timed_out, _tail(said["stdout"]), _tail(said["stderr"]))


def allow() -> None:
    """Let programs start again after `stop_all`."""
    _stopping.clear()


def stop_all() -> None:
    """End all programs that run, and those that are just being started, until `allow`."""
    with _lock:
        _stopping.set()
        groups = list(_running)
    for group in groups:
        _signal(group, signal.SIGTERM)


def _wait(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        _signal(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_SECONDS)
        return True
    return False


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _mask(path: Path, mask: Callable[[str], str]) -> None:
    """Write a file anew, line by line; secrets of several lines are masked by their lines."""
    masked = path.with_suffix(f"{path.suffix}.masked")
    with (
        path.open(encoding="utf-8", errors="replace", newline="") as file,
        masked.open("w", encoding="utf-8", newline="") as copy,
    ):
        copy.writelines(map(mask, file))
    masked.replace(path)


def _tail(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
        return file.read().decode("utf-8", errors="replace")
