"""What `docs/numbers.md` says of what can be counted is what is counted now."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench.__main__ import BEGIN, END, NAMES, PAGE, groups_of
from bench.table import Group, Number, rendered

WHOLE = ("samples", "levels", "makespan", "cost")
"""What is counted in full; of the others the short form counts the same."""


def rows(text: str) -> dict[str, list[str]]:
    """Return the rows of tables under their headings."""
    found: dict[str, list[str]] = {}
    title = ""
    for line in text.splitlines():
        if line.startswith("### "):
            title = line.removeprefix("### ")
        elif line.startswith("| "):
            found.setdefault(title, []).append(line)
    return found


def said() -> dict[str, list[str]]:
    """Return the rows of the page that are generated."""
    return rows(PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0])


def counted(group: Group) -> Iterator[str]:
    """Yield the rows of a group that are the same on each machine."""
    kept = Group(group.title, group.how, tuple(n for n in group.numbers if n.is_counted))
    yield from rows(rendered([kept]))[group.title][2:]


def outdated(groups: tuple[Group, ...], page: dict[str, list[str]]) -> list[str]:
    """Return the counted rows that a page does not have."""
    return [
        row for group in groups for row in counted(group) if row not in page.get(group.title, [])
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["limits", "imports", *WHOLE])
def test_what_is_counted_is_in_the_page(name: str):
    groups = groups_of(name, quick=name not in WHOLE)

    assert any(number.is_counted for group in groups for number in group.numbers)
    assert outdated(groups, said()) == [], "`make bench BENCH=--write` writes the page anew"


def test_the_page_has_a_table_of_every_group():
    """A group that was added is measured before its page is believed."""
    page = said()

    assert len(page) >= len(NAMES)
    assert all(len(table) > 2 for table in page.values())


def test_a_number_that_is_not_in_the_page_is_noticed():
    old, new = (Group("Sizes", "", (Number("all", n, "B", is_counted=True),)) for n in (1.0, 2.0))
    page = rows(rendered([old]))

    assert outdated((old,), page) == []
    assert outdated((new,), page) == ["| all | 2 B |  |  |  |  |"]
    assert outdated((old,), {}) == ["| all | 1 B |  |  |  |  |"]
