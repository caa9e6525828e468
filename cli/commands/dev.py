"""`stepsmith dev`: API and console on this machine."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from cli.console import Console, Misuse

INTERVAL = 0.3
"""Seconds between two looks at the files."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        metavar="DIR",
        help="the project, or a folder of workflows (default: the project of this folder)",
    )
    parser.add_argument(
        "--port", type=int, metavar="N", help="where to serve (default: 8321, else the next free)"
    )
    parser.add_argument(
        "--as",
        dest="person",
        metavar="PERSON",
        help="who calls (default: git's user.email, else the first approver)",
    )
    parser.add_argument(
        "--fast",
        action="store_true",
        help="jump over times in which nothing runs; while people are asked, an hour a second",
    )
    parser.add_argument(
        "--schedules", action="store_true", help="start runs by the schedules of workflows"
    )
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="take up what is kept here, and keep it here"
    )
    parser.add_argument(
        "--source",
        type=Path,
        metavar="DIR",
        help="what the steps work on (default: the project's git tree, else its folder)",
    )
    parser.add_argument(
        "--stack",
        action="store_true",
        help="deploy the project to ministack, by the CDK, and serve that",
    )
    parser.add_argument("--stage", metavar="NAME", help="with --stack: the stage to deploy")
    parser.add_argument(
        "--once",
        nargs="?",
        const="",
        metavar="WORKFLOW",
        help="with --stack: run one workflow, say how long all took, and end",
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Serve until Ctrl-C."""
    return serve(arguments, console, lambda: time.sleep(INTERVAL))


def serve(arguments: argparse.Namespace, console: Console, wait: Callable[[], object]) -> int:
    """Serve until `wait` raises KeyboardInterrupt; raises Misuse for a wrong call."""
    from cli.dev.dev import Options, dev
    from cli.project.project import root_of

    _check(arguments)
    folder: Path = arguments.folder or root_of(Path.cwd()) or Path.cwd()
    for path in (folder, arguments.source):
        if path is not None and not path.is_dir():
            raise Misuse(f"'{path}' is not a folder")
    if arguments.person is not None and "@" not in arguments.person:
        raise Misuse(f"--as takes a mail address, not '{arguments.person}'")
    if arguments.stack:
        from cli.stack import stack
        from cli.stack.once import once

        return stack.stack(
            stack.Options(
                root=(root_of(folder) or folder).absolute(),
                stage=arguments.stage,
                port=arguments.port,
                person=arguments.person,
                once=arguments.once,
                keep=arguments.keep,
            ),
            console,
            wait,
            once,
        )
    options = Options(
        root=(root_of(folder) or folder).absolute(),
        port=arguments.port,
        person=arguments.person,
        pace="fast" if arguments.fast else "real",
        schedules=arguments.schedules,
        keep=arguments.keep,
        source=arguments.source,
    )
    return dev(options, console, wait)


def _check(arguments: argparse.Namespace) -> None:
    """Refuse options that say nothing with or without --stack; raises Misuse."""
    if arguments.stack:
        for name in ("fast", "schedules", "source"):
            if getattr(arguments, name):
                raise Misuse(f"--{name} is for stages of the local engine: leave --stack out")
        return
    for name in ("stage", "once"):
        if getattr(arguments, name) is not None:
            raise Misuse(f"--{name} is for what is deployed: write --stack as well")
