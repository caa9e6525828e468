"""`stepsmith dev`: the API and the console of a project on this machine, for as long as wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cli.console import FINE, Console, Misuse
from cli.dev.talk import Talk
from cli.here import addresses
from cli.here.kept_folder import held
from cli.here.people import caller, directory_of, people_of
from cli.here.saving import Saving
from cli.here.secrets import secrets_here
from cli.here.served import PORT, PORTS, console_folder
from cli.here.workflows import Workflows
from cli.project.project import Projects
from cli.project.settings import FILE

if TYPE_CHECKING:
    from local.clock import Clock
    from local.server.server import Server
    from local.stage.stage import Stage
    from local.stage.time import Pace


@dataclass(frozen=True, slots=True)
class Options:
    """What a call of `dev` says."""

    root: Path
    port: int | None = None
    person: str | None = None
    pace: Pace = "real"
    schedules: bool = False
    keep: Path | None = None
    source: Path | None = None


def dev(options: Options, console: Console, wait: Callable[[], object]) -> int:
    """Serve until `wait`, which lets time pass between two looks at the files, is interrupted.

    Raises Misuse where it cannot be served.
    """
    from local.server.server import PortTaken, Server

    kept = nullcontext() if options.keep is None else held(options.keep)
    try:
        port, tries = (PORT, PORTS) if options.port is None else (options.port, 1)
        with kept, Server(port, tries) as server:
            return _serve(options, console, wait, server)
    except PortTaken as taken:
        raise Misuse(f"port {taken} is taken; name another with --port") from None


def _serve(options: Options, console: Console, wait: Callable[[], object], server: Server) -> int:
    from local.people import People
    from local.server.server import Site
    from local.source import tree_of
    from local.stage.setting import Setting
    from local.stage.stage import Stage

    root = options.root
    project = Projects().of(root / FILE)
    directory = directory_of(project)
    talk = Talk(console, fast=options.pace == "fast")
    person = options.person or caller(root, directory)
    setting = Setting(
        api=server.url,
        people=People(directory, tell=talk.news),
        secrets=secrets_here(root, console.environ),
        source=options.source or tree_of(root / FILE),
        keep=options.keep,
        mail=talk.mail,
        fault=talk.fault,
        refused=talk.refused,
        unheard=talk.unheard,
        pace=options.pace,
        schedules=options.schedules,
    )
    workflows = Workflows(root, colour=console.colours(console.stderr))
    with Stage(setting, _clock(options.keep)) as stage:
        talk.follow(stage)
        read = workflows.read()
        talk.mistakes(read.mistakes)
        stage.lay(read.laid(), read.actions)
        server.serve(Site(stage.answer, console_folder(), person, people_of(directory), talk.fault))
        try:
            with _announced(server.url, options) as other:
                talk.up(server.url, person, read, setting)
                if other is not None:
                    talk.not_alone(other)
                stage.warm()
                _loop(stage, workflows, talk, wait, str(root))
        finally:
            talk.end()
            stage.stop_runs()
            stage.save(_told(str(root)))
    return FINE


@contextmanager
def _announced(url: str, options: Options) -> Iterator[addresses.Address | None]:
    """Let commands find this process: by the project, and by the folder in which all is kept.

    Gives the process that serves the project already, where there is one: commands find that one.
    """
    file = options.root / addresses.DEV
    other = addresses.read(file)
    places = [] if other else [file]
    if options.keep is not None:
        places.append(options.keep / addresses.KEPT)
    try:
        for place in places:
            addresses.write(place, url)
    except OSError as error:
        raise Misuse(f"'{error.filename}' cannot be written: {error.strerror}") from None
    try:
        yield other
    finally:
        for place in places:
            addresses.remove(place)


def _clock(keep: Path | None) -> Clock:
    from local.stage.state import StateError, clock_of

    try:
        return clock_of(keep)
    except StateError as error:
        raise Misuse(str(error)) from None


def _loop(
    stage: Stage, workflows: Workflows, talk: Talk, wait: Callable[[], object], root: str
) -> None:
    saving = Saving(stage, _told(root))
    try:
        while True:
            wait()
            read = workflows.changed()
            if read is not None:
                stage.lay(read.laid(), read.actions)
                talk.mistakes(read.mistakes)
                talk.read_again(read)
            saving.look()
    except KeyboardInterrupt:
        return


def _told(root: str) -> dict[str, str]:
    """Return what a kept stage is told by: where its project is."""
    return {"project": root}
