"""`stepsmith run`, as the command's table calls it."""

from __future__ import annotations

import argparse
from contextlib import redirect_stderr, redirect_stdout

from cli.console import Console
from cli.running import run as local_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    local_run.add_arguments(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run a workflow on this machine and return the exit code."""
    arguments.colour = console.colour
    arguments.environ = console.environ
    with redirect_stdout(console.stdout), redirect_stderr(console.stderr):
        return local_run.run(arguments)
