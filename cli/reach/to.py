"""Which stage a command works on: a deployed one, one that is kept in a folder, or the one at work.

A process that serves a stage here (`stepsmith dev`, `stepsmith run --keep DIR`) is asked over
HTTP; what is kept in a folder without one is taken up in this process.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cli.console import Console, Misuse
from cli.here import addresses
from cli.reach.client import Reach

if TYPE_CHECKING:
    from cli.reach.kept import InProcess


def add_where(parser: argparse.ArgumentParser) -> None:
    """Describe the options that say which stage is meant, and who calls."""
    parser.add_argument("--on", metavar="STAGE", help="a deployed stage, or the address of its API")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="a folder that runs are kept in")
    parser.add_argument(
        "--as", dest="person", metavar="PERSON", help="who you are, where that is no login's matter"
    )


@contextmanager
def reach(
    arguments: argparse.Namespace, console: Console, *, at_work: bool = False
) -> Iterator[Reach]:
    """Give a way to the stage that a call names, else to `stepsmith dev`; raises Misuse.

    `at_work`: some process has to be there that goes on when the call is over.
    """
    kept_here = _kept_here(arguments)
    if kept_here is not None and at_work:
        raise Misuse(
            f"nothing is at work on what is kept in '{kept_here}'\n"
            f"`stepsmith dev --keep {kept_here}` takes it up"
        )
    if kept_here is not None:
        with in_process(arguments, console) as here:
            yield Reach(here, is_local=True)
        return
    yield _over_http(arguments, console)


@contextmanager
def in_process(arguments: argparse.Namespace, console: Console) -> Iterator[InProcess]:
    """Give a way to the stage kept in the folder that a call names, taken up in this process."""
    from cli.reach.kept import kept

    with kept(arguments.keep, arguments.person, console.environ) as here:
        yield here


def is_kept_here(arguments: argparse.Namespace) -> bool:
    """Whether a call is about a folder on which no process is at work; raises Misuse."""
    return _kept_here(arguments) is not None


def _kept_here(arguments: argparse.Namespace) -> Path | None:
    """Return the folder a call names, where no process works on it; raises Misuse."""
    folder: Path | None = arguments.keep
    if folder is not None and arguments.on is not None:
        raise Misuse("--on and --keep name two stages: leave one out")
    if arguments.on is not None and arguments.person is not None:
        raise Misuse("--as is for stages on this machine: with --on you are who has logged in")
    if arguments.person is not None and "@" not in arguments.person:
        raise Misuse(f"--as takes a mail address, not '{arguments.person}'")
    if folder is None or addresses.read(folder / addresses.KEPT) is not None:
        return None
    return folder


def _over_http(arguments: argparse.Namespace, console: Console) -> Reach:
    from cli.project.project import Projects, root_of
    from cli.project.settings import FILE, LOCAL
    from cli.reach.http import OverHttp, as_person

    root = root_of(Path.cwd()) or Path.cwd()
    if arguments.on not in (None, LOCAL):
        from cli.reach.deployed import deployed

        project = Projects().of(root / FILE)
        return Reach(deployed(arguments.on, project, console.environ))
    keep: Path | None = arguments.keep
    file = root / addresses.DEV if keep is None else keep / addresses.KEPT
    address = addresses.read(file)
    if address is None and keep is not None:
        raise Misuse(f"the process that was at work on '{keep}' has just ended: try again")
    if address is None:
        raise Misuse(
            "no stage is at work here: start `stepsmith dev`, or say which is meant\n"
            "--keep DIR   one that `stepsmith run --keep DIR` has kept\n"
            "--on STAGE   one that is deployed"
        )
    sign = as_person(arguments.person)
    return Reach(OverHttp(address.url, f"the stage at {address.url}", sign), is_local=True)
