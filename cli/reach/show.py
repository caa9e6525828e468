"""What commands on a stage have in common: how they print, and what a word of a call means."""

from __future__ import annotations

import argparse
import json
import re
from typing import Any

from cli.console import Console, Misuse
from cli.reach.client import Reach, Refused, at

_ID = re.compile(r"[0-9a-f]{32}")
"""How tasks and events are known."""
_MOST = 5
_NEWEST = 500


def add_format(parser: argparse.ArgumentParser) -> None:
    """Describe the option that says how to print."""
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="how to print (default: text)"
    )


def add_limit(parser: argparse.ArgumentParser, default: int = 20) -> None:
    """Describe the option that says how many items of a list are wanted."""
    parser.add_argument(
        "--limit", type=_positive, default=default, metavar="N", help=f"at most N ({default})"
    )


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"write a number from 1 on, not '{text}'")
    return int(text)


def print_json(console: Console, value: Any) -> None:
    """Print what a program reads."""
    console.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def run_named(text: str, api: Reach) -> Any:
    """Return the record of a run, by its id or what only its id begins with. Raises Misuse."""
    try:
        return api.get(at("runs", text))
    except Refused as refused:
        if refused.status != 404:
            raise
    found = [*api.pages(at("runs"), _MOST, q=text)]
    if len(found) == 1:
        return api.get(at("runs", str(found[0]["run_id"])))
    if not found:
        raise Misuse(f"there is no run '{text}' at {api.place}\n`stepsmith runs` lists them")
    listed = "".join(f"\n  {one['run_id']}" for one in found)
    raise Misuse(f"several runs begin with '{text}':{listed}")


def event_named(text: str, api: Reach) -> str:
    """Return the id of an event, by it, by the id it was sent with, or by how these begin.

    Only the newest events are looked through for a beginning. Raises Misuse.
    """
    if _ID.fullmatch(text):
        return text
    ids = ("event_id", "source_id")
    newest = api.pages(at("events"), _NEWEST)
    found = [one for one in newest if any(str(one[name]).startswith(text) for name in ids)]
    if len(found) == 1:
        return str(found[0]["event_id"])
    if not found:
        raise Misuse(f"there is no event '{text}' at {api.place}\n`stepsmith events` lists them")
    listed = "".join(f"\n  {one['event_id']}" for one in found[:_MOST])
    raise Misuse(f"several events begin with '{text}':{listed}")


def task_named(text: str, api: Reach, run: str | None = None) -> Any:
    """Return a task, by its id or, of the open ones, by its step's. Raises Misuse."""
    if _ID.fullmatch(text):
        try:
            return api.get(at("tasks", text))
        except Refused as refused:
            if refused.status != 404:
                raise
            raise Misuse(f"there is no task '{text}' at {api.place}") from None
    every = [*api.pages(at("tasks"), status="open", run=run)]
    step = text.replace("-", "_")
    found = [one for one in every if str(one["step_id"]).replace("-", "_") == step]
    if len(found) == 1:
        return api.get(at("tasks", str(found[0]["task_id"])))
    if not found:
        waiting = ", ".join(dict.fromkeys(f"'{one['step_id']}'" for one in every[:_MOST]))
        nothing = "nothing waits for anybody" + (f" in the run {run}" if run else "")
        hint = f"what waits: {waiting}" if every else nothing
        raise Misuse(f"no task of a step '{text}' is open at {api.place}\n{hint}")
    listed = "".join(f"\n  {one['task_id']}  of run {one['run_id']}" for one in found)
    raise Misuse(f"several tasks of '{text}' are open: name one of them{listed}")
