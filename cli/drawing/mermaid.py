"""The drawing of a workflow as a Mermaid flowchart: https://mermaid.js.org/syntax/flowchart.html."""

from __future__ import annotations

from collections.abc import Iterator

from cli.drawing.sketch import Card, Drawing, Kind, Sketch
from cli.output.paint import shown

_SHAPES: dict[Kind, tuple[str, str]] = {
    "action": ("[", "]"),
    "aws": ("[", "]"),
    "script": ("[", "]"),
    "manual": ("{{", "}}"),
    "block": ("[", "]"),
    "workflow": ("[[", "]]"),
    "wait": ("([", "])"),
    "event": (">", "]"),
    "publish": ("([", "])"),
}


def render(drawing: Drawing) -> str:
    """Return the flowchart of a workflow."""
    lines = ["---", f"title: {_quoted(drawing.name)}", "---", "flowchart LR"]
    lines += _sketch(drawing.steps, "s", "  ")
    if drawing.handlers.cards:
        lines.append('  subgraph on_failure["After a failure"]')
        lines += _sketch(drawing.handlers, "h", "    ")
        lines.append("  end")
    return "\n".join(lines) + "\n"


def _sketch(sketch: Sketch, prefix: str, indent: str) -> Iterator[str]:
    names = [f"{prefix}{at}" for at in range(len(sketch.cards))]
    for name, card in zip(names, sketch.cards, strict=True):
        if card.inside is None:
            left, right = _SHAPES[card.kind]
            yield f"{indent}{name}{left}{_label(card)}{right}"
        else:
            yield f"{indent}subgraph {name}[{_label(card)}]"
            yield from _sketch(card.inside, f"{name}_", indent + "  ")
            yield f"{indent}end"
    for arrow in sketch.arrows:
        line = "-.->" if arrow.latch else "-->"
        yield f"{indent}{names[arrow.source]} {line} {names[arrow.target]}"


def _label(card: Card) -> str:
    parts = [card.title, card.about]
    if card.condition is not None:
        parts.append(f"if {card.condition}")
    parts += [*([card.times] if card.times else []), *card.notes]
    return '"' + "<br>".join(map(_escaped, parts)) + '"'


def _escaped(value: str) -> str:
    """Return text as a label shows it; Mermaid takes its own entities for what it would read."""
    text = shown(" ".join(value.split()))
    return "".join(
        c if c.isalnum() or c in " .,:-_/'()=" or ord(c) > 126 else _entity(c) for c in text
    )


def _entity(char: str) -> str:
    return f"#{ord(char)};"


def _quoted(value: str) -> str:
    text = shown(" ".join(value.split())).replace("\\", "\\\\").replace('"', '\\"')
    text = text.replace("<", "‹").replace(">", "›")  # a page may take the title for its markup
    return f'"{text}"'
