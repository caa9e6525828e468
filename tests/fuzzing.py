"""How much hostile input a fuzz test takes: 500 as a rule, 10,000 in `make fuzz`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

import pytest
from hypothesis import settings

FUZZ_INPUTS = int(os.environ.get("STEPSMITH_FUZZ", "500"))

Test = TypeVar("Test", bound=Callable[..., None])


def fuzz(test: Test) -> Test:
    """Mark a hypothesis test as a fuzz test and give it its number of inputs.

    Goes above `@given`; a test without hypothesis takes `@pytest.mark.fuzz` and `FUZZ_INPUTS`.
    """
    return pytest.mark.fuzz(settings(max_examples=FUZZ_INPUTS)(test))
