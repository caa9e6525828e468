"""What a command talks to: its streams, the environment, and what its exit code means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TextIO, TypeAlias

FINE, WRONG, MISUSED, FAULT = 0, 1, 2, 3
INTERRUPTED = 130
"""As a shell reports a program that Ctrl-C ended."""

Colour: TypeAlias = Literal["auto", "always", "never"]

EXIT_CODES = """\
exit codes:
  0  fine
  1  the workflow or the run is wrong, or failed
  2  the call is wrong
  3  a fault of Stepsmith
  130  stopped by Ctrl-C, SIGTERM or SIGHUP
"""


class Misuse(Exception):
    """A call that cannot be carried out; its text says what to do instead."""

    code = MISUSED


@dataclass(frozen=True, slots=True)
class Console:
    """The product goes to `stdout`, talk to `stderr`."""

    stdout: TextIO
    stderr: TextIO
    stdin: TextIO
    environ: Mapping[str, str]
    colour: Colour = "auto"

    def colours(self, stream: TextIO) -> bool:
        """Whether a stream takes colour: a terminal does, unless NO_COLOR is set.

        https://no-color.org
        """
        if self.colour != "auto":
            return self.colour == "always"
        return stream.isatty() and not self.environ.get("NO_COLOR")

    def read_stdin(self) -> bytes:
        """Return all of standard input."""
        buffer = getattr(self.stdin, "buffer", None)
        if buffer is None:
            return self.stdin.read().encode()
        data: bytes = buffer.read()
        return data
