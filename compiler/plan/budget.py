"""How many bytes of outputs each step may hand on inside the machine.

Step Functions takes 262,144 bytes as the input or output of a state (service quotas). Outputs
meet where branches join, where a latch hands values on, where a step reads several others, and
in the items of a Map. At each such place 200 KB are shared by those that meet there; what is
larger than a step's share travels by reference, or fails its producer where it cannot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from compiler.check.program import Step
from compiler.plan.drafts import AwaitUnit, ForkUnit, Scopes
from compiler.plan.model import Reads
from compiler.plan.reading import reads_of_step

SHARED = 200_000
"""Bytes shared at a place; the rest is left for what the machine itself adds."""
MOST = 32_768
"""Bytes a single step may hand on."""


def limits(
    scopes: Scopes,
    steps: Mapping[str, Step],
    reads: Mapping[str, Reads],
    signals: Mapping[str, set[str]],
    told: set[str],
) -> dict[str, int]:
    """Return the bytes of inline outputs of each step that may hand on less than `MOST`.

    `told` are the steps whose outputs the run itself gives.
    """
    weights = {name: _weight(step, reads.get(name)) for name, step in steps.items()}
    found: dict[str, int] = {}
    for meeting in (told, *_meetings(scopes, steps, signals)):
        together = {name for name in meeting if name in reads and weights[name]}
        total = sum(weights[name] for name in together)
        for name in together:
            found[name] = min(found.get(name, MOST), SHARED // total)
    for name, step in steps.items():
        if step.for_each is not None:
            own = SHARED // (step.for_each.max_items * 2)
            found[name] = min(found.get(name, MOST), own)
    return {name: max(64, share) for name, share in found.items() if share < MOST}


def _weight(step: Step, reads: Reads | None) -> int:
    """How often a step's outputs stand in its record; 0 where nothing but its end is read."""
    if reads is None or not (reads.outputs or reads.all_outputs or reads.items):
        return 0
    if step.for_each is None:
        return 1
    return step.for_each.max_items * 2


def _meetings(
    scopes: Scopes, steps: Mapping[str, Step], signals: Mapping[str, set[str]]
) -> Iterator[Iterable[str]]:
    for scope in scopes.all:
        for unit in scope.units:
            if isinstance(unit, ForkUnit):
                yield [name for branch in unit.branches for name in branch.gives]
            elif isinstance(unit, AwaitUnit):
                yield [name for producer in unit.producers for name in signals.get(producer, ())]
    for branches in scopes.blocks.values():
        yield [name for branch in branches for name in branch.gives]
    for step in steps.values():
        read = {r.step for r in reads_of_step(step, steps) if r.field in ("outputs", "items")}
        if len(read) > 1:
            yield read
