"""`stepsmith compile`: the state machine of a workflow."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from cli.console import FINE, WRONG, Console, Misuse

if TYPE_CHECKING:
    from compiler.asl import StateMachine

MAIN, CLOSE = "main", "close"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    parser.add_argument("file", metavar="FILE", help="the workflow's file, - for standard input")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write each machine to a file here")
    parser.add_argument("--stage", metavar="NAME", help="the stage to compile for (default: local)")
    parser.add_argument(
        "--machine",
        choices=(MAIN, CLOSE),
        default=MAIN,
        help="which machine to print: the workflow's own, or the one that runs after a failure",
    )
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--pretty", action="store_true", help="indented (the default)")
    shape.add_argument("--compact", action="store_true", help="without blanks, as it is deployed")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the machine, or write all of them; mistakes go to standard error."""
    from cli.commands.reporting import compiled

    found = compiled([arguments.file], arguments.stage, console)
    if found is None:
        return WRONG
    machines = found[0].machines
    if arguments.out is not None:
        return _write(machines, arguments, console)
    part = CLOSE if arguments.machine == CLOSE else ""
    wanted = [machine for machine in machines if machine.part == part]
    if not wanted:
        raise Misuse("this workflow has no close machine: it has no `on_failure` or `compensate`")
    console.stdout.write(_text(wanted[0], compact=arguments.compact))
    return FINE


def _text(machine: StateMachine, *, compact: bool) -> str:
    text = machine.to_json() if compact else machine.pretty()
    return text if text.endswith("\n") else text + "\n"


def _write(
    machines: tuple[StateMachine, ...], arguments: argparse.Namespace, console: Console
) -> int:
    folder: Path = arguments.out
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for machine in machines:
            path = folder / f"{machine.id}.asl.json"
            path.write_text(_text(machine, compact=arguments.compact), encoding="utf-8")
            console.stderr.write(f"{path}\n")
    except OSError as error:
        raise Misuse(f"cannot write to '{folder}': {error.strerror}") from None
    return FINE
