"""Values of secrets on this machine: the environment, then the project's file `.secrets`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

FILE = ".secrets"


def secrets_here(root: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the secrets that have a value here, by name.

    The file has a line `NAME=value` for each; lines that start with `#` say nothing.
    """
    try:
        text = (root / FILE).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return dict(environ)
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, equals, value = line.strip().partition("=")
        if equals and not name.startswith("#"):
            found[name.strip()] = value.strip()
    return {**found, **environ}
