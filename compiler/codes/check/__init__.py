"""Diagnostic codes of the `check` pass."""

from __future__ import annotations

from compiler.codes import Code
from compiler.codes.check import contracts, graph, names, people, time, warnings

CODES: tuple[Code, ...] = (
    *graph.CODES,
    *names.CODES,
    *contracts.CODES,
    *people.CODES,
    *time.CODES,
    *warnings.CODES,
)
