"""`stepsmith doctor`: what this machine lacks, and what to do about it."""

from __future__ import annotations

import argparse
from pathlib import Path

from cli.console import FINE, WRONG, Console, Misuse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    parser.add_argument(
        "--on", metavar="STAGE", help="look into the account of a stage as well, which asks AWS"
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="how to print it (default: text)"
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print what there is; 1 if something is missing that is needed."""
    from cli.doctor import text as output
    from cli.doctor.machine import Machine, checks
    from cli.project.project import root_of
    from cli.tools import Tools

    root = root_of(Path.cwd())
    tools = Tools(root or Path.cwd(), console.environ)
    machine = Machine(root, tools, console.environ)
    found = [*checks(machine, for_deploy=arguments.on is not None)]
    if arguments.on is not None:
        import boto3

        from cli.deployment import project_in
        from cli.doctor.stage import stage_checks

        if root is None:
            raise Misuse("--on is for the stages of a project, and there is none here or above")
        found += stage_checks(project_in(root, arguments.on), boto3.Session())
    if arguments.format == "json":
        console.stdout.write(output.as_json(found))
    else:
        colour = console.colours(console.stdout)
        console.stdout.write(output.render(found, colour=colour))
    return WRONG if any(one.state == "missing" for one in found) else FINE
