"""Random workflows that fail, are corrected, resumed and undone: many more than the tests have.

`python -m bench.resume [CASES]` (400 of each) prints what was wrong, and exits 1 where something
was.
"""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable

from tests.functions.resume import cases, sagas

CASES = 400
FIRST = 10_000
"""The seeds of the tests are below it."""


def resumed(seed: int) -> None:
    """Resume a case: exactly the steps that were named beforehand run again."""
    done = cases.ran(cases.Maker(seed).case(), has_records=seed % 3 != 0)
    if done is not None:
        cases.judge(done)


def undone(seed: int) -> None:
    """Let a saga fail: what was done is undone in order, what is left later."""
    saga = sagas.Maker(seed).saga()
    town = sagas.ran(saga)
    sagas.check_order(saga, town)
    sagas.check_the_rest(saga, town)


def crashed(seed: int) -> None:
    """Stop a saga at every point of its undoing: none is left out, and none done twice."""
    sagas.check_crashes(sagas.Maker(seed).saga(), seed, most=100)


def many(name: str, check: Callable[[int], None], count: int) -> int:
    """Check so many seeds and return how many were wrong."""
    wrong = 0
    began = time.monotonic()
    for seed in range(FIRST, FIRST + count):
        try:
            check(seed)
        except Exception:  # noqa: BLE001 (whatever it is, the others are checked as well)
            wrong += 1
            print(f"{name}, seed {seed}:\n{traceback.format_exc(limit=-3)}")
    seconds = time.monotonic() - began
    print(f"{name}: {count - wrong} of {count} right ({seconds:.0f} s)")
    return wrong


def main() -> int:
    """Check as many of each as asked for."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else CASES
    wrong = many("resumed", resumed, count)
    wrong += many("undone", undone, count)
    wrong += many("crashed while undoing", crashed, max(1, count // 8))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
