"""`stepsmith runs`: the runs of a stage, or the record of one."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from cli.console import FINE, Console

if TYPE_CHECKING:
    from cli.reach.client import Reach


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    from cli.reach.show import add_format, add_limit
    from cli.reach.to import add_where

    parser.add_argument(
        "run", nargs="?", metavar="RUN", help="a run's id, or what it begins with: show its record"
    )
    parser.add_argument("--workflow", metavar="ID", help="only runs of this workflow")
    parser.add_argument(
        "--status", metavar="STATUS", help="running, paused, succeeded, failed or cancelled"
    )
    parser.add_argument("--starter", metavar="PERSON", help="only runs that this person started")
    add_limit(parser)
    add_where(parser)
    add_format(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print a list of runs, or a record."""
    from cli.reach.to import reach

    with reach(arguments, console) as api:
        if arguments.run is None:
            return _list(arguments, console, api)
        from cli.reach.record import print_record
        from cli.reach.show import run_named

        print_record(run_named(arguments.run, api), api, arguments.format, console)
        return FINE


def _list(arguments: argparse.Namespace, console: Console, api: Reach) -> int:
    from cli.output.columns import columns
    from cli.reach.client import at
    from cli.reach.show import print_json

    sought = {name: getattr(arguments, name) for name in ("workflow", "status", "starter")}
    found = [*api.pages(at("runs"), arguments.limit, **sought)]
    if arguments.format == "json":
        print_json(console, {"items": found})
    elif found:
        head = ("RUN", "STATUS", "STARTED", "TOOK", "BY", "ERROR")
        colour = console.colours(console.stdout)
        console.stdout.write(columns(head, map(_row, found), colour=colour))
    else:
        console.stderr.write("no runs\n")
    return FINE


def _row(one: Any) -> list[str]:
    from cli.output.columns import when
    from cli.output.record import took_between

    completed = one["completed_at"]
    return [
        one["run_id"],
        one["status"],
        when(one["started_at"]),
        took_between(one["started_at"], completed) if completed else "",
        one["started_by"] or "",
        (one["error"] or "").split("\n", 1)[0],
    ]
