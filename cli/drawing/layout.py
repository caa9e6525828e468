"""Places boxes in layers and routes the arrows between them: a graph's geometry, nothing else.

Each box stands one layer behind the last of those before it, so what can start at once stands in
the first layer. Within the layers an order with few crossings is looked for; then each box moves
as near to the middle of its neighbours as the others let it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]

_SWEEPS = 12
_ROUNDS = 60
_BEND = 8.0
"""How hard the two ends of a piece of a long arrow pull at each other: long arrows run straight."""
_TO_BEND = 2.0
_CHAIN = 4.0
"""How hard a box pulls at the only one behind it, if it is the only one before that."""


@dataclass(frozen=True, slots=True)
class Gaps:
    """Room between layers, between boxes of a layer, and beside a passing arrow."""

    layer: float = 64
    box: float = 22
    arrow: float = 14


@dataclass(frozen=True, slots=True)
class Placed:
    """Where things are: each box's corner, and each arrow's points.

    An arrow's points come in pairs, where it leaves and where it arrives, one pair for each layer
    that it crosses. `layers` has the start and the room of each layer.
    """

    boxes: tuple[Point, ...]
    arrows: tuple[tuple[Point, ...], ...]
    width: float
    height: float
    layer_of: tuple[int, ...]
    layers: tuple[tuple[float, float], ...]


def layers_of(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Return each box's layer: the longest way to it. Raises ValueError for a cycle."""
    after: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for source, target in edges:
        after[source].append(target)
        missing[target] += 1
    layer = [0] * count
    ready = [at for at in range(count) if not missing[at]]
    for at in ready:  # grows while it is read
        for target in after[at]:
            layer[target] = max(layer[target], layer[at] + 1)
            missing[target] -= 1
            if not missing[target]:
                ready.append(target)
    if len(ready) < count:
        raise ValueError("the arrows lead in a circle")
    return layer


def place(
    sizes: Sequence[tuple[float, float]],
    edges: Sequence[tuple[int, int]],
    gaps: Gaps | None = None,
    *,
    down: bool = False,
) -> Placed:
    """Return the places of boxes of these sizes (width, height); `edges` are pairs of indices.

    Layers follow one another to the right, with `down` from the top down. Raises ValueError for
    a cycle.
    """
    gaps = gaps or Gaps()
    turned = [(h, w) if down else (w, h) for w, h in sizes]
    found = _Layered(turned, edges, gaps).placed()
    if not down:
        return found
    return Placed(
        tuple((y, x) for x, y in found.boxes),
        tuple(tuple((y, x) for x, y in arrow) for arrow in found.arrows),
        found.height,
        found.width,
        found.layer_of,
        found.layers,
    )


