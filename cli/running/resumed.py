"""`stepsmith resume RUN --keep DIR`: the kept stage, at work until the run is over."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cli.console import Console, Misuse
from cli.here.at_work import Kept, Waiting, at_work
from cli.here.people import caller, directory_of, people_of
from cli.here.secrets import secrets_here
from cli.project.settings import FILE
from cli.reach.client import Reach
from cli.reach.kept import InProcess, kept_workflows

if TYPE_CHECKING:
    from local.stage.setting import Setting


@contextmanager
def resuming(arguments: argparse.Namespace, console: Console) -> Iterator[Reach]:
    """Give a way to the stage kept in a folder, with its workflows as they are now."""
    from cli.output.progress import Progress, Style
    from cli.project.project import Projects
    from local.people import People
    from local.source import tree_of
    from local.stage import state
    from local.stage.setting import Setting

    folder: Path = arguments.keep
    try:
        told = state.about(folder)
    except state.StateError as error:
        raise Misuse(str(error)) from None
    root = Path(told["project"])
    project = Projects().of(root / FILE)
    read = kept_workflows(told, project)
    if read.mistakes:
        console.stderr.write(read.mistakes)
    directory = directory_of(project)
    progress = Progress({}, console.stderr, Style(console.colours(console.stderr)))
    waiting = Waiting(folder, console.stderr, progress.tell)

    def setting(url: str) -> Setting:
        return Setting(
            api=url,
            people=People(directory, ask=waiting.ask, tell=progress.tell),
            secrets=secrets_here(root, console.environ),
            actions=read.actions,
            source=Path(told["source"]) if "source" in told else tree_of(root / FILE),
            mail=waiting.mail,
            fault=waiting.fault,
        )

    person = arguments.person or caller(root, directory)
    kept = Kept(folder, told, person, people_of(directory))
    with at_work(kept, setting, waiting) as stage:
        stage.lay(read.laid())
        yield Reach(InProcess(stage, f"what is kept in '{folder}'", person), is_local=True)
