"""The documents keep up with the project."""

from __future__ import annotations

import re

from tests.architecture.project import ROOT, files

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


def test_links_between_documents_lead_somewhere():
    """A relative link names a file that exists."""
    broken = [
        f"{path.name}: {target}"
        for path in files(".md")
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", path.read_text("utf-8"))
        if not (path.parent / target).exists()
    ]

    assert broken == []


def test_the_readme_is_short():
    """What needs more room has a page of its own under docs/."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").split("\n")

    assert len(lines) <= MOST_README_LINES
