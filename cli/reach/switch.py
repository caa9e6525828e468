"""Disabling and enabling workflows: `stepsmith disable` and `stepsmith enable`."""

from __future__ import annotations

import argparse

from cli.console import FINE, Console, Misuse
from cli.reach.client import Refused, at
from cli.reach.show import add_format, print_json
from cli.reach.to import add_where, reach


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of both."""
    parser.add_argument("workflow", metavar="WORKFLOW", help="the id of a workflow")
    add_where(parser)
    add_format(parser)


def switch(verb: str, told: str, arguments: argparse.Namespace, console: Console) -> int:
    """Disable or enable a workflow; raises Misuse where there is none."""
    with reach(arguments, console) as api:
        try:
            done, _ = api.post(at("workflows", arguments.workflow, verb))
        except Refused as refused:
            if refused.status != 404:
                raise
            known = ", ".join(f"'{one['id']}'" for one in api.pages(at("workflows")))
            hint = f"there are {known}" if known else "there is none at all"
            raise Misuse(
                f"there is no workflow '{arguments.workflow}' at {api.place}\n{hint}"
            ) from None
    if arguments.format == "json":
        print_json(console, done)
    else:
        console.stdout.write(f"{done['id']} {told}\n")
    return FINE
