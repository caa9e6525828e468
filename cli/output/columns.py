"""Lists as columns, for people; texts of others reach no terminal as they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from cli.output.paint import Paint, Tone, shown, width

_TONES: Mapping[str, Tone] = {
    "succeeded": "good",
    "approved": "good",
    "started": "good",
    "failed": "error",
    "rejected": "error",
    "timed_out": "error",
    "dead": "error",
    "running": "strong",
    "paused": "strong",
    "pending": "strong",
}
_WIDEST = 60


def columns(head: Sequence[str], rows: Iterable[Sequence[str]], *, colour: bool) -> str:
    """Return a table: what each column is, then the rows. The last column is never cut."""
    paint = Paint(colour)
    lines = [[*(_cut(shown(cell)) for cell in row[:-1]), shown(row[-1])] for row in rows]
    widths = [max(map(width, column)) for column in zip(head, *lines, strict=True)]
    told = [paint(_line(head, widths), "faint")]
    for row in lines:
        tones = [_TONES.get(cell) for cell in row]
        padded = [
            cell + " " * (space - width(cell)) for cell, space in zip(row, widths, strict=True)
        ]
        padded[-1] = row[-1]
        painted = [
            cell if tone is None else paint(cell, tone)
            for cell, tone in zip(padded, tones, strict=True)
        ]
        told.append("  ".join(painted).rstrip())
    return "".join(f"{line}\n" for line in told)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = (cell + " " * (space - width(cell)) for cell, space in zip(row, widths, strict=True))
    return "  ".join(cells).rstrip()


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"


def fields(pairs: Iterable[tuple[str, str]], *, colour: bool) -> str:
    """Return names with their values, one a line; what has no value is left out."""
    paint = Paint(colour)
    told = [(name, value) for name, value in pairs if value]
    space = max((len(name) for name, _ in told), default=0)
    lines = []
    for name, value in told:
        first, *rest = value.splitlines() or [""]
        lines.append(f"  {paint(f'{name:<{space}}', 'accent')}  {shown(first)}")
        lines += [f"  {' ' * space}  {shown(line)}" for line in rest]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def when(stamp: str | None) -> str:
    """Return a time as people read it, in UTC: `2026-01-31 12:00:05`; empty for none."""
    if not stamp:
        return ""
    moment = datetime.fromisoformat(stamp).astimezone(UTC)
    return moment.strftime("%Y-%m-%d %H:%M:%S")
