"""The memory of a compilation, counted by Python, which makes it several times slower."""

from __future__ import annotations

import tracemalloc

from bench.passes import compiled
from compiler.check import Surroundings


def peak(text: str, surroundings: Surroundings) -> int:
    """Return the most bytes that one compilation of a text holds at once."""
    tracemalloc.start()
    try:
        compiled(text, surroundings)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
