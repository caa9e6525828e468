"""The drawing of a workflow as one SVG file: no script, readable on light and on dark pages."""

from __future__ import annotations

from collections.abc import Iterator

from cli.drawing.cards import Scene, corner, drawn, scene, text
from cli.drawing.layout import Point
from cli.drawing.lettering import fitted, text_width
from cli.drawing.sketch import Drawing
from cli.drawing.style import stylesheet

_MARGIN = 32.0
_LEAST_WIDTH = 420.0
_TIP = 5.5


def render(drawing: Drawing) -> str:
    """Return the SVG of a workflow."""
    steps, handlers = scene(drawing.steps), scene(drawing.handlers)
    has_latches = any(_latches(one) for one in (steps, handlers))
    head = list(_head(drawing))
    top = _MARGIN + 24 + 20 * (len(head) - 1) + 18
    body: list[str] = []
    width = max(_LEAST_WIDTH, steps.placed.width, _title_width(drawing))
    bottom = top + steps.placed.height
    if handlers.cards:
        width = max(width, handlers.placed.width + 36)
    left = _MARGIN + (width - steps.placed.width) / 2 if steps.down else _MARGIN
    body += _scene(steps, left, top)
    if handlers.cards:
        body += _handlers(handlers, bottom + 34, width)
        bottom += 34 + handlers.placed.height + 74
    if has_latches:
        body.append(_legend(bottom + 34))
        bottom += 34
    full, high = round(width + 2 * _MARGIN), round(bottom + _MARGIN)
    return "\n".join(
        [
            _opening(full, high),
            f'<title id="title">{text(drawing.name)}</title>',
            f'<desc id="description">{text(told(drawing))}</desc>',
            f"<style>{stylesheet()}</style>",
            _tips(),
            f'<rect class="page" width="{full}" height="{high}" rx="16"/>',
            *head,
            *body,
            "</svg>\n",
        ]
    )


def _opening(width: int, height: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-labelledby="title description">'
    )


def _title_width(drawing: Drawing) -> float:
    return min(text_width(drawing.name, 20, bold=True), 900)


def _head(drawing: Drawing) -> Iterator[str]:
    y = _MARGIN + 16
    name = fitted(drawing.name, 900, 20, bold=True)
    yield f'<text class="name" x="{_MARGIN:g}" y="{y:g}">{text(name)}</text>'
    if drawing.description:
        y += 22
        words = fitted(" ".join(drawing.description.split()), 760, 11.5)
        yield f'<text class="soft" x="{_MARGIN:g}" y="{y:g}">{text(words)}</text>'
    if drawing.started_by:
        y += 20
        words = fitted(f"Started by {', '.join(drawing.started_by)}", 760, 11.5)
        yield f'<text class="soft" x="{_MARGIN:g}" y="{y:g}">{text(words)}</text>'


def told(drawing: Drawing) -> str:
    """Return the drawing in words, for those who do not see it."""
    cards = drawing.steps.cards
    needs: dict[int, list[str]] = {}
    for arrow in drawing.steps.arrows:
        needs.setdefault(arrow.target, []).append(cards[arrow.source].title)
    parts = [
        f"{card.title} after {' and '.join(needs[at])}" if at in needs else card.title
        for at, card in enumerate(cards)
    ]
    words = f"A workflow of {len(cards)} steps: {'; '.join(parts)}."
    if drawing.handlers.cards:
        words += f" After a failure: {', '.join(c.title for c in drawing.handlers.cards)}."
    return words


def _tips() -> str:
    return (
        "<defs>"
        + "".join(
            f'<marker id="tip{extra}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="{_TIP:g}" '
            f'markerHeight="{_TIP:g}" orient="auto-start-reverse"><path class="tip {extra}" '
            f'd="M0 .6 7.4 4 0 7.4z"/></marker>'
            for extra in ("", "latch")
        )
        + "</defs>"
    )


def _scene(found: Scene, x: float, y: float) -> Iterator[str]:
    for arrow, points in zip(found.sketch.arrows, found.placed.arrows, strict=True):
        moved = [(px + x, py + y) for px, py in points]
        yield _arrow(moved, down=found.down, latch=arrow.latch)
    for laid, (cx, cy) in zip(found.cards, found.placed.boxes, strict=True):
        yield from drawn(laid, x + cx, y + cy)
        if laid.inside is not None:
            dx, dy = corner(laid)
            yield from _scene(laid.inside, x + cx + dx, y + cy + dy)


def _arrow(points: list[Point], *, down: bool, latch: bool) -> str:
    """Return an arrow that leaves and arrives straight, and bends between two layers."""
    (x, y), rest = points[0], points[1:]
    path = [f"M{x:.1f} {y:.1f}"]
    rest[-1] = _short(*rest[-1], down=down)
    for at, (nx, ny) in enumerate(rest):
        path.append(f"L{nx:.1f} {ny:.1f}" if at % 2 else _bend(x, y, nx, ny, down=down))
        x, y = nx, ny
    extra = "latch" if latch else ""
    return f'<path class="arrow {extra}" marker-end="url(#tip{extra})" d="{"".join(path)}"/>'


def _short(x: float, y: float, *, down: bool) -> Point:
    return (x, y - 3) if down else (x - 3, y)


def _bend(x: float, y: float, nx: float, ny: float, *, down: bool) -> str:
    if down:
        middle = (y + ny) / 2
        return f"C{x:.1f} {middle:.1f} {nx:.1f} {middle:.1f} {nx:.1f} {ny:.1f}"
    middle = (x + nx) / 2
    return f"C{middle:.1f} {y:.1f} {middle:.1f} {ny:.1f} {nx:.1f} {ny:.1f}"


def _handlers(found: Scene, top: float, width: float) -> Iterator[str]:
    height = found.placed.height + 62
    yield (
        f'<rect class="area undone" x="{_MARGIN:g}" y="{top:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}" rx="14"/>'
    )
    yield f'<text class="head fail" x="{_MARGIN + 18:g}" y="{top + 25:.1f}">After a failure</text>'
    yield from _scene(found, _MARGIN + 18, top + 42)


def _latches(found: Scene) -> bool:
    return any(arrow.latch for arrow in found.sketch.arrows) or any(
        laid.inside is not None and _latches(laid.inside) for laid in found.cards
    )


def _legend(y: float) -> str:
    line = _arrow([(_MARGIN, y - 4), (_MARGIN + 40, y - 4)], down=False, latch=True)
    words = "waits through a latch: the step before it is in another branch"
    return f'{line}<text class="soft" x="{_MARGIN + 52:g}" y="{y:.1f}">{words}</text>'
