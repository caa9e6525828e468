"""`stepsmith events`: what became of events; publish one, or start the run of one again."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from cli.console import FINE, Console, Misuse

if TYPE_CHECKING:
    from cli.reach.client import Reach

_CALLS = """\
stepsmith events
stepsmith events show EVENT
stepsmith events send FILE|-
stepsmith events replay EVENT"""
_SHAPE = 'an event is an object: {"event": "user.signup", "payload": {...}}'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    from cli.reach.show import add_format, add_limit
    from cli.reach.to import add_where

    parser.add_argument(
        "words",
        nargs="*",
        metavar="show|send|replay EVENT|FILE",
        help="show an event with what was sent, publish one from a JSON or YAML file (- for "
        "standard input), or start the run of one again; EVENT is its id, the id it was sent with, "
        "or what one begins with",
    )
    parser.add_argument("--outcome", metavar="NAME", help="such as started, rejected or failed")
    parser.add_argument("--workflow", metavar="ID", help="only those for this workflow")
    parser.add_argument(
        "--duplicates", action="store_true", help="only those that came more than once"
    )
    parser.add_argument("--dead", action="store_true", help="only those that were given up")
    add_limit(parser)
    add_where(parser)
    add_format(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print a list or an event, or say what was started."""
    from cli.reach.show import event_named
    from cli.reach.to import reach

    words = arguments.words
    if words and (len(words) != 2 or words[0] not in ("show", "send", "replay")):
        raise Misuse(f"write one of\n{_CALLS}")
    event = _read(words[1], console) if words[:1] == ["send"] else None
    with reach(arguments, console, at_work=words[:1] in (["send"], ["replay"])) as api:
        if not words:
            return _list(arguments, console, api)
        if event is not None:
            return _send(event, arguments, console, api)
        known = event_named(words[1], api)
        act = _show if words[0] == "show" else _replay
        return act(known, arguments, console, api)


def _list(arguments: argparse.Namespace, console: Console, api: Reach) -> int:
    from cli.output.columns import columns
    from cli.reach.client import at
    from cli.reach.show import print_json

    sought = {
        name: getattr(arguments, name) for name in ("outcome", "workflow", "duplicates", "dead")
    }
    found = [*api.pages(at("events"), arguments.limit, **sought)]
    if arguments.format == "json":
        print_json(console, {"items": found})
    elif found:
        head = ("EVENT", "OUTCOME", "RECEIVED", "TIMES", "TRIGGER", "RUN", "WHY")
        colour = console.colours(console.stdout)
        console.stdout.write(columns(head, map(_row, found), colour=colour))
    else:
        console.stderr.write("no events\n")
    return FINE


def _row(one: Any) -> list[str]:
    from cli.output.columns import when

    trigger = ".".join(part for part in (one["workflow_id"], one["trigger"]) if part)
    return [
        one["event_id"],
        one["outcome"],
        when(one["received_at"]),
        str(one["deliveries"]),
        trigger,
        one["run_id"] or "",
        _why(one),
    ]


def _why(one: Any) -> str:
    problems = [f"{p['pointer']}: {p['detail']}".lstrip(": ") for p in one["problems"]]
    return "; ".join(problems) or one["error"] or ""


def _show(word: str, arguments: argparse.Namespace, console: Console, api: Reach) -> int:
    from cli.output.columns import fields, when
    from cli.output.units import plural
    from cli.reach.client import at
    from cli.reach.show import print_json

    one = api.get(at("events", word))
    if arguments.format == "json":
        print_json(console, one)
        return FINE
    pairs = (
        ("event", one["event_id"]),
        ("outcome", one["outcome"]),
        ("trigger", ".".join(p for p in (one["workflow_id"], one["trigger"]) if p)),
        ("received", f"{when(one['received_at'])}, {plural(one['deliveries'], 'time')}"),
        ("identity", one["source_id"]),
        ("run", one["run_id"] or ""),
        ("repeats", one["replay_of"] or ""),
        ("why", _why(one)),
        ("from", one["source"]),
        ("sent", json.dumps(one["event"], ensure_ascii=False, indent=2)),
    )
    console.stdout.write(fields(pairs, colour=console.colours(console.stdout)))
    return FINE


def _read(word: str, console: Console) -> dict[str, Any]:
    """Return the event in a file; raises Misuse."""
    from pathlib import Path

    from cli.values import ValuesProblem, values_in, values_of

    name = word if word != "-" else "<stdin>"
    try:
        found = values_of(console.read_stdin(), name) if word == "-" else values_in(Path(word))
    except ValuesProblem as problem:
        raise Misuse(str(problem)) from None
    if not isinstance(found, dict) or not isinstance(found.get("event"), str):
        lacking = isinstance(found, dict) and "event" not in found
        raise Misuse(f"{name}: {'`event` is missing: ' if lacking else ''}{_SHAPE}")
    return found


def _send(
    event: dict[str, Any], arguments: argparse.Namespace, console: Console, api: Reach
) -> int:
    from cli.output.units import meant
    from cli.reach.client import at
    from cli.reach.show import print_json

    sent, _ = api.post(at("events"), event)
    if arguments.format == "json":
        print_json(console, sent)
    else:
        console.stdout.write(f"{event['event']} is on the bus, as {sent['event_id']}\n")
        if not sent.get("heard", True):  # a stage of an older version does not say
            console.stderr.write(
                f"no workflow listens to '{event['event']}'{meant(sent['near'])}\n"
            )
    return FINE


def _replay(word: str, arguments: argparse.Namespace, console: Console, api: Reach) -> int:
    from cli.reach.client import at
    from cli.reach.show import print_json

    done, _ = api.post(at("events", word, "replay"))
    if arguments.format == "json":
        print_json(console, done)
    else:
        console.stdout.write(f"{done['event_id']}: {done['outcome']}, run {done['run_id']}\n")
    return FINE
