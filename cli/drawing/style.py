"""Colours, letters and signs of the drawing, for light and for dark pages."""

from __future__ import annotations

from dataclasses import dataclass

from cli.drawing.sketch import Kind


@dataclass(frozen=True, slots=True)
class Hue:
    """A kind's colour: its ink and its tint on a light page, then on a dark one."""

    ink: str
    tint: str
    dark_ink: str
    dark_tint: str


HUES: dict[Kind, Hue] = {
    "action": Hue("#2563eb", "#e6eefe", "#7aa7ff", "#1b2b4d"),
    "aws": Hue("#c2570c", "#fdeede", "#ffab66", "#43280f"),
    "script": Hue("#0f766e", "#def3f0", "#5fd0c4", "#12353a"),
    "manual": Hue("#b45309", "#fdf0d5", "#f5c062", "#41300f"),
    "block": Hue("#64748b", "#e9edf3", "#a3b1c6", "#263042"),
    "workflow": Hue("#7c3aed", "#efe7fd", "#b99bff", "#2f2454"),
    "wait": Hue("#64748b", "#e9edf3", "#a3b1c6", "#263042"),
    "event": Hue("#be185d", "#fce7f1", "#f58cbc", "#461a33"),
    "publish": Hue("#be185d", "#fce7f1", "#f58cbc", "#461a33"),
}

# Drawn in a field of 16 by 16.
ICONS: dict[Kind, str] = {
    "action": "M9 1.8 3.6 9h3.6L6.6 14.2 12.4 7H8.6z",
    "aws": "M4.4 12.2a2.9 2.9 0 0 1-.2-5.8 4 4 0 0 1 7.7-.4 3.1 3.1 0 0 1-.3 6.2z",
    "script": "M2.6 4.4 6 8l-3.4 3.6M7.8 11.8h5.6",
    "manual": "M8 7.4a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4zM2.8 14c.4-2.9 2.5-4.4 5.2-4.4"
    "s4.8 1.5 5.2 4.4",
    "block": "M2.5 3.2h11M2.5 8h11M2.5 12.8h11",
    "workflow": "M2.2 2.6h4.6v4H2.2zM9.2 9.4h4.6v4H9.2zM4.5 6.6v4.8h4.7",
    "wait": "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.6",
    "event": "M8 9.3a1.3 1.3 0 1 0 0-2.6 1.3 1.3 0 0 0 0 2.6zM4.8 11.2a4.5 4.5 0 0 1 0-6.4"
    "M11.2 4.8a4.5 4.5 0 0 1 0 6.4M2.6 13.4a7.6 7.6 0 0 1 0-10.8M13.4 2.6a7.6 7.6 0 0 1 0 10.8",
    "publish": "M2.4 8.6 13.6 2.4 10.4 13.6 7.6 9.4zM7.6 9.4 13.6 2.4",
}

_SANS = "Inter,ui-sans-serif,system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
_MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace"

_LIGHT = {
    "page": "#f6f7f9",
    "card": "#ffffff",
    "edge": "#d7dce4",
    "text": "#161c26",
    "soft": "#5b6676",
    "chip": "#f0f2f6",
    "area": "#eef1f5",
    "line": "#8a95a6",
    "latch": "#b45309",
    "fail": "#b91c1c",
}
_DARK = {
    "page": "#0e131b",
    "card": "#18202c",
    "edge": "#2f3a4b",
    "text": "#e8edf5",
    "soft": "#9aa7ba",
    "chip": "#232d3b",
    "area": "#131a24",
    "line": "#6b7a90",
    "latch": "#f5b14c",
    "fail": "#f28b82",
}


def stylesheet() -> str:
    """Return the drawing's style: what has a colour has it by a class."""
    base = (
        f"text{{font-family:{_SANS};font-size:11.5px}}"
        ".name{font-size:20px;font-weight:650;letter-spacing:-.01em}.title{font-size:13.5px;"
        "font-weight:600}.head{font-size:12px;font-weight:600}"
        f".mono{{font-family:{_MONO};font-size:10.5px}}.small{{font-size:10.5px}}"
        ".icon{fill:none;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}"
        ".arrow{fill:none;stroke-width:1.6}.latch{stroke-dasharray:5 4}"
        ".card,.area{stroke-width:1}.undone{stroke-dasharray:6 4}"
    )
    dark = _colours(_DARK) + _inks(dark=True)
    return f"{base}{_colours(_LIGHT)}{_inks(dark=False)}@media(prefers-color-scheme:dark){{{dark}}}"


def _colours(of: dict[str, str]) -> str:
    return (
        f".page{{fill:{of['page']}}}.card{{fill:{of['card']};stroke:{of['edge']}}}"
        f".area{{fill:{of['area']};stroke:{of['edge']}}}.chip{{fill:{of['chip']}}}"
        f".name,.title,.head{{fill:{of['text']}}}.soft{{fill:{of['soft']}}}"
        f".fail{{fill:{of['fail']}}}"
        f".arrow{{stroke:{of['line']}}}.tip{{fill:{of['line']}}}"
        f".arrow.latch{{stroke:{of['latch']}}}.tip.latch{{fill:{of['latch']}}}"
    )


def _inks(*, dark: bool) -> str:
    rules = []
    for kind, hue in HUES.items():
        ink, tint = (hue.dark_ink, hue.dark_tint) if dark else (hue.ink, hue.tint)
        rules.append(f".{kind}>.tint{{fill:{tint}}}.{kind}>.icon{{stroke:{ink}}}")
        rules.append(f".{kind}>.ink{{fill:{ink}}}")
    return "".join(rules)
