"""Tables of the documents that list what the project has keep up with it."""

from __future__ import annotations

import re

from tests.architecture.project import ROOT


def test_each_place_of_tests_has_a_row_in_verification():
    """Who asks what is shown finds every folder of tests, and every file beside them."""
    text = (ROOT / "docs" / "verification.md").read_text(encoding="utf-8")
    named = {
        name.partition("/")[0]
        for row in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
        for name in re.findall(r"`([\w/.]+)`", row)
    }
    places = {
        path.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").rglob("test_*.py")
    }

    assert sorted(places - named) == []


def test_what_verification_names_is_there():
    """A folder that was renamed is renamed there, too."""
    text = (ROOT / "docs" / "verification.md").read_text(encoding="utf-8")
    missing = []
    for row in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE):
        folder = ROOT / "tests"
        for name in re.findall(r"`([\w/.]+)`", row):
            path = ROOT / "tests" / name
            if not path.exists() and not (folder / name).exists():
                missing.append(name)
            folder = path.parent if "/" in name else folder

    assert missing == []


def test_contributing_lists_the_commands_that_there_are():
    """Each target of the Makefile has its row, and no row says that one is not there."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert phony is not None
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `make ([a-z]+)` \|", text, re.MULTILINE)

    # `make setup` is told above the table.
    assert sorted(rows) == sorted({*phony[1].split()} - {"setup"})
    assert "not there yet" not in text
