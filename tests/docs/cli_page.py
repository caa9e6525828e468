"""The page of the commands: `python -m tests.docs.cli_page` writes it anew."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterator
from typing import Any

from cli.commands.table import COMMANDS, Entry
from cli.console import EXIT_CODES
from cli.main import _OPTIONS
from cli.parser import Parser
from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "cli.md"
_WRITTEN = "<!-- Written by `python -m tests.docs.cli_page` from the commands themselves. -->"
_HELP = "--help"


def page() -> str:
    """Return the text of the page."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield from (_WRITTEN, "# Commands", "")
    yield "`stepsmith COMMAND --help` prints what is here. Options that every command takes:"
    yield from ("", "| option | meaning |", "| --- | --- |")
    for line in _OPTIONS.splitlines():
        option, _, about = line.strip().partition("  ")
        yield f"| `{_cell(option)}` | {_cell(about)} |"
    yield from ("", "Exit codes, of every command:", "", "| code | meaning |", "| --- | --- |")
    for line in EXIT_CODES.splitlines()[1:]:
        code, _, about = line.strip().partition("  ")
        yield f"| {code} | {about} |"
    for name, entry in COMMANDS.items():
        yield from _command(name, entry)


def _command(name: str, entry: Entry) -> Iterator[str]:
    parser = parser_of(name, entry)
    usage = " ".join(parser.format_usage().split()).removeprefix("usage: ")
    yield from ("", f"## {name}", "", f"{entry.about[0].upper()}{entry.about[1:]}.", "")
    yield from ("```text", usage.replace(" [-h]", ""), "```", "")
    rows = [one for one in parser._actions if _HELP not in one.option_strings]
    if rows:
        yield from ("| | |", "| --- | --- |")
        yield from (f"| `{_written(one)}` | {_cell(one.help or '')} |" for one in rows)
        yield ""
    yield from ("```sh", *entry.examples, "```")


def parser_of(name: str, entry: Entry) -> argparse.ArgumentParser:
    """Return the parser of a command."""
    parser = Parser(name, "", ())
    module: Any = importlib.import_module(entry.module)
    module.add_arguments(parser)
    return parser


def _written(one: argparse.Action) -> str:
    """Return an argument as it is written in a call."""
    taken = one.metavar if isinstance(one.metavar, str) else None
    if taken is None and one.choices is not None:
        taken = "|".join(map(str, one.choices))
    if not one.option_strings:
        return _cell(taken or one.dest)
    words = [", ".join(one.option_strings)]
    if one.nargs != 0:
        taken = taken or one.dest.upper()
        words.append(f"[{taken}]" if one.nargs == "?" else taken)
    return _cell(" ".join(words))


def _cell(text: str) -> str:
    return " ".join(text.replace("%%", "%").split()).replace("|", "\\|")


def main() -> int:
    """Write the page."""
    PAGE.write_text(page() + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
