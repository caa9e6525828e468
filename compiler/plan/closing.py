"""What a close machine does: frozen, as the plan holds it."""

from __future__ import annotations

from dataclasses import dataclass

from compiler.check.program import Step


@dataclass(frozen=True, slots=True)
class Closing:
    """What the close machine does beside its handlers.

    `undone` are the steps that have a `compensate`, in file order (the newest completion is
    undone first, which only the stored results tell). `around` are the for_each steps that a
    step with an undo stands in, its own last. `read` are the steps whose stored records its
    expressions read; `beside` are those that an undo reads out of its own step's item, with the
    number of for_each steps that both stand in; `told` are the ids of those in `read` of which the
    machine that failed hands on how they ended. `order` tells the steps' ids and names in file
    order.
    """

    undone: tuple[Step, ...]
    around: dict[str, tuple[Step, ...]]
    read: tuple[Step, ...]
    beside: dict[str, dict[str, int]]
    told: tuple[str, ...]
    order: tuple[tuple[str, str], ...]
    reads_failure: bool
