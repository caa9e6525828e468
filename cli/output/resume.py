"""What a resume does, as text: which steps run again and why, which stay, which are in the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cli.output.paint import Paint, Tone, shown

_SECTIONS: tuple[tuple[str, str, Tone], ...] = (
    ("refused", "in the way", "error"),
    ("again", "again", "accent"),
    ("perhaps", "perhaps", "accent"),
)


def plan_text(plan: Any, *, colour: bool) -> str:
    """Return a plan of the API as text."""
    paint = Paint(colour)
    head = f"{plan['run_id']}, attempt {plan['run_attempt']}"
    lines = [paint(shown(head), "strong")]
    for name, label, tone in _SECTIONS:
        mark = paint(f"{label:<10}", tone)
        lines += [f"  {mark}  {_entry(entry)}" for entry in plan.get(name) or ()]
    lines += [f"  {paint(f'{label:<10}', 'faint')}  {text}" for label, text in _listed(plan)]
    return "".join(f"{line}\n" for line in lines)


def _entry(entry: Any) -> str:
    why = entry.get("why")
    return shown(f"{entry['step_id']}: {why}" if why else str(entry["step_id"]))


def _listed(plan: Any) -> Iterator[tuple[str, str]]:
    for name in ("following", "kept", "removed"):
        steps = plan.get(name) or ()
        if steps:
            yield name, shown(", ".join(map(str, steps)))
