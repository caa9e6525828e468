"""The order of a dependency graph as bitsets: bit `i` of a Python int stands for step `i`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Dependencies = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Order:
    """For each step the set of all steps before it; `cycles` are those cut open to get there.

    `sequence` has every step after those before it. A cycle is listed in the order in which its
    steps depend on each other: each one depends on the next, the last one on the first.
    """

    above: tuple[int, ...]
    sequence: tuple[int, ...]
    cycles: tuple[tuple[int, ...], ...]


def order(dependencies: Dependencies) -> Order:
    """Return the ancestors of every step, without itself, and the cycles among the steps.

    Depth first with a stack of its own, so that a chain of any length is fine. A step's edge
    back into the path that leads to it is a cycle and adds nothing to the ancestors.
    """
    above = [0] * len(dependencies)
    done = [False] * len(dependencies)
    place: dict[int, int] = {}  # steps on the current path -> their place in it
    sequence: list[int] = []
    cycles: list[tuple[int, ...]] = []
    for start in range(len(dependencies)):
        if done[start]:
            continue
        path: list[tuple[int, Iterator[int]]] = [(start, iter(dependencies[start]))]
        place[start] = 0
        while path:
            step, needs = path[-1]
            need = next(needs, None)
            if need is None:
                path.pop()
                del place[step]
                done[step] = True
                sequence.append(step)
                if path:
                    above[path[-1][0]] |= above[step] | 1 << step
            elif need in place:
                cycles.append(tuple(node for node, _ in path[place[need] :]))
            elif done[need]:
                above[step] |= above[need] | 1 << need
            else:
                place[need] = len(path)
                path.append((need, iter(dependencies[need])))
    return Order(tuple(above), tuple(sequence), tuple(cycles))
