"""`stepsmith reject`: say no to a task."""

from __future__ import annotations

import argparse

from cli.console import Console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    from cli.reach.decide import add_arguments

    add_arguments(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Decide the task and say what it came to."""
    from cli.reach.decide import decide

    return decide("rejected", arguments, console)
