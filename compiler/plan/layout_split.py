"""How a set of steps falls apart: into unlinked pieces, or into stages one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from compiler.plan.graph import members


def pieces(steps: int, links: Sequence[int]) -> list[int]:
    """The connected parts of `steps`, by lowest step; `links[i]` are the neighbours of step `i`."""
    found: list[int] = []
    while steps:
        piece = 0
        edge = steps & -steps
        while edge:
            low = edge & -edge
            piece |= low
            edge = (edge | links[low.bit_length() - 1] & steps) & ~piece
        found.append(piece)
        steps &= ~piece
    return found


def stages(steps: int, above: Sequence[int]) -> list[int]:
    """The finest row of sets in which every step is above every step of the later sets.

    `above[i]` is the set of all ancestors of step `i`. One set: `steps` has no such row.
    """
    order = members(steps)
    order.sort(key=lambda step: (above[step] & steps).bit_count())
    common = steps
    shared = [0] * len(order)  # the ancestors common to all steps from here on
    for place in range(len(order) - 1, -1, -1):
        common &= above[order[place]]
        shared[place] = common
    row: list[int] = []
    stage = before = 0
    for place, step in enumerate(order):
        if stage and not before & ~shared[place]:
            row.append(stage)
            stage = 0
        stage |= 1 << step
        before |= 1 << step
    return [*row, stage] if stage else row
