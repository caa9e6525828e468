"""The long forms of races and laws, one after the other: `python -m bench.soak [NAMES...]`.

Prints a line for each, with its time and whether it held, and what it said where it did not. One
that fails keeps none of the others from being run. Exits 1 if any failed.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence

NAMES = ("truth", "conformance", "resume", "records", "intake", "decisions")
"""Modules of this package, the quickest first."""


def main(arguments: Sequence[str]) -> int:
    """Run what is named, or all; return the exit code."""
    unknown = [name for name in arguments if name not in NAMES]
    if unknown:
        print(f"there is no {', '.join(unknown)}: the names are {', '.join(NAMES)}")
        return 2
    held = [soaked(name, [f"bench.{name}"]) for name in arguments or NAMES]
    return 0 if all(held) else 1


def soaked(name: str, module: Sequence[str]) -> bool:
    """Run a module in a process of its own and print how it went; return whether it held."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", *module],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    good = done.returncode == 0
    said = done.stdout.strip()
    last = said.rpartition("\n")[2]
    seconds = time.monotonic() - began
    print(f"{'ok' if good else 'no'}  {name:<12} {seconds:6.0f} s  {last if good else ''}".rstrip())
    if not good:
        print("\n".join(f"    {line}" for line in said.splitlines()))
    sys.stdout.flush()
    return good


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
