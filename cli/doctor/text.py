"""What `doctor` has found, as people and as programs read it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from cli.doctor.machine import Check, State
from cli.output.paint import Paint, Tone, shown
from compiler.document.nodes import Json

_SIGNS: Mapping[State, tuple[str, Tone]] = {
    "ok": ("✓", "good"),
    "missing": ("✗", "error"),
    "idle": ("-", "warning"),
}


def render(checks: Sequence[Check], *, colour: bool) -> str:
    """Return a line for each check, and below it what to do about what is not there."""
    paint = Paint(colour)
    width = max(len(one.name) for one in checks)
    lines: list[str] = []
    for one in checks:
        sign, tone = _SIGNS[one.state]
        lines.append(f"{paint(sign, tone)} {shown(one.name):<{width}}  {shown(one.told)}")
        below = " " * (width + 4)
        if one.needed_for and one.state != "ok":
            lines.append(f"{below}{paint(f'needed for {shown(one.needed_for)}', 'faint')}")
        if one.todo:
            lines.append(f"{below}{paint(shown(one.todo), 'accent')}")
    missing = sum(one.state == "missing" for one in checks)
    told = f"{missing} missing" if missing else "nothing that is needed is missing"
    lines.append(paint(told, "error" if missing else "strong"))
    return "".join(f"{line}\n" for line in lines)


def as_json(checks: Sequence[Check]) -> str:
    """Return all of it as one JSON object; its keys are stable."""
    found: dict[str, Json] = {
        "format": 1,
        "ok": not any(one.state == "missing" for one in checks),
        "checks": [
            {
                "name": one.name,
                "state": one.state,
                "told": one.told,
                "todo": one.todo,
                "needed_for": one.needed_for,
            }
            for one in checks
        ],
    }
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"
