"""Random workflows stop somewhere, are changed somehow and resumed; see `cases`.

`python -m bench.resume` does the same for many more.
"""

from __future__ import annotations

import pytest

from tests.functions.resume.cases import Maker, judge, ran

SEEDS = 24


@pytest.mark.parametrize("seed", range(SEEDS))
def test_exactly_the_steps_that_were_named_run_again(seed: int):
    """With and without a record of how the run ended."""
    done = ran(Maker(seed).case(), has_records=seed % 3 != 0)
    if done is not None:
        judge(done)
