"""The pages of the diagnostic codes: `python -m tests.docs.codes` writes them anew."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from textwrap import fill

from cli.output.explanation import shortened
from cli.output.text import render
from compiler.codes import Code, check, document, expressions, plan, shell, spec
from compiler.diagnostics import Severity
from compiler.pipeline import compile_source
from compiler.source import Source
from tests.architecture.test_codes import around
from tests.docs.pages import ROOT

FOLDER = ROOT / "docs" / "codes"
_GROUPS = {
    "Reading the file": document.CODES,
    "Keys and values": spec.CODES,
    "Expressions": expressions.CODES,
    "Steps, and what they use": check.CODES,
    "Scripts": shell.CODES,
    "What AWS would not take": plan.CODES,
}
_COLUMNS = 100
_WRITTEN = "<!-- Written by `python -m tests.docs.codes` from compiler/codes. -->"


def pages() -> dict[str, str]:
    """Return the text of every page by its file's name."""
    found = {"README.md": _index()}
    for codes in _GROUPS.values():
        found |= {f"{code.slug}.md": _page(code) for code in codes}
    return found


def _index() -> str:
    return "\n".join(_index_lines()) + "\n"


def _index_lines() -> Iterator[str]:
    yield from (_WRITTEN, "# Diagnostic codes", "")
    yield "What the compiler says has a code, and `stepsmith explain CODE` prints what is here."
    for heading, codes in _GROUPS.items():
        yield from ("", f"## {heading}", "", "| code | what is wrong |", "| --- | --- |")
        for code in sorted(codes, key=lambda one: one.slug):
            yield f"| [`{code.slug}`]({code.slug}.md) | {code.title} |"


def _page(code: Code) -> str:
    made = compile_source(Source("example.yaml", code.wrong), around(code.slug))
    said = [found for found in made.diagnostics if found.code == code.slug][:1]
    kind = "Error" if said[0].severity is Severity.ERROR else "Warning"
    explanation = fill(code.explanation, _COLUMNS, break_long_words=False, break_on_hyphens=False)
    return (
        f"{_WRITTEN}\n# {code.slug}\n\n**{kind}: {_lowered(code.title)}.**\n\n{explanation}\n\n"
        f"## Wrong\n\n{_fenced('yaml', shortened(code.wrong))}\n"
        f"{_fenced('text', render(said, colour=False).strip().splitlines())}\n"
        f"## Right\n\n{_fenced('yaml', shortened(code.right))}\n"
        "[All codes](README.md)\n"
    )


def _lowered(title: str) -> str:
    return title if title[1].isupper() else title[0].lower() + title[1:]


def _fenced(language: str, lines: list[str]) -> str:
    return "\n".join((f"```{language}", *lines, "```", ""))


def main() -> int:
    """Write the pages, and take away those of codes that are gone."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for file in FOLDER.glob("*.md"):
        if file.name not in wanted:
            file.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
