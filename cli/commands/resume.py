"""`stepsmith resume`: go on with a run that is over, from where it failed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from cli.console import FINE, WRONG, Console, Misuse
from protocol.reading import read_json

if TYPE_CHECKING:
    from cli.reach.client import Reach
    from protocol.payloads import Json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    from cli.reach.show import add_format
    from cli.reach.to import add_where

    parser.add_argument("run", metavar="RUN", help="a run's id, or what it begins with")
    parser.add_argument(
        "--dry-run", action="store_true", help="say which steps would run again, and do nothing"
    )
    parser.add_argument(
        "--from",
        dest="start",
        action="append",
        default=[],
        metavar="STEP",
        help="run this step again whatever is stored, and what depends on it; may be repeated",
    )
    parser.add_argument(
        "--redo",
        action="append",
        default=[],
        metavar="STEP",
        help="run a step again of which nobody knows whether it was done; may be repeated",
    )
    parser.add_argument(
        "--done",
        action="append",
        default=[],
        metavar="STEP[=OUTPUTS]",
        help="take such a step as done, with outputs as a JSON object; may be repeated",
    )
    parser.add_argument("--detach", action="store_true", help="do not wait for the run's end")
    add_where(parser)
    add_format(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Say what a resume does, or do it and follow the run to its end."""
    from cli.reach.to import is_kept_here, reach

    if not arguments.dry_run and is_kept_here(arguments):
        if arguments.detach:
            raise Misuse(
                "--detach needs a stage at work: what is kept is worked on in this process"
            )
        from cli.running.resumed import resuming

        with resuming(arguments, console) as api:
            return _resume(arguments, console, api, quick=True)
    with reach(arguments, console) as api:
        return _resume(arguments, console, api)


def _resume(
    arguments: argparse.Namespace, console: Console, api: Reach, *, quick: bool = False
) -> int:
    from cli.output.resume import plan_text
    from cli.reach.client import Refused, at
    from cli.reach.record import follow, followed, print_record
    from cli.reach.show import print_json, run_named

    run_id = str(run_named(arguments.run, api)["run_id"])
    try:
        plan, _ = api.post(at("runs", run_id, "resume"), _wishes(arguments))
    except Refused as refused:
        plan = refused.problem.get("plan") or refused.problem
        if "refused" not in plan:
            raise
        console.stderr.write(f"stepsmith resume: {refused}\n")
        console.stderr.write(plan_text(plan, colour=console.colours(console.stderr)))
        return WRONG
    if arguments.dry_run and arguments.format == "json":
        print_json(console, plan)
    elif arguments.dry_run:
        console.stdout.write(plan_text(plan, colour=console.colours(console.stdout)))
    if arguments.dry_run:
        return WRONG if plan.get("refused") else FINE
    console.stderr.write(plan_text(plan, colour=console.colours(console.stderr)))
    if arguments.detach:
        if arguments.format == "json":
            print_json(console, plan)
        return FINE
    if not quick:
        where = f" --on {arguments.on}" if arguments.on else ""
        return followed(run_id, api, arguments.format, console, where)
    from time import sleep

    record = follow(run_id, api, console, lambda: sleep(0.02))
    print_record(record, api, arguments.format, console)
    return FINE if record["status"] == "succeeded" else WRONG


def _wishes(arguments: argparse.Namespace) -> dict[str, Json]:
    wishes: dict[str, Any] = {
        "dry_run": arguments.dry_run or None,
        "from": arguments.start or None,
        "redo": arguments.redo or None,
        "done": dict(map(_done, arguments.done)) or None,
    }
    return {name: value for name, value in wishes.items() if value is not None}


def _done(text: str) -> tuple[str, dict[str, Json]]:
    """Return a step of `--done`, and its outputs; raises Misuse."""
    step, equals, outputs = text.partition("=")
    try:
        found = read_json(outputs) if equals else {}
    except ValueError as error:
        raise Misuse(f"--done {text}: the outputs are no JSON: {error}") from None
    if not isinstance(found, dict):
        raise Misuse(f'--done {text}: write STEP, or STEP={{"name": value}}')
    return step, found
