"""The order of a dependency graph as bitsets: bit `i` of a Python int stands for step `i`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from compiler.check.program import Step, every_step


def topological(dependencies: Sequence[Collection[int]]) -> list[int]:
    """Every step after its dependencies; steps that are free at once in index order.

    Raises ValueError for a cycle.
    """
    missing = [len(set(needs)) for needs in dependencies]
    dependents: list[list[int]] = [[] for _ in dependencies]
    for step, needs in enumerate(dependencies):
        for need in set(needs):
            dependents[need].append(step)
    order = [step for step, count in enumerate(missing) if not count]
    for step in order:  # grows while it is read
        for dependent in dependents[step]:
            missing[dependent] -= 1
            if not missing[dependent]:
                order.append(dependent)
    if len(order) < len(missing):
        raise ValueError("the dependencies have a cycle")
    return order


def ancestors(dependencies: Sequence[Collection[int]]) -> list[int]:
    """For each step the set of all steps before it, direct or not, without itself."""
    above = [0] * len(dependencies)
    for step in topological(dependencies):
        mask = 0
        for need in dependencies[step]:
            mask |= above[need] | 1 << need
        above[step] = mask
    return above


def ancestors_of(steps: tuple[Step, ...]) -> dict[str, int]:
    """Return each step's ancestors by its id, as bitsets over all steps in file order."""
    known = {step.id: step for step in every_step(steps)}
    index = {name: at for at, name in enumerate(known)}
    found = ancestors([tuple(index[d] for d in step.depends_on) for step in known.values()])
    return dict(zip(known, found, strict=True))


def reduce(dependencies: Sequence[Collection[int]]) -> list[int]:
    """For each step the dependencies that no longer path implies (the transitive reduction)."""
    above = ancestors(dependencies)
    reduced: list[int] = []
    for needs in dependencies:
        direct = implied = 0
        for need in needs:
            direct |= 1 << need
            implied |= above[need]
        reduced.append(direct & ~implied)
    return reduced


def reverse(near: Sequence[int]) -> list[int]:
    """For each step the set of steps in whose set it is."""
    behind = [0] * len(near)
    for step, mask in enumerate(near):
        for other in members(mask):
            behind[other] |= 1 << step
    return behind


def members(mask: int) -> list[int]:
    """The steps of a set, in index order."""
    found: list[int] = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
