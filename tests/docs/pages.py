"""Documents as tests read them: their fenced blocks, each with what its first line says of it.

What stands behind the language of a block says what is done with it (`carrying_out.py`):

    ```yaml                     a whole workflow: no mistake, no warning
    ```yaml steps               the same for the steps of one
    ```yaml fails: CODE, CODE   a whole workflow with exactly these mistakes and warnings
    ```yaml steps fails: CODE   the same for the steps of one
    ```text says                what `validate` prints of the block before
    ```json compiles            a part of the machine that the block before becomes
    ```LANGUAGE file: PATH      written into the page's folder, as the reader would do it
    ```console                  commands with what they print; `...` stands for lines left out
    ```console exits: 1         the same, where the last command ends so
    ```console background       the same for one that goes on while the next blocks are carried out
    ```console shows            what the one in the background has printed, perhaps in a moment
    ```console ends             the key that ends it, and the last lines that it prints
    ```console needs: PROGRAM   the same as console; left out on a machine without it
    ```console stack            what `stepsmith dev --stack` prints: `tests/stack` looks at it
    ```console later            shown only: the page says why, `test_shown_only.py` lists them
    ```http                     requests to what is served in the background, with their answers
                                (`exchanges.py`)

A yaml block with a `file:` that is a workflow is checked as well. All else is only shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"(?ms)^```(\w+)(?: ([^\n]*))?\n(.*?)^```$")
EXECUTED = (
    "docs/approvals.md",
    "docs/console.md",
    "docs/deployment.md",
    "docs/from-*.md",
    "docs/language/*.md",
    "docs/limits.md",
    "docs/local-*.md",
    "docs/resume.md",
    "docs/scenarios.md",
    "docs/triggers.md",
    "docs/truth-table.md",
    "docs/tutorial.md",
    "docs/writing-actions.md",
)
"""The pages whose blocks are carried out."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block; `says` maps `fails`, `file` and so on to what stands behind the colon."""

    language: str
    says: dict[str, str]
    text: str
    line: int


def blocks(text: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page in their order."""
    for found in _FENCE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        yield Block(found[1], _says(found[2] or ""), found[3], line)


def _says(words: str) -> dict[str, str]:
    """Return `{"steps": "", "fails": "a, b"}` of `steps fails: a, b`."""
    parts = re.findall(r"(\w+)(?:: ((?:[^\s,]+, )*\S+))?", words)
    return dict(parts)


def executed() -> list[Path]:
    """Return the pages whose blocks are carried out."""
    return [page for pattern in EXECUTED for page in sorted(ROOT.glob(pattern))]


def shown_only(page: Path) -> list[Block]:
    """Return the blocks of commands that are not carried out, anywhere."""
    return [
        one
        for one in blocks(page.read_text(encoding="utf-8"))
        if one.language in {"sh", "bash"} or (one.language == "console" and "later" in one.says)
    ]
