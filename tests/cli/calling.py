"""Calls of the command, with what it printed."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from cli.main import main


@dataclass(frozen=True, slots=True)
class Ended:
    """How a call ended: its exit code, its product, its talk."""

    code: int
    out: str
    err: str


def call(*argv: str | Path, stdin: str = "", environ: Mapping[str, str] | None = None) -> Ended:
    """Call the command in the current folder and return how it ended."""
    out, err = io.StringIO(), io.StringIO()
    code = main([str(word) for word in argv], out, err, io.StringIO(stdin), environ or {})
    return Ended(code, out.getvalue(), err.getvalue())


def write(path: Path, text: str) -> Path:
    """Write a file with the indentation of the test taken off."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text), encoding="utf-8")
    return path


HELLO = "name: Hello\nsteps:\n  - id: hello\n    run: echo hello\n"
