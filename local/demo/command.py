"""A call of `stepsmith` in a process of its own, shown as it goes or afterwards."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

_ENTRY = "import cli.main; cli.main.entry()"
_VARIABLES = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""The demo's tests use no plugins, and those of this Python's pytest take a second to load."""


class Command:
    """A call that has begun. One that is not `live` is shown as a whole, once asked for."""

    def __init__(
        self, arguments: Sequence[str], variables: Mapping[str, str], *, live: bool
    ) -> None:
        self._live = live
        self._line = f"$ stepsmith {shlex.join(arguments)}"
        if live:
            say(self._line)
        # The programs beside this Python first: scripts call `python`, which must have pytest.
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
        self._process = subprocess.Popen(
            [sys.executable, "-c", _ENTRY, *([] if live else _colour()), *arguments],
            env={**os.environ, "PATH": path, **_VARIABLES, **variables},
            stdin=None if live else subprocess.DEVNULL,
            stdout=None if live else subprocess.PIPE,
            stderr=None if live else subprocess.PIPE,
        )

    def shown(self) -> int:
        """Return the exit code once all that was said has been shown."""
        product, talk = self._process.communicate()
        if not self._live:
            say(self._line)
            for said, stream in ((talk, sys.stderr), (product, sys.stdout)):
                stream.write(said.decode("utf-8", errors="replace"))
                stream.flush()
        return self._process.returncode


def say(*lines: str) -> None:
    """Tell something beside the records that are printed."""
    sys.stderr.write("\n".join(lines) + "\n")
    sys.stderr.flush()


def _colour() -> list[str]:
    """Return what has a call coloured whose output reaches the terminal through this process."""
    terminal = sys.stdout.isatty() and sys.stderr.isatty()
    return ["--color", "always"] if terminal and not os.environ.get("NO_COLOR") else []
