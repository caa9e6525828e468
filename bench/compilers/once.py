"""Compiles with one tool in this process, and prints what it took as JSON.

    python -m bench.compilers.once TOOL FILE [--again N]

`TOOL` is a module of this package, `FILE` what it compiles. Seconds are those that processors
spent on this process and on the processes it started and still has (Node, for the CDK), which
other load on the machine hardly touches. Bytes of memory are the most that each of them held.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import resource
import sys
import time
from itertools import pairwise
from pathlib import Path

PROC = Path("/proc")
"""Where Linux tells of processes; elsewhere, what Node took is left out."""


def main() -> int:
    """Compile, and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.compilers.once")
    parser.add_argument("tool")
    parser.add_argument("file", type=Path)
    parser.add_argument("--again", type=int, default=0, help="compilations after the first")
    options = parser.parse_args()
    tool = importlib.import_module(f"bench.compilers.{options.tool}")
    source = options.file.read_text(encoding="utf-8")
    ready, held = seconds(), peak()
    made: str = tool.compiled(source)
    times = [seconds()]
    most = peak()
    for _ in range(options.again):
        tool.compiled(source)
        times.append(seconds())
    told = {
        "cold": times[0],
        "imports": ready,
        "warm": [after - before for before, after in pairwise(times)],
        "held": held,
        "peak": most,
        "bytes": len(made.encode()),
    }
    print(json.dumps(told))
    return 0


def seconds() -> float:
    """Return the processor's seconds so far, from the start of this process on."""
    ticks = os.sysconf("SC_CLK_TCK")
    return time.process_time() + sum(_ticks(child) for child in _started()) / ticks


def peak() -> int:
    """Return the most bytes of memory held so far.

    Not `ru_maxrss` where there is another way: on Linux it begins with what the parent held.
    """
    if not PROC.is_dir():
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return sum(_held(process) for process in (PROC / "self", *_started()))


def _started(process: Path = PROC / "self") -> list[Path]:
    """Return the processes that one has started, and what these have: Node starts Node."""
    found: list[Path] = []
    for each in (process / "task").glob("*/children"):
        for child in each.read_text(encoding="ascii").split():
            found += [PROC / child, *_started(PROC / child)]
    return found


def _ticks(process: Path) -> int:
    # The name of the command stands in brackets and may hold blanks; user and system are 14 and 15.
    fields = (process / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def _held(process: Path) -> int:
    lines = (process / "status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


if __name__ == "__main__":
    sys.exit(main())
