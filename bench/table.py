"""What `make bench` measures: numbers, beside a peer's where there is one, in one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_HEAD = ("what", "ours", "peer", "theirs", "ours / theirs", "at most")


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
    def is_kept(self) -> bool:
        """Return whether the number is within its limit."""
        held = self.ours if self.ratio is None else self.ratio
        return self.most is None or held <= self.most


@dataclass(frozen=True, slots=True)
class Group:
    """Numbers under one title; `how` says in a sentence or two how they came about."""

    title: str
    how: str
    numbers: tuple[Number, ...]


def rendered(groups: Sequence[Group]) -> str:
    """Return groups as Markdown, a table each, a number that passes its limit marked."""
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
                    ""
                    if most is None
                    else shown(most, "") + ("" if number.is_kept else " **passed**"),
                ]
            )
        )
    return "\n".join([*lines, ""])


def shown(value: float, unit: str) -> str:
    """Return a value with three significant digits at least, and its unit."""
    digits = 0 if value == int(value) or value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{digits}f} {unit}".rstrip()


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
