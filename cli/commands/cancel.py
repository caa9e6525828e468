"""`stepsmith cancel`: end a run that goes on."""

from __future__ import annotations

import argparse

from cli.console import FINE, Console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    from cli.reach.show import add_format
    from cli.reach.to import add_where

    parser.add_argument("run", metavar="RUN", help="a run's id, or what it begins with")
    parser.add_argument(
        "--compensate", action="store_true", help="undo what its steps have done, newest first"
    )
    add_where(parser)
    add_format(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Have the run cancelled; 1 where it is over already."""
    from cli.reach.client import at
    from cli.reach.show import print_json, run_named
    from cli.reach.to import reach

    with reach(arguments, console) as api:
        run_id = str(run_named(arguments.run, api)["run_id"])
        done, _ = api.post(
            at("runs", run_id, "cancel"), {"compensate": True} if arguments.compensate else {}
        )
    if arguments.format == "json":
        print_json(console, done)
        return FINE
    undone = ", and what its steps have done is undone" if arguments.compensate else ""
    console.stdout.write(f"{run_id} is cancelled{undone}\n")
    return FINE
