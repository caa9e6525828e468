"""`stepsmith enable`: let a disabled workflow start again, with the events that waited."""

from __future__ import annotations

import argparse

from cli.console import Console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    from cli.reach.switch import add_arguments

    add_arguments(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Switch the workflow and say what that means."""
    from cli.reach.switch import switch

    return switch(
        "enable", "is enabled: events start it, those that waited first", arguments, console
    )
