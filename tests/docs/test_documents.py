"""What the documents show is what happens: workflows, mistakes, machines, commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.carrying_out import Page
from tests.docs.pages import ROOT, blocks, executed


def carried_out(text: str, folder: Path, name: str = "page.md") -> Page:
    """Return a page that is over; `wrong` is what is not as it says."""
    page = Page(folder / "page", name)
    page.start()
    try:
        for block in blocks(text):
            page.carry_out(block)
    finally:
        page.end()
    return page


@pytest.mark.slow
@pytest.mark.timeout(900)  # a page is many commands
@pytest.mark.parametrize("page", executed(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_all_is_as_the_page_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = page.relative_to(ROOT).as_posix()

    done = carried_out(page.read_text(encoding="utf-8"), tmp_path, name)

    assert done.wrong == [], "\n".join(done.wrong)
    if done.lacking:
        pytest.skip(", ".join(done.lacking))


GOOD = """
```yaml
steps: [{id: hello, run: echo hello}]
```
```json compiles
{"States": {"hello": {"Type": "Task"}}}
```
```yaml steps fails: unknown-key
- {id: hello, rum: echo hello, run: echo}
```
```console
$ echo one; echo two; echo three
one
...
three
```
"""


def test_a_page_that_is_right_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert carried_out(GOOD, tmp_path).wrong == []


@pytest.mark.parametrize(
    ("right", "wrong", "line"),
    [
        ("{id: hello, run: echo hello}]", "{id: hello}]", 2),
        ('"Task"', '"Pass"', 5),
        ("fails: unknown-key", "fails: unknown-step", 8),
        ("steps fails: unknown-key", "steps", 8),
        ("\nthree", "\ntwo\nthree\nfour", 11),
        ("one\n", "zero\n", 11),
        ("```console", "```console exits: 1", 11),
    ],
)
def test_a_page_that_is_wrong_is_noticed(right, wrong, line, tmp_path, monkeypatch):
    """Each kind of block can fail, and its line is told."""
    monkeypatch.chdir(tmp_path)

    found = carried_out(GOOD.replace(right, wrong, 1), tmp_path)

    assert any(one.startswith(f"page.md:{line}: ") for one in found.wrong)
