"""What the compiler promises of its speed and its machines' size: `bench.compile` as a table."""

from __future__ import annotations

from bench.compile import ROUNDS, limits_of
from bench.limits import Limit, advice, sizes
from bench.passes import best_of
from bench.table import Group, Number
from bench.workflows import SHAPES, SURROUNDINGS, workflow

SIZES = (100, 1_000, 5_000)
_COUNTED = ("bytes", "errors")
"""What the limits count that are the same on each machine begins so."""


def group(*, quick: bool = False) -> Group:
    """Measure all limits, or those that are counted."""
    found: list[Limit] = []
    if not quick:
        best_of(3, workflow(SHAPES["chain"](100)), SURROUNDINGS)  # everything is imported and warm
        for shape, graph in SHAPES.items():
            texts = {steps: workflow(graph(steps)) for steps in SIZES}
            best = {n: best_of(ROUNDS[n], text, SURROUNDINGS) for n, text in texts.items()}
            found += limits_of(shape, best)
    found += [*sizes(), advice()]
    return Group(
        "Limits of compiling",
        "What the compiler promises of workflows of twelve-line steps, in three shapes, up to "
        "5,000 steps; the time of the process itself, the best of several rounds. "
        "`python -m bench.compile` shows each pass, and memory.",
        tuple(_number(limit) for limit in found),
    )


def _number(limit: Limit) -> Number:
    if limit.is_least:  # a table knows limits that are not to be passed
        return Number(f"{limit.name}: missing", limit.limit - limit.measured, "", most=0.0,
                      is_counted=True)  # fmt: skip
    counted = limit.name.startswith(_COUNTED)
    return Number(limit.name, limit.measured, "", most=limit.limit, is_counted=counted)
