"""What to propose in place of a word that is not known."""

from __future__ import annotations

from collections.abc import Iterable

from compiler.expressions.nearest import nearest

_SHOWN = 10

__all__ = ["listed", "nearest", "suggestion"]


def suggestion(word: str, known: Iterable[str], kind: str) -> str | None:
    """Return the nearest known word as a question, or else the known ones: `kind` names them."""
    words = list(dict.fromkeys(known))
    close = nearest(word, words)
    if close is not None:
        return f"did you mean '{close}'?"
    return f"{kind}: {listed(words)}" if words else None


def listed(words: Iterable[str]) -> str:
    """Return words in quotes, at most ten of them."""
    every = list(words)
    shown = ", ".join(f"'{word}'" for word in every[:_SHOWN])
    return f"{shown}, ..." if len(every) > _SHOWN else shown
