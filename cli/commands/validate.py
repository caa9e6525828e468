"""`stepsmith validate`: every mistake in workflow files."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from cli.console import FINE, WRONG, Console, Misuse

if TYPE_CHECKING:
    from cli.project.project import Projects
    from cli.project.targets import Target

INTERVAL = 0.3
"""Seconds between two looks at the files under `--watch`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="files or folders, - for standard input (default: the project's workflows)",
    )
    parser.add_argument(
        "--format",
        choices=("text", "json", "github"),
        default="text",
        help="how to print what is found (default: text)",
    )
    parser.add_argument("--stage", metavar="NAME", help="the stage to check for (default: local)")
    parser.add_argument(
        "--watch", action="store_true", help="check again whenever a file is changed, until Ctrl-C"
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print what is wrong with the files; 1 if any has an error."""
    if not arguments.watch:
        return _once(arguments, console)
    if "-" in arguments.paths:
        raise Misuse("standard input cannot be watched")
    return watch(arguments, console, lambda: time.sleep(INTERVAL))


def _once(arguments: argparse.Namespace, console: Console) -> int:
    from cli.project.project import Projects
    from cli.project.targets import targets

    found = targets(arguments.paths, console)
    return _report(found, Projects(arguments.stage), arguments, console)


def _report(
    found: list[Target], projects: Projects, arguments: argparse.Namespace, console: Console
) -> int:
    from cli.output import github, json, text
    from cli.project.targets import compile_targets
    from compiler.diagnostics import Severity

    compiled = compile_targets(found, projects)
    diagnostics = [*projects.found(), *(one for c in compiled for one in c.diagnostics)]
    files = [target.shown for target in found]
    if arguments.format == "json":
        console.stdout.write(json.render(files, diagnostics))
    elif arguments.format == "github":
        console.stdout.write(github.render(diagnostics))
    else:
        colour = console.colours(console.stdout)
        console.stdout.write(text.render(diagnostics, colour=colour))
        console.stdout.write(text.summary(files, diagnostics, colour=colour))
    console.stdout.flush()
    return WRONG if any(d.severity is Severity.ERROR for d in diagnostics) else FINE


def watch(arguments: argparse.Namespace, console: Console, wait: Callable[[], object]) -> int:
    """Check again whenever something changed; `wait` lets time pass between two looks.

    Ends, with what the last check found, when `wait` raises KeyboardInterrupt.
    """
    from cli.project.watched import state_of

    code, seen = FINE, None
    try:
        while True:
            now = state_of(arguments.paths)
            if now != seen:
                if seen is not None and arguments.format == "text":
                    console.stdout.write("\n")
                seen = now
                try:
                    code = _once(arguments, console)
                except Misuse as misuse:  # a file that is just being written anew
                    console.stderr.write(f"stepsmith validate: {misuse}\n")
                    code = WRONG
            wait()
    except KeyboardInterrupt:
        return code
