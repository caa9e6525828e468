"""The glossary has each word once, and no word that nobody uses."""

from __future__ import annotations

import re
from collections import Counter

from tests.docs.pages import ROOT

GLOSSARY = ROOT / "docs" / "glossary.md"


def words() -> list[str]:
    """Return the words that the glossary explains."""
    rows = [line for line in GLOSSARY.read_text("utf-8").splitlines() if line.startswith("| **")]
    return [word for row in rows for word in re.findall(r"\*\*([^*]+)\*\*", row.split(" | ")[0])]


def test_each_word_is_explained_once():
    assert [word for word, times in Counter(words()).items() if times > 1] == []
    assert {"scenario", "run", "latch", "operator"} <= set(words())


def test_each_word_is_used():
    """In another document, or in the code."""
    folders = ("docs", "cli", "compiler", "functions", "protocol")
    used = "\n".join(
        path.read_text(encoding="utf-8").lower()
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".md", ".py"} and path != GLOSSARY
    ).replace("_", " ")

    assert [
        word for word in words() if word.lower().strip("()").replace("_", " ") not in used
    ] == []
