"""Patterns of branches and paths, as GitHub's workflows have them.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#filter-pattern-cheat-sheet
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache


def selects(patterns: Sequence[str], name: str) -> bool:
    """Return whether a list of patterns lets a name through; the last that matches decides.

    No patterns let everything through, as does a list that begins with a negation until another
    of its patterns matches.
    """
    chosen = not patterns or patterns[0].startswith("!")
    for pattern in patterns:
        negated = pattern.startswith("!")
        if _compiled(pattern[1:] if negated else pattern).fullmatch(name):
            chosen = not negated
    return chosen


def selects_any(patterns: Sequence[str], names: Iterable[str]) -> bool:
    """Return whether a list of patterns lets some of the names through."""
    return any(selects(patterns, name) for name in names)


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile("".join(_parts(pattern)), re.DOTALL)


def _parts(pattern: str) -> Iterable[str]:
    position = 0
    last = ""
    while position < len(pattern):
        rest = pattern[position:]
        taken, part = _part(rest, at_start=position == 0 or pattern[position - 1] == "/")
        if part in ("?", "+"):  # of the character before, if there is one
            part = part if last and not last.endswith("*") else re.escape(part)
            last = ""
        else:
            last = part
        yield part
        position += taken


def _part(rest: str, *, at_start: bool) -> tuple[int, str]:
    """Return how many characters the next part of a pattern has, and its regular expression."""
    if rest.startswith("**/") and at_start:
        return 3, "(?:.*/)?"
    if rest.startswith("**"):
        return 2, ".*"
    match rest[0]:
        case "*":
            return 1, "[^/]*"
        case "?" | "+":
            return 1, rest[0]
        case "\\" if len(rest) > 1:
            return 2, re.escape(rest[1])
        case "[":
            end = rest.find("]", 1)
            if end > 1 and re.fullmatch(r"[A-Za-z0-9-]+", rest[1:end]):
                return end + 1, f"[{_ranges(rest[1:end])}]"
            return 1, re.escape("[")
        case other:
            return 1, re.escape(other)


def _ranges(inside: str) -> str:
    """Return the inside of a set; a range that runs backwards is three characters."""
    return re.sub(
        r"(.)-(.)", lambda m: m[0] if m[1] <= m[2] else f"{m[1]}{re.escape('-')}{m[2]}", inside
    )
