"""`stepsmith logs`: what a run's steps said."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from cli.console import FINE, Console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    from cli.reach.show import add_format
    from cli.reach.to import add_where

    parser.add_argument("run", metavar="RUN", help="a run's id, or what it begins with")
    parser.add_argument("--step", metavar="STEP", help="only what this step said")
    add_where(parser)
    add_format(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the lines, the oldest first."""
    from cli.reach.client import at
    from cli.reach.show import print_json, run_named
    from cli.reach.to import reach

    with reach(arguments, console) as api:
        record = run_named(arguments.run, api)
        run_id = str(record["run_id"])
        found = [*api.pages(at("runs", run_id, "logs"), step=arguments.step)]
        if arguments.step and not found:
            _look_for(arguments.step, record)
    if arguments.format == "json":
        print_json(console, {"items": found})
        return FINE
    width = max((len(_place(one)) for one in found), default=0)
    for one in found:
        for line in _lines(one, width):
            console.stdout.write(f"{line}\n")
    if not found:
        console.stderr.write("it has said nothing\n")
    return FINE


def _look_for(step: str, record: Any) -> None:
    """Raise Misuse for a step that the run does not have.

    What calls have inside, and how undos are called, the record does not say.
    """
    from cli.console import Misuse

    closing = record.get("closing") or {}
    ids = [str(one["step_id"]) for one in (*record["steps"], *closing.get("handlers", ()))]
    known = {one.replace("-", "_") for one in ids}
    if closing.get("undone") or {".", "/"} & {*step} or step.replace("-", "_") in known:
        return
    raise Misuse(f"the run has no step '{step}'; its steps are {', '.join(ids)}")


def _place(one: Any) -> str:
    items = "".join(f"[{index}]" for index in one.get("items") or ())
    attempt = f"#{one['attempt']}" if one.get("attempt", 1) > 1 else ""
    return f"{one['step']}{items}{attempt}"


def _lines(one: Any, width: int) -> Iterator[str]:
    from cli.output.columns import when
    from cli.output.paint import shown

    for text in str(one["text"]).splitlines() or [""]:
        mark = "!" if one["level"] == "error" else " "
        yield f"{when(one['at'])} {mark} {_place(one):<{width}}  {shown(text)}".rstrip()
