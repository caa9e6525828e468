"""`stepsmith plan`: what a workflow costs, takes and needs."""

from __future__ import annotations

import argparse

from cli.console import FINE, WRONG, Console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="files or folders, - for standard input (default: the project's workflows)",
    )
    parser.add_argument("--stage", metavar="NAME", help="the stage to plan for (default: local)")
    parser.add_argument(
        "--against",
        metavar="STAGE|PATH",
        help="say what a deploy would change: of a stage, or of manifests that were kept",
    )
    parser.add_argument(
        "--save", metavar="DIR", help="keep the manifests of the project's workflows in a folder"
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="how to print it (default: text)"
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the plan of each workflow; mistakes go to standard error."""
    if arguments.against is not None or arguments.save is not None:
        from cli.commands.plan_against import run as run_against

        return run_against(arguments, console)

    from pathlib import Path

    from cli.commands.reporting import compiled
    from cli.here.secrets import secrets_here
    from cli.plan import text as output
    from cli.plan.overview import overview
    from cli.project.project import root_of
    from cli.project.settings import LOCAL

    found = compiled(arguments.paths, arguments.stage, console, many=True)
    if found is None:
        return WRONG
    known = None
    if arguments.stage in (None, LOCAL):  # another stage's are in its account
        known = frozenset(secrets_here(root_of(Path.cwd()) or Path.cwd(), console.environ))
    overviews = [overview(one, known) for one in found]
    if arguments.format == "json":
        console.stdout.write(output.as_json(overviews))
    else:
        console.stdout.write(output.render(overviews, colour=console.colours(console.stdout)))
    return FINE
