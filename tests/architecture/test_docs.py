"""The documents keep up with the project."""

from __future__ import annotations

import re
from pathlib import Path

from cli.commands.table import COMMANDS
from tests.architecture.project import ROOT, files, shown

MOST_README_LINES = 150


def _documents() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in files(".md"))


def test_every_make_target_is_in_the_documents():
    """Who reads the documents learns of every command, and `make help` lists it."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert phony is not None
    targets = phony[1].split()

    text = _documents()

    assert [target for target in targets if f"make {target}" not in text] == []
    assert [t for t in targets if not re.search(rf"^{t}:.* ## ", makefile, re.MULTILINE)] == []


def test_the_documents_name_no_make_target_that_is_not_there():
    """A command copied from a document works."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"`make ([a-z]+)", _documents()))

    assert {name for name in named if not re.search(rf"^{name}:", makefile, re.MULTILINE)} == set()


def _links(path: Path) -> list[Path]:
    """Return the files that a document links to, without those on other machines."""
    text = re.sub(
        r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    found = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)
    return [(path.parent / target).resolve() for target in found]


def test_links_between_documents_lead_somewhere():
    """A relative link names a file that exists."""
    broken = [
        f"{shown(path)}: {target}"
        for path in files(".md")
        for target in _links(path)
        if not target.exists()
    ]

    assert broken == []


def test_every_page_can_be_reached_from_the_readme():
    """Following links from the README leads to every page and picture under docs/."""
    reached: set[Path] = set()
    pending = [ROOT / "README.md"]
    while pending:
        page = pending.pop()
        if page not in reached:
            reached.add(page)
            pending += _links(page) if page.suffix == ".md" else []

    pages = {path for path in files() if path.is_relative_to(ROOT / "docs")}
    assert sorted(map(shown, pages - reached)) == []


def test_the_readme_names_every_command():
    """What `stepsmith --help` lists stands in the README's table, and nothing else does."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = re.search(r"^\| `\.venv/bin/stepsmith` .*?\n\n", readme, re.MULTILINE | re.DOTALL)
    assert table is not None

    rows = re.findall(r"^\| ((?:`\w+` )+)\|", table[0], re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"\w+", row)]

    assert named == list(COMMANDS)


def test_every_repair_of_the_local_engine_is_told():
    """A module of local/repairs has a row in the table of its page, and a row has a module."""
    page = (ROOT / "docs" / "local-engine.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)

    assert told == sorted(p.stem for p in (ROOT / "local" / "repairs").glob("[a-z]*.py"))


def test_the_readme_is_short():
    """What needs more room has a page of its own under docs/."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()

    assert len(lines) <= MOST_README_LINES
