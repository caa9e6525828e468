"""Numbers as people read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def duration(seconds: int) -> str:
    """Return seconds in the two largest units that they have: `3 d 4 h`."""
    parts: list[str] = []
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        number, seconds = divmod(seconds, size)
        if number:
            parts.append(f"{number} {unit}")
    return " ".join(parts[:2]) or "0 s"


def dollars(amount: float) -> str:
    """Return US dollars with the digits that say something."""
    if amount >= 1 or not amount:
        return f"${amount:,.2f}"
    return f"${amount:.6f}".rstrip("0")


def between(least: int, most: int) -> str:
    """Return a range, or the one number that it is."""
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def plural(number: int, noun: str) -> str:
    """Return a number with its noun."""
    ending = "" if number == 1 else "es" if noun.endswith("ch") else "s"
    return f"{number:,} {noun}{ending}"


def wrapped(words: Sequence[str], first: str, columns: int = 100) -> Iterator[str]:
    """Yield words, separated by commas, on lines of which the first begins with `first`."""
    line = first
    for at, word in enumerate(words):
        more = word if at == len(words) - 1 else f"{word},"
        if len(line) + 1 + len(more) > columns and line.strip() not in ("", first.strip()):
            yield line
            line = " " * len(first)
        line += f" {more}"
    yield line


def meant(names: Sequence[str]) -> str:
    """Return the question whether one of these names was meant; nothing where there are none."""
    told = " or ".join(f"'{name}'" for name in names)
    return f"; did you mean {told}?" if told else ""
