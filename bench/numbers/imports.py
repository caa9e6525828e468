"""What a cold start imports: each function beside the libraries that it cannot do without."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from bench.imports import MOST, ONLY_BOTO3, RESOLVER, Import, base_of, targets, timed
from bench.table import Group, Number

ROUNDS = 5
QUICK = ("wake", "latches")
"""Functions of the short form."""


def group(*, quick: bool = False) -> Group:
    """Measure all functions."""
    found = targets()
    if quick:
        found = {name: found[name] for name in QUICK}
    rounds = 1 if quick else ROUNDS
    loads = {name: timed(statement) for name, statement in found.items()}
    numbers = (*_times(found, loads, rounds), *_libraries(loads))
    return Group(
        "Cold imports of the functions",
        f"Milliseconds of processor time in a fresh interpreter, median of {rounds}; the peer is "
        "a program that imports just those libraries that the function loads as well. Lambda adds "
        "the start of the interpreter itself.",
        numbers,
    )


def _times(
    statements: Mapping[str, str], loads: Mapping[str, Import], rounds: int
) -> tuple[Number, ...]:
    """Return a line for each function; it and its libraries are imported one after the other."""
    found: list[Number] = []
    for name, statement in statements.items():
        libraries = loads[name].libraries
        programs = statement, base_of(libraries)
        pairs = [[timed(one).seconds * 1000 for one in programs] for _ in range(rounds)]
        ours, theirs = (statistics.median(pair[at] for pair in pairs) for at in (0, 1))
        found.append(Number(name, ours, "ms", _shown(libraries), theirs, MOST))
    return tuple(found)


def _shown(libraries: Sequence[str]) -> str:
    """Return the libraries by their short names."""
    short = {"aws_lambda_powertools.logging": "Powertools", RESOLVER: "its resolver"}
    return ", ".join(short.get(name, name) for name in libraries) or "nothing"


def _libraries(loads: Mapping[str, Import]) -> tuple[Number, ...]:
    """Return how many libraries beside boto3 are loaded by functions that need none."""
    return tuple(
        Number(
            f"{name}: libraries loaded beside boto3",
            len(set(loads[name].libraries) - {"boto3"}),
            "",
            most=0,
            is_counted=True,
        )
        for name in ONLY_BOTO3
    )
