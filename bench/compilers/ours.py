"""Our compiler: all passes, and the JSON text."""

from __future__ import annotations

from bench import passes
from bench.workflows import SURROUNDINGS


def compiled(source: str) -> str:
    """Return the definition of a workflow as text."""
    return passes.compiled(source, SURROUNDINGS).machines[0].to_json()
