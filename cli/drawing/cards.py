"""Cards of the drawing: how large they are, and how they are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from xml.sax.saxutils import escape as _escape

from cli.drawing.layout import Gaps, Placed, layers_of, place
from cli.drawing.lettering import fitted, text_width
from cli.drawing.sketch import Card, Sketch
from cli.drawing.style import ICONS
from cli.output.paint import shown

NARROWEST, WIDEST = 172.0, 304.0
MOST_LAYERS = 5
"""Layers that are drawn from left to right; more are drawn from the top down."""

_PAD = 12.0
_ICON = 30.0
_HEAD = 34.0
_ROW = 21.0
_INSIDE = 18.0
_CHIP_GAP = 6.0
_PILE = 8.0


@dataclass(frozen=True, slots=True)
class Laid:
    """A card with its size; a box also has what is inside it, placed."""

    card: Card
    width: float
    height: float
    rows: tuple[tuple[str, ...], ...] = ()
    inside: Scene | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """Cards that are placed, and whether their layers follow one another from the top down."""

    cards: tuple[Laid, ...]
    placed: Placed
    sketch: Sketch
    down: bool


def text(value: str) -> str:
    """Return text as it may stand in XML."""
    return _escape(shown(" ".join(value.split())), {'"': "&quot;"})


def scene(sketch: Sketch) -> Scene:
    """Return a sketch placed; boxes are placed from the inside out."""
    cards = [_laid(card) for card in sketch.cards]
    edges = [(arrow.source, arrow.target) for arrow in sketch.arrows]
    layers = layers_of(len(cards), edges)
    down = max(layers, default=0) >= MOST_LAYERS
    if not down:
        cards = _aligned(cards, layers)
    sizes = [(card.width + _pile(card), card.height + _pile(card)) for card in cards]
    gaps = Gaps(layer=46, box=26, arrow=18) if down else Gaps()
    return Scene(tuple(cards), place(sizes, edges, gaps, down=down), sketch, down)


def _pile(laid: Laid) -> float:
    """Return how far the cards of a pile stand out behind the first."""
    return _PILE if laid.card.times is not None else 0.0


def _aligned(cards: list[Laid], layers: Sequence[int]) -> list[Laid]:
    """Give the cards of a layer one width."""
    widest: dict[int, float] = {}
    for card, layer in zip(cards, layers, strict=True):
        if card.inside is None:
            widest[layer] = max(widest.get(layer, 0), card.width)
    return [
        replace(card, width=widest[layer]) if card.inside is None else card
        for card, layer in zip(cards, layers, strict=True)
    ]


def _laid(card: Card) -> Laid:
    inside = None if card.inside is None else scene(card.inside)
    room = WIDEST - 2 * _PAD
    if inside is not None:
        room = max(room, inside.placed.width)
    widths = [
        _ICON + 10 + text_width(card.title, 13.5, bold=True),
        _ICON + 10 + text_width(card.about, 11.5),
    ]
    if card.condition is not None:
        widths.append(30 + text_width(card.condition, 10.5, mono=True))
    chips = [*([card.times] if card.times else []), *card.notes]
    widths += [_chip(chip) for chip in chips]
    width = min(room, max(NARROWEST - 2 * _PAD, *widths))
    rows = tuple(_rows(chips, width))
    height = 2 * _PAD + _HEAD + (card.condition is not None) * (_ROW + 6)
    height += len(rows) * (_ROW + 1) + (4 if rows else 0)
    if inside is not None:
        width = max(width, inside.placed.width + 2 * (_INSIDE - _PAD))
        height += inside.placed.height + _INSIDE
    return Laid(card, ceil(width + 2 * _PAD) + 1, round(height), rows, inside)


def _chip(words: str) -> float:
    return text_width(words, 10.5) + 16


def _rows(chips: Sequence[str], room: float) -> Iterator[tuple[str, ...]]:
    row: list[str] = []
    used = 0.0
    for chip in chips:
        width = min(room, _chip(chip))
        if row and used + _CHIP_GAP + width > room:
            yield tuple(row)
            row, used = [], 0.0
        used += width + (_CHIP_GAP if row else 0)
        row.append(chip)
    if row:
        yield tuple(row)


def drawn(laid: Laid, x: float, y: float) -> Iterator[str]:
    """Yield the SVG of a card at a place; what is inside a box is drawn by whoever draws scenes."""
    card = laid.card
    w, h = laid.width, laid.height
    yield f'<g class="{card.kind}" transform="translate({_n(x)} {_n(y)})">'
    yield f"<title>{text(_told(card))}</title>"
    shape = "area" if laid.inside is not None else "card"
    if card.times is not None:  # a pile of cards
        yield f'<rect class="{shape}" x="8" y="8" width="{_n(w)}" height="{_n(h)}" rx="12"/>'
        yield f'<rect class="{shape}" x="4" y="4" width="{_n(w)}" height="{_n(h)}" rx="12"/>'
    yield f'<rect class="{shape}" width="{_n(w)}" height="{_n(h)}" rx="12"/>'
    yield f'<rect class="tint" x="12" y="13" width="{_ICON:g}" height="{_ICON:g}" rx="8"/>'
    yield f'<path class="icon" transform="translate(19 20)" d="{ICONS[card.kind]}"/>'
    room = w - 2 * _PAD - _ICON - 10
    title, about = fitted(card.title, room, 13.5, bold=True), fitted(card.about, room, 11.5)
    yield f'<text class="title" x="52" y="25.5">{text(title)}</text>'
    yield f'<text class="soft" x="52" y="41.5">{text(about)}</text>'
    yield from _below(laid)
    yield "</g>"


def _below(laid: Laid) -> Iterator[str]:
    card, room = laid.card, laid.width - 2 * _PAD
    y = _PAD + _HEAD + 4
    if card.condition is not None:
        words = fitted(card.condition, room - 30, 10.5, mono=True)
        width = min(room, 30 + text_width(words, 10.5, mono=True))
        size = f'width="{_n(width)}" height="{_ROW:g}"'
        yield f'<rect class="tint" x="12" y="{_n(y)}" {size} rx="6"/>'
        yield f'<text class="small ink" x="20" y="{_n(y + 14.5)}" font-weight="700">if</text>'
        yield f'<text class="mono ink" x="34" y="{_n(y + 14.5)}">{text(words)}</text>'
        y += _ROW + 6
    for row in laid.rows:
        x = _PAD
        for chip in row:
            words = fitted(chip, room - 16, 10.5)
            width = _chip(words)
            size = f'width="{_n(width)}" height="{_ROW - 2:g}"'
            yield f'<rect class="chip" x="{_n(x)}" y="{_n(y)}" {size} rx="9.5"/>'
            place = f'x="{_n(x + 8)}" y="{_n(y + 13.2)}"'
            yield f'<text class="small soft" {place}>{text(words)}</text>'
            x += width + _CHIP_GAP
        y += _ROW + 1


def _told(card: Card) -> str:
    parts = [card.title, card.about]
    if card.condition is not None:
        parts.append(f"if {card.condition}")
    parts += [*([card.times] if card.times else []), *card.notes]
    return " - ".join(parts)


def corner(laid: Laid) -> tuple[float, float]:
    """Return where in a box its inside begins."""
    assert laid.inside is not None
    left = (laid.width - laid.inside.placed.width) / 2
    return left, laid.height - laid.inside.placed.height - _INSIDE


def _n(value: float) -> str:
    """Return a number with one decimal at most."""
    return f"{round(value, 1):g}"