class _Layered:
    """Layers to the right: along x the layers, along y the order in a layer."""

    def __init__(
        self, sizes: Sequence[tuple[float, float]], edges: Sequence[tuple[int, int]], gaps: Gaps
    ) -> None:
        self._gaps = gaps
        self._count = len(sizes)
        self._edges = edges
        self._layer_of = layers_of(len(sizes), edges)
        depth = max(self._layer_of, default=-1) + 1
        self._layers: list[list[int]] = [[] for _ in range(depth)]
        for at, layer in enumerate(self._layer_of):
            self._layers[layer].append(at)
        self._widths = [width for width, _ in sizes]
        self._heights = [height for _, height in sizes]
        self._before: list[list[int]] = [[] for _ in sizes]
        self._after: list[list[int]] = [[] for _ in sizes]
        self._ways = [self._way(source, target) for source, target in edges]

    def _way(self, source: int, target: int) -> list[int]:
        """Return the boxes an arrow goes through: a bend in every layer between its ends."""
        way = [source]
        for layer in range(self._layer_of[source] + 1, self._layer_of[target]):
            bend = len(self._heights)
            self._heights.append(0)
            self._before.append([])
            self._after.append([])
            self._layers[layer].append(bend)
            way.append(bend)
        way.append(target)
        for here, following in pairwise(way):
            self._after[here].append(following)
            self._before[following].append(here)
        return way

    def placed(self) -> Placed:
        self._order()
        ys = self._settle()
        starts = self._starts()
        top = min((y - h / 2 for y, h in zip(ys, self._heights, strict=True)), default=0)
        bottom = max((y + h / 2 for y, h in zip(ys, self._heights, strict=True)), default=0)
        boxes = tuple(
            (starts[self._layer_of[at]][0], ys[at] - self._heights[at] / 2 - top)
            for at in range(self._count)
        )
        arrows = tuple(self._points(way, ys, starts, top) for way in self._ways)
        width = starts[-1][0] + starts[-1][1] if starts else 0
        return Placed(boxes, arrows, width, bottom - top, tuple(self._layer_of), tuple(starts))

    def _points(
        self, way: list[int], ys: list[float], starts: list[tuple[float, float]], top: float
    ) -> tuple[Point, ...]:
        first = self._layer_of[way[0]]
        points: list[Point] = [(starts[first][0] + self._widths[way[0]], ys[way[0]] - top)]
        for step, bend in enumerate(way[1:-1], start=1):
            x, room = starts[first + step]
            points += [(x, ys[bend] - top), (x + room, ys[bend] - top)]
        points.append((starts[first + len(way) - 1][0], ys[way[-1]] - top))
        return tuple(points)

    def _starts(self) -> list[tuple[float, float]]:
        """Return where each layer begins along x, and its room; many arrows take more."""
        starts: list[tuple[float, float]] = []
        x = 0.0
        for layer in self._layers:
            room = max((self._widths[at] for at in layer if at < self._count), default=0)
            starts.append((x, room))
            leaving = sum(len(self._after[at]) for at in layer)
            x += room + self._gaps.layer + min(2.5 * max(0, leaving - 4), self._gaps.layer)
        return starts

    # --- order -------------------------------------------------------------------------------

    def _order(self) -> None:
        best = [list(layer) for layer in self._layers]
        fewest = self._crossings()
        for sweep in range(_SWEEPS):
            if not fewest:
                break
            self._sweep(back=sweep % 2 == 1)
            self._exchange()
            crossings = self._crossings()
            if crossings < fewest:
                best, fewest = [list(layer) for layer in self._layers], crossings
        self._layers = best

    def _sweep(self, *, back: bool) -> None:
        near = self._after if back else self._before
        layers = list(reversed(self._layers)) if back else self._layers
        for fixed, layer in pairwise(layers):
            place = {at: index for index, at in enumerate(fixed)}
            now = {at: index for index, at in enumerate(layer)}
            middle = {at: _mean([place[n] for n in near[at]], now[at]) for at in layer}
            layer.sort(key=lambda at: middle[at])

    def _exchange(self) -> None:
        """Exchange neighbours wherever that takes crossings away."""
        for index, layer in enumerate(self._layers):
            left = self._layers[index - 1] if index else []
            right = self._layers[index + 1] if index + 1 < len(self._layers) else []
            places = ({a: i for i, a in enumerate(left)}, {a: i for i, a in enumerate(right)})
            for at in range(len(layer) - 1):
                a, b = layer[at], layer[at + 1]
                if self._between(b, a, places) < self._between(a, b, places):
                    layer[at], layer[at + 1] = b, a

    def _between(self, a: int, b: int, places: tuple[dict[int, int], dict[int, int]]) -> int:
        """Return how often the arrows of two boxes cross, `a` standing before `b`."""
        total = 0
        for near, place in zip((self._before, self._after), places, strict=True):
            ends = sorted(place[n] for n in near[b])
            total += sum(bisect_left(ends, place[n]) for n in near[a])
        return total

    def _crossings(self) -> int:
        return sum(
            _inversions(
                [place for at in layer for place in sorted(index[n] for n in self._after[at])]
            )
            for layer, following in pairwise(self._layers)
            for index in ({at: i for i, at in enumerate(following)},)
        )

    # --- places along y ------------------------------------------------------------------------

    def _settle(self) -> list[float]:
        ys = [0.0] * len(self._heights)
        for layer in self._layers:
            y = 0.0
            for at, following in zip(layer, [*layer[1:], None], strict=True):
                ys[at] = y
                y += 0 if following is None else self._apart(at, following)
            for at in layer:
                ys[at] -= y / 2
        for number in range(_ROUNDS):
            layers = self._layers if number % 2 == 0 else list(reversed(self._layers))
            for layer in layers:
                self._move(layer, ys, last=number == _ROUNDS - 1)
        return ys

    def _move(self, layer: list[int], ys: list[float], *, last: bool) -> None:
        """Move a layer's boxes to the middle of their neighbours, as near as the order allows."""
        wanted, weights, offsets = [], [], []
        offset = 0.0
        for index, at in enumerate(layer):
            offset += self._apart(layer[index - 1], at) if index else 0
            pulls = [(ys[n], self._pull(n, at)) for n in self._before[at]]
            pulls += [(ys[n], self._pull(at, n)) for n in self._after[at]]
            weight = sum(pull for _, pull in pulls)
            goal = sum(y * pull for y, pull in pulls) / weight if weight else ys[at]
            wanted.append((round(goal) if last else goal) - offset)
            weights.append(weight or 0.1)
            offsets.append(offset)
        for at, y, shift in zip(layer, _rising(wanted, weights), offsets, strict=True):
            ys[at] = y + shift

    def _pull(self, source: int, target: int) -> float:
        bends = (source >= self._count) + (target >= self._count)
        if bends:
            return _BEND if bends == 2 else _TO_BEND
        alone = len(self._after[source]) == 1 and len(self._before[target]) == 1
        return _CHAIN if alone else 1.0

    def _apart(self, a: int, b: int) -> float:
        """Return the distance of the middles of two boxes that stand one behind the other."""
        bends = (a >= self._count) + (b >= self._count)
        gap = self._gaps.arrow if bends == 2 else self._gaps.box
        return (self._heights[a] + self._heights[b]) / 2 + gap


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _rising(wanted: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the nearest values that never fall: neighbours that would are pooled."""
    pools: list[tuple[float, float, int]] = []  # their mean, weight and number
    for value, weight in zip(wanted, weights, strict=True):
        pool = (value, weight, 1)
        while pools and pools[-1][0] > pool[0]:
            mean, heavy, number = pools.pop()
            together = heavy + pool[1]
            pool = ((mean * heavy + pool[0] * pool[1]) / together, together, number + pool[2])
        pools.append(pool)
    return [mean for mean, _, number in pools for _ in range(number)]


def _inversions(values: Sequence[int]) -> int:
    """Return the number of pairs that stand in the wrong order."""
    seen: list[int] = []
    total = 0
    for value in values:
        at = bisect_left(seen, value + 1)
        total += len(seen) - at
        seen.insert(at, value)
    return total
