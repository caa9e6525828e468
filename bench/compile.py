"""Time, memory and size of compiling 10 to 5,000 steps: `python -m bench.compile`.

Prints a table and the limits, and ends with 1 where a limit is missed. Times are those of the
process itself, the best of several rounds; all passes run, emission and JSON text included.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence

from bench import limits
from bench.limits import Limit
from bench.memory import peak
from bench.passes import PASSES, Best, best_of
from bench.workflows import SHAPES, SURROUNDINGS, workflow

SIZES = (10, 100, 1_000, 5_000)
ROUNDS = {10: 30, 100: 15, 1_000: 5, 5_000: 2}


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.compile", description=__doc__)
    parser.add_argument("--rounds", type=int, help="rounds for each size (more for small ones)")
    rounds = parser.parse_args().rounds
    best_of(3, workflow(SHAPES["chain"](100)), SURROUNDINGS)  # everything is imported and warm
    print(_HEAD)
    found: list[Limit] = []
    for shape in SHAPES:
        found += _measured(shape, rounds)
    found += [*limits.sizes(), limits.advice()]
    print()
    return told(found)


def told(found: Sequence[Limit]) -> int:
    """Print limits with what was measured; return 1 where one is missed, else 0."""
    for limit in found:
        print(limit)
    return 0 if all(limit.is_kept for limit in found) else 1


def _measured(shape: str, rounds: int | None) -> list[Limit]:
    """Measure one shape in all sizes, print a row each, and return its limits."""
    by_size: dict[int, Best] = {}
    for steps in SIZES:
        text = workflow(SHAPES[shape](steps))
        best = by_size[steps] = best_of(rounds or ROUNDS[steps], text, SURROUNDINGS)
        small = by_size.get(100)
        grown = None if small is None else best.total / steps / (small.total / 100)
        print(_row(shape, steps, best, grown, peak(text, SURROUNDINGS)), flush=True)
    return limits_of(shape, by_size)


def limits_of(shape: str, by_size: Mapping[int, Best]) -> list[Limit]:
    """Return the limits of a shape, from what 100, 1,000 and 5,000 steps take."""
    found = [
        limits.growth(shape, by_size[100].total / 100, by_size[5_000].total / 5_000),
        limits.loads(shape, by_size[1_000]),
    ]
    return [*found, limits.planning(by_size[1_000])] if shape == "random" else found


_COLUMNS = [("shape", 7), ("steps", 6), *((name, 9) for name in PASSES)]
_COLUMNS += [("total ms", 9), ("us/step", 8), ("growth", 7), ("x libyaml", 10)]
_COLUMNS += [("bytes/step", 11), ("peak MB", 8)]
_HEAD = "us/step by pass\n" + "".join(
    name.ljust(width) if name == "shape" else name.rjust(width) for name, width in _COLUMNS
)


def _row(shape: str, steps: int, best: Best, grown: float | None, memory: int) -> str:
    cells = [
        f"{steps:,}",
        *(f"{best.seconds[name] / steps * 1e6:,.0f}" for name in PASSES),
        f"{best.total * 1e3:,.1f}",
        f"{best.total / steps * 1e6:,.0f}",
        "" if grown is None else f"{grown:.2f}",
        f"{best.total / best.loading:.1f}",
        f"{best.request / steps:,.0f}",
        f"{memory / 1e6:,.1f}",
    ]
    widths = [width for _, width in _COLUMNS[1:]]
    return shape.ljust(7) + "".join(c.rjust(w) for c, w in zip(cells, widths, strict=True))


if __name__ == "__main__":
    sys.exit(main())
