"""Where a stage on this machine can be reached: a small file that its process writes."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

DEV = Path(".stepsmith", "dev.json")
"""Of `stepsmith dev`, in the project's folder."""
KEPT = Path("address.json")
"""Of a process that works on a kept stage, in the folder where it is kept."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a process serves a stage's API."""

    url: str
    pid: int


def read(file: Path) -> Address | None:
    """Return the address in a file; None where there is none, or its process has ended."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        address = Address(str(found["url"]), int(found["pid"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return address if _lives(address.pid) else None


def write(file: Path, url: str) -> None:
    """Write this process' address."""
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f".{file.name}.new")
    new.write_text(json.dumps({"url": url, "pid": os.getpid()}) + "\n", encoding="utf-8")
    new.replace(file)


def remove(file: Path) -> None:
    """Take this process' address away; another's stays."""
    address = read(file)
    if address is not None and address.pid == os.getpid():
        file.unlink(missing_ok=True)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
