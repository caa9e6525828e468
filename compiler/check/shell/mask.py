"""A script with one character in place of each expression, so that bash's rules can be read."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

_OPENING = "${{"
_QUOTED = r"'(?:[^']|'')*+'|\"(?:[^\"\\]|\\.)*+\""
_BODY = re.compile(rf"(?:[^'\"}}$]++|{_QUOTED}|\}}(?!\}})|\$(?!\{{\{{))*+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Spot:
    """An expression: its place in the masked text, and from `${{` to behind `}}` in the script."""

    at: int
    start: int
    end: int
    closed: bool


@dataclass(frozen=True, slots=True)
class Masked:
    """The masked text; `mark` is the character that stands for each expression."""

    text: str
    mark: str
    spots: tuple[Spot, ...]

    def original(self, position: int) -> int:
        """Return where a place of the masked text is in the script."""
        before = bisect_left(self.spots, position, key=lambda spot: spot.at)
        if before == 0:
            return position
        last = self.spots[before - 1]
        return last.end + position - last.at - 1


def mask(script: str) -> Masked:
    """Return the script with a mark for each `${{ }}`; one without `}}` is not `closed`."""
    mark = _unused(script)
    pieces: list[str] = []
    spots: list[Spot] = []
    length = position = 0
    while (start := script.find(_OPENING, position)) >= 0:
        end = _end(script, start + 3)
        pieces += (script[position:start], mark)
        length += start - position
        position = start + 3 if end is None else end
        spots.append(Spot(length, start, position, end is not None))
        length += 1
    pieces.append(script[position:])
    return Masked("".join(pieces), mark, tuple(spots))


def _end(script: str, start: int) -> int | None:
    match = _BODY.match(script, start)
    if match is not None and script.startswith("}}", match.end()):
        return match.end() + 2
    end = script.find("}}", start)
    # Another opening on the way: this one was never closed.
    return None if end < 0 or script.find(_OPENING, start, end) >= 0 else end + 2


def _unused(script: str) -> str:
    used = set(script)
    return next(chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in used)
