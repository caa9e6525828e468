"""`stepsmith build`: the archives of a deployment, and how large they are."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from cli.console import FINE, WRONG, Console, Misuse

if TYPE_CHECKING:
    from cdk.packaging.archive import Packed
    from cli.deployment import Deployment


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    parser.add_argument(
        "--stage", metavar="NAME", help="the stage to build for (default: the first to deploy to)"
    )
    parser.add_argument(
        "--offline", action="store_true", help="fetch nothing: the libraries must be there"
    )
    parser.add_argument(
        "--libraries", action="store_true", help="only fetch the libraries, if they are not there"
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Fetch the functions' libraries if they are not there, pack everything, print the sizes."""
    from cli.deployment import deployment, project_in
    from cli.packing import archives, known_libraries
    from cli.project.compile_file import Refused
    from cli.project.project import root_of
    from cli.project.settings import FILE

    root = root_of(Path.cwd())
    if root is None:
        raise Misuse(f"there is no {FILE} here or above\nstepsmith init DIR makes a project")
    try:
        found = deployment(project_in(root, arguments.stage))
    except Refused as refused:
        console.stderr.write(str(refused))
        return WRONG
    if arguments.libraries:
        known_libraries(found, fetch=not arguments.offline)
        return FINE
    made = archives(found, fetch=not arguments.offline)
    console.stdout.write(_listed(found, made))
    return FINE


def _listed(found: Deployment, made: dict[str, Packed]) -> str:
    """Return a line for each archive: its name, its size, and what it takes unpacked."""
    width = max(map(len, made))
    lines = [
        f"{name:<{width}}  {_size(one.bytes)}  {_size(one.unpacked)} unpacked\n"
        for name, one in made.items()
    ]
    total = sum(one.bytes for one in made.values())
    about = f"stage {found.stage.name}, Python 3.13 on {found.stage.architecture}"
    return "".join(lines) + f"{len(made)} archives, {_size(total).strip()}, for {about}\n"


def _size(number: int) -> str:
    return f"{number / 1_000_000:6.2f} MB" if number >= 1_000_000 else f"{number / 1_000:6.1f} kB"
