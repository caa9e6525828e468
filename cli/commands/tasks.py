"""`stepsmith tasks`: what waits for people."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from cli.console import FINE, Console, Misuse

if TYPE_CHECKING:
    from cli.reach.client import Reach

_CALLS = """\
stepsmith tasks
stepsmith tasks show TASK
stepsmith tasks link TASK --for PERSON"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    from cli.reach.show import add_format, add_limit
    from cli.reach.to import add_where

    parser.add_argument(
        "words",
        nargs="*",
        metavar="show|link TASK",
        help="show a task with its history, or make a link to it; TASK is its id, or its step's",
    )
    parser.add_argument("--for", dest="holder", metavar="PERSON", help="whose link it is")
    parser.add_argument("--mine", action="store_true", help="only those that you are asked")
    parser.add_argument("--overdue", action="store_true", help="only those due before now")
    parser.add_argument("--workflow", metavar="ID", help="only those of this workflow")
    parser.add_argument("--run", metavar="RUN", help="only those of this run")
    parser.add_argument(
        "--status", choices=("open", "closed", "all"), default="open", help="(default: open)"
    )
    add_limit(parser, 50)
    add_where(parser)
    add_format(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print a list of tasks, a task, or a link."""
    from cli.reach.to import reach

    words = arguments.words
    if words and (len(words) != 2 or words[0] not in ("show", "link")):
        raise Misuse(f"write one of\n{_CALLS}")
    if (words[:1] == ["link"]) != (arguments.holder is not None):
        raise Misuse(f"a link is for somebody: --for PERSON\n{_CALLS}")
    with reach(arguments, console) as api:
        if not words:
            return _list(arguments, console, api)
        if words[0] == "show":
            return _show(words[1], arguments, console, api)
        return _link(words[1], arguments, console, api)


def _list(arguments: argparse.Namespace, console: Console, api: Reach) -> int:
    from cli.output.columns import columns
    from cli.reach.client import at
    from cli.reach.show import print_json

    sought = {
        name: getattr(arguments, name) for name in ("mine", "overdue", "workflow", "run", "status")
    }
    found = [*api.pages(at("tasks"), arguments.limit, **sought)]
    if arguments.format == "json":
        print_json(console, {"items": found})
    elif found:
        head = ("TASK", "STEP", "STATUS", "DUE", "RUN", "ASKED", "TITLE")
        colour = console.colours(console.stdout)
        console.stdout.write(columns(head, map(_row, found), colour=colour))
    else:
        console.stderr.write("no tasks\n")
    return FINE


def _row(one: Any) -> list[str]:
    from cli.output.columns import when

    due = when(one["due_at"] or one["expires_at"])
    return [
        one["task_id"],
        one["step_id"],
        "overdue" if one["overdue"] else one["status"],
        due,
        one["run_id"],
        ", ".join(one["assignees"]),
        one["title"],
    ]


def _show(word: str, arguments: argparse.Namespace, console: Console, api: Reach) -> int:
    from cli.output.task import task_text
    from cli.reach.show import print_json, task_named

    task = task_named(word, api, arguments.run)
    if arguments.format == "json":
        print_json(console, task)
    else:
        console.stdout.write(task_text(task, colour=console.colours(console.stdout)))
    return FINE


def _link(word: str, arguments: argparse.Namespace, console: Console, api: Reach) -> int:
    from cli.output.columns import when
    from cli.reach.client import at
    from cli.reach.show import print_json, task_named

    task = task_named(word, api, arguments.run)
    made, _ = api.post(at("tasks", task["task_id"], "link"), {"for": arguments.holder})
    if arguments.format == "json":
        print_json(console, made)
        return FINE
    console.stdout.write(f"{made['url']}\n")
    console.stderr.write(
        f"for {arguments.holder}, until {when(made['expires_at'])}; earlier links are void\n"
    )
    return FINE
