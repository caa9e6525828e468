"""`stepsmith explain`: what a diagnostic code means, with a wrong and a right example."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from cli.console import FINE, Console, Misuse

_PAGES = Path(__file__).parents[2] / "docs" / "codes"
"""The same as documents, in a clone; an installed Stepsmith has none."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    parser.add_argument("code", nargs="?", metavar="CODE", help="a code (default: list them all)")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print one code's page, or the list of codes."""
    from cli.output.explanation import listing, page
    from compiler.catalog import CATALOG

    colour = console.colours(console.stdout)
    if arguments.code is None:
        console.stdout.write(listing(CATALOG.values(), colour=colour))
        return FINE
    code = CATALOG.get(arguments.code)
    if code is None:
        raise Misuse(_unknown(arguments.code, list(CATALOG)))
    console.stdout.write(page(code, colour=colour))
    document = _PAGES / f"{code.slug}.md"
    if document.is_file():
        console.stdout.write(
            f"\nas a page: {min(str(document), os.path.relpath(document), key=len)}\n"
        )
    return FINE


def _unknown(slug: str, known: list[str]) -> str:
    from compiler.expressions.nearest import nearest

    near = nearest(slug, known)
    hint = f"did you mean '{near}'?" if near else "`stepsmith explain` lists the codes"
    return f"there is no code '{slug}'\n{hint}"
