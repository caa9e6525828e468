"""What `make bench` measures: numbers, beside a peer's where there is one, in one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_HEAD = ("what", "ours", "peer", "theirs", "ours / theirs", "at most")


CLOCK = 1.25
"""By how much what a clock has told may be above a limit before that counts as an error."""


@dataclass(frozen=True, slots=True)
class Number:
    """One line of the table.

    `ours` and `theirs` are in `unit`. `most` is what must not be passed: by `ours / theirs` where
    there is a peer, by `ours` where there is none; None is for what is only told. `is_counted`
    says that the number is the same on each machine (bytes, states, prices), so that documents
    may quote it and a test can hold them to it.
    """

    what: str
    ours: float
    unit: str
    peer: str = ""
    theirs: float | None = None
    most: float | None = None
    is_counted: bool = False

    @property
    def ratio(self) -> float | None:
        """Return `ours / theirs`; None without a peer."""
        return None if self.theirs is None else self.ours / self.theirs

    @property
    def is_above(self) -> bool:
        """Return whether the number is above its limit."""
        return self.most is not None and self._held > self.most

    @property
    def is_kept(self) -> bool:
        """Return whether the number is within its limit, and the clock's share where one told it.

        One and the same program differs by a fifth from one hour to the next on one machine.
        """
        share = 1.0 if self.is_counted else CLOCK
        return self.most is None or self._held <= self.most * share

    @property
    def _held(self) -> float:
        return self.ours if self.ratio is None else self.ratio


@dataclass(frozen=True, slots=True)
class Group:
    """Numbers under one title; `how` says in a sentence or two how they came about."""

    title: str
    how: str
    numbers: tuple[Number, ...]


def rendered(groups: Sequence[Group]) -> str:
    """Return groups as Markdown, a table each, numbers above their limits marked."""
    return "\n".join(_group(group) for group in groups)


def _group(group: Group) -> str:
    lines = [f"### {group.title}", "", group.how, "", _line(_HEAD), _line(["---"] * len(_HEAD))]
    for number in group.numbers:
        ratio, most = number.ratio, number.most
        lines.append(
            _line(
                [
                    number.what,
                    shown(number.ours, number.unit),
                    number.peer,
                    "" if number.theirs is None else shown(number.theirs, number.unit),
                    "" if ratio is None else f"{ratio:.2f}",
                    "" if most is None else shown(most, "") + _mark(number),
                ]
            )
        )
    return "\n".join([*lines, ""])


def _mark(number: Number) -> str:
    if not number.is_kept:
        return " **passed**"
    return " above" if number.is_above else ""


def shown(value: float, unit: str) -> str:
    """Return a value with three significant digits at least, and its unit."""
    digits = 0 if value == int(value) or value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{digits}f} {unit}".rstrip()


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
