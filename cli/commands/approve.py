"""`stepsmith approve`: answer a task, with yes unless another answer is said."""

from __future__ import annotations

import argparse

from cli.console import Console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    from cli.reach.decide import add_arguments

    add_arguments(parser)
    parser.add_argument(
        "--answer",
        default="approved",
        metavar="ANSWER",
        help="another answer that the task takes: retry, skip or fail of a paused step",
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Decide the task and say what it came to."""
    from cli.reach.decide import decide

    return decide(arguments.answer, arguments, console)
