"""Compile time, memory and growth beside sfnx and the CDK, for the same steps in the same order."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TypeAlias

from bench.compilers.sources import SOURCES
from bench.table import Group, Number

ROOT = Path(__file__).parents[2]
OURS, SFNX, CDK = "ours", "by_sfnx", "by_cdk"
PEERS = {SFNX: "sfnx", CDK: "cdk synth"}
SMALL, LARGE = 100, 5_000
"""Sizes that growth is told from."""


@dataclass(frozen=True, slots=True)
class Size:
    """A number of steps, and how it is measured.

    `rounds` are fresh processes for each tool, of which the CDK takes part in `slow`, since Node
    needs seconds; `again` is what each process compiles after the first.
    """

    steps: int
    rounds: int
    slow: int
    again: int


PLAN: Mapping[str, Sequence[Size]] = {
    "chain": (Size(10, 5, 3, 5), Size(SMALL, 5, 3, 3), Size(1_000, 3, 1, 1), Size(LARGE, 1, 0, 0)),
    "tens": (Size(SMALL, 5, 3, 3), Size(1_000, 3, 1, 1), Size(LARGE, 1, 0, 0)),
}
"""A chain of 5,000 overflows the stack of the CDK, which takes no part at that size."""
QUICK: Mapping[str, Sequence[Size]] = {"chain": (Size(10, 1, 0, 2), Size(SMALL, 1, 0, 2))}

MOST_TIME = {SFNX: 1.0, CDK: 0.5}
MOST_START = {SFNX: 1.8, CDK: 0.3}
"""Ours imports pydantic, which takes longer than all that sfnx does for a hundred steps."""
MOST_MEMORY = {SFNX: 1.05, CDK: 0.3}
MOST_GROWTH = 1.25


@dataclass(frozen=True, slots=True)
class Took:
    """What a tool took for one size: seconds of the processor, bytes of memory."""

    cold: float
    """From the start of the process to the text, interpreter and imports included."""
    warm: float
    """One compilation in a process that has done one; the first where there is no other."""
    peak: int
    """The most bytes held, of the process and what it started."""
    above: int
    """The same above what was held when the imports were done."""


Taken: TypeAlias = "dict[tuple[str, int, str], Took]"
"""By shape, steps and tool."""


def groups(*, quick: bool = False) -> tuple[Group, ...]:
    """Measure and return time, then memory; quick: few steps, one round, and no CDK."""
    taken = measured(QUICK if quick else PLAN)
    return (_times(taken), _memory(taken))


def measured(plan: Mapping[str, Sequence[Size]]) -> Taken:
    """Return the medians."""
    found: Taken = {}
    for shape, sizes in plan.items():
        for size in sizes:
            told = _told(shape, size)
            found |= {(shape, size.steps, tool): _median(some) for tool, some in told.items()}
    return found


def _told(shape: str, size: Size) -> dict[str, list[Took]]:
    """Measure one size; the tools take turns, a fresh process each time."""
    rounds = {OURS: size.rounds, SFNX: size.rounds, CDK: size.slow}
    told: dict[str, list[Took]] = {tool: [] for tool in rounds if rounds[tool]}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(size.rounds):
            for tool in [one for one in told if turn < rounds[one]]:
                file = Path(folder) / tool
                file.write_text(SOURCES[tool](shape, size.steps), encoding="utf-8")
                told[tool].append(once(tool, file, size.again))
    return told


def once(tool: str, file: Path, again: int) -> Took:
    """Compile a file in a process of its own."""
    command = [sys.executable, "-m", "bench.compilers.once", tool, str(file)]
    done = subprocess.run(
        [*command, "--again", str(again)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{tool} did not compile: {done.stderr[-2_000:]}")
    told = json.loads(done.stdout)
    warm = median(told["warm"] or [told["cold"] - told["imports"]])
    return Took(told["cold"], warm, told["peak"], told["peak"] - told["held"])


def _median(told: Sequence[Took]) -> Took:
    return Took(
        median(one.cold for one in told),
        median(one.warm for one in told),
        int(median(one.peak for one in told)),
        int(median(one.above for one in told)),
    )


def _times(taken: Taken) -> Group:
    numbers = []
    for shape, steps, tool, ours, theirs in _pairs(taken):
        peer, what, started = PEERS[tool], f"{shape} of {steps:,}", "with start and imports"
        most, most_start = MOST_TIME[tool], MOST_START[tool]
        numbers += [
            Number(f"{what}: compiling", ours.warm * 1e3, "ms", peer, theirs.warm * 1e3, most),
            Number(f"{what}: {started}", ours.cold, "s", peer, theirs.cold, most_start),
        ]
    numbers += _growth(taken)
    how = (
        "A plain Lambda step with an input, a retry of passing faults and one of every failure, so "
        "many times: in a chain, or ten at once and then the next ten. Ours runs all passes and "
        "writes JSON text; sfnx 3.1.0 compiles a Python function with the two calls of its "
        "command; the CDK synthesises a template from constructs made in a loop, in process, "
        "without its own command. Seconds are the processor's, Node's included, medians of fresh "
        "processes that take turns. `compiling` is one compilation in a process that has done one "
        f"({LARGE:,} steps: the first), `with start and imports` a whole process: ours "
        "imports more than sfnx, which small workflows do not make up for. Growth is the "
        f"time for a step at {LARGE:,} steps over that at {SMALL}. The CDK ends at a chain of "
        f"{LARGE:,} with its stack full, and stays out at that size."
    )
    return Group("Compiling: time", how, tuple(numbers))


def _growth(taken: Taken) -> list[Number]:
    found = []
    for shape in dict.fromkeys(shape for shape, _, _ in taken):
        if (shape, LARGE, SFNX) in taken:
            ours, theirs = (
                taken[shape, LARGE, tool].warm / LARGE * SMALL / taken[shape, SMALL, tool].warm
                for tool in (OURS, SFNX)
            )
            what = f"{shape}: growth, {SMALL} to {LARGE:,}"
            found.append(Number(what, ours, "", "sfnx", theirs, MOST_GROWTH))
    return found


def _memory(taken: Taken) -> Group:
    numbers = []
    for shape, steps, tool, ours, theirs in _pairs(taken):
        peer, most, what = PEERS[tool], MOST_MEMORY[tool], f"{shape} of {steps:,}"
        numbers += [
            Number(f"{what}: peak", ours.peak / 1e6, "MB", peer, theirs.peak / 1e6, most),
            Number(f"{what}: above imports", ours.above / 1e6, "MB", peer, theirs.above / 1e6, 1.1),
        ]
    how = (
        "The most memory that the process of one compilation held (resident, the interpreter and "
        "all imports included; for the CDK that of Python and Node together), and how much that is "
        "above what it held with the imports done and nothing compiled. From the same processes."
    )
    return Group("Compiling: memory", how, tuple(numbers))


def _pairs(taken: Taken) -> list[tuple[str, int, str, Took, Took]]:
    return [
        (shape, steps, tool, taken[shape, steps, OURS], theirs)
        for (shape, steps, tool), theirs in taken.items()
        if tool != OURS
    ]
