"""Programs beside Stepsmith: where the CDK, Node and others are on this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_SECONDS = 30.0
_VERSION = re.compile(r"\d+(?:\.\d+)+|\d+")


@dataclass(frozen=True, slots=True)
class Tools:
    """Looks programs up: those of the project's `node_modules`, of this Python, of the PATH.

    So a Node that was installed into the Python environment counts like one of the machine.
    """

    root: Path
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def path(self) -> str:
        """Return the PATH on which programs find each other as well."""
        ours = (self.root / "node_modules" / ".bin", Path(sys.executable).parent)
        own = self.environ.get("PATH", os.defpath)
        return os.pathsep.join([*(str(one) for one in ours if one.is_dir()), own])

    def find(self, name: str) -> Path | None:
        """Return a program; None where there is none."""
        found = shutil.which(name, path=self.path())
        return None if found is None else Path(found)

    def said(self, command: Sequence[str]) -> str | None:
        """Return what a program prints; None where it is not there, or fails."""
        program = self.find(command[0])
        if program is None:
            return None
        try:
            done = subprocess.run(
                [str(program), *command[1:]],
                env={**self.environ, "PATH": self.path()},
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    def version(self, name: str) -> str | None:
        """Return the version that a program says it is of; None where there is none."""
        found = _VERSION.search(self.said([name, "--version"]) or "")
        return None if found is None else found[0]


def numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, which order it among others."""
    return tuple(int(one) for one in re.findall(r"\d+", version)[:4])
