"""`stepsmith test`: the cases of scenario files, played on this machine."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from cli.console import FAULT, FINE, WRONG, Console, Misuse

if TYPE_CHECKING:
    from cli.scenarios.text import Report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    from pathlib import Path

    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="scenario files, FILE:CASE, folders (default: the project's workflows)",
    )
    parser.add_argument(
        "--format",
        choices=("text", "json", "junit"),
        default="text",
        help="how to report (default: text)",
    )
    parser.add_argument(
        "--source",
        type=Path,
        metavar="DIR",
        help="what the steps work on (default: the file's git tree, else its folder)",
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Play the cases and report; 1 if one is not as expected or cannot be played."""
    from cli.scenarios.files import scenario_files
    from cli.scenarios.session import Session

    if arguments.source is not None and not arguments.source.is_dir():
        raise Misuse(f"the source '{arguments.source}' is not a folder")
    files = scenario_files(arguments.paths)
    report = _report(arguments.format, console)
    session = Session(report, console, arguments.source)
    session.play(files)
    report.end()
    console.stdout.flush()
    if session.faults:
        return FAULT
    return FINE if session.all_passed else WRONG


def _report(format: str, console: Console) -> Report:
    from cli.scenarios.json import JsonReport
    from cli.scenarios.junit import JUnitReport
    from cli.scenarios.text import TextReport

    if format == "json":
        return JsonReport(console.stdout)
    if format == "junit":
        return JUnitReport(console.stdout)
    return TextReport(console.stdout, colour=console.colours(console.stdout))
