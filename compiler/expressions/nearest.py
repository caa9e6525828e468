"""The name someone probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, names: Iterable[str]) -> str | None:
    """Return the one of `names` that `word` is most likely a slip of, or None."""
    folded: dict[str, str] = {}
    for name in names:
        folded.setdefault(_fold(name), name)
    found = get_close_matches(_fold(word), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def _fold(name: str) -> str:
    return name.casefold().replace("-", "_")


def did_you_mean(word: str, names: Iterable[str]) -> str | None:
    """Return a help text that proposes the nearest name, or None."""
    found = nearest(word, names)
    return None if found is None else f"did you mean '{found}'?"
