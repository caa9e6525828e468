"""`stepsmith dev --stack`: the project's own app, deployed to ministack on this machine."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cli.console import FINE, Console, Misuse
from cli.here import addresses
from cli.here.people import caller, directory_of, people_of
from cli.project.project import Project
from cli.stack.deploy import NO_CDK, Deployer, NotDeployed, clear
from cli.stack.up import Started, Talk, Up, timings
from cli.tools import Tools

if TYPE_CHECKING:
    from local.server.server import Server

FOLDER = Path(".stepsmith", "stack")
"""In the project: logs, templates and code of a stage on ministack, while it is there."""
_REGION = "us-east-1"
"""Of a stage that names none."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a call of `dev --stack` says.

    `once` is a workflow's id, or empty for one that is chosen; None: serve until it is interrupted.
    """

    root: Path
    stage: str | None = None
    port: int | None = None
    person: str | None = None
    once: str | None = None
    keep: Path | None = None


def stack(
    options: Options,
    console: Console,
    wait: Callable[[], object],
    once: Callable[[str, Up, Console], int],
) -> int:
    """Deploy, serve until `wait` is interrupted, and deploy again when a file has changed.

    Where the options say so, `once` has one workflow run instead. Raises Misuse where something
    is missing, or the first deployment fails.
    """
    with served(options, console) as up:
        if options.once is not None:
            return once(options.once, up, console)
        _tell(up)
        _loop(options, wait, up)
    return FINE


@contextmanager
def served(options: Options, console: Console) -> Iterator[Up]:
    """Give a stage that is deployed and served, for as long as the context is open.

    Raises Misuse where something is missing, or the deployment fails.
    """
    from cli.deployment import project_in
    from cli.here.served import PORT, PORTS
    from local.ministack.server import StackFault
    from local.server.server import PortTaken, Server

    project = project_in(options.root, options.stage)
    port, tries = (PORT, PORTS) if options.port is None else (options.port, 1)
    try:
        with Server(port, tries) as server, _started(options, project, console) as started:
            yield from _deployed(options, console, server, started)
    except PortTaken as taken:
        raise Misuse(f"port {taken} is taken; name another with --port") from None
    except StackFault as fault:
        raise Misuse(str(fault)) from None


@contextmanager
def _started(options: Options, project: Project, console: Console) -> Iterator[Started]:
    from local.ministack import server

    talk = Talk(console)
    folder = (options.keep or options.root / FOLDER).absolute()
    tools = Tools(options.root, console.environ)
    if tools.find("cdk") is None:
        raise Misuse(NO_CDK)
    place = server.usual_folder()
    if not server.is_made(place):
        talk(f"installing ministack in {place}, once")
    python = server.environment(place)
    clear(folder)
    region = _region(project)
    began = time.monotonic()
    try:
        with server.start(python, folder / "ministack") as ministack:
            where = {"AWS_REGION": region, "AWS_DEFAULT_REGION": region}
            variables = {**ministack.variables(), **where}
            deployer = Deployer(project, folder, server.ACCOUNT, region, variables, tools)
            deployer.took["started"] = time.monotonic() - began
            yield Started(project, ministack, deployer, talk)
    finally:
        if options.keep is None:
            shutil.rmtree(folder, ignore_errors=True)


def _deployed(options: Options, console: Console, server: Server, started: Started) -> Iterator[Up]:
    from cli.stack.people import way
    from local.server.server import Site

    talk, project, ministack = started.talk, started.project, started.ministack
    _put_secrets(started, console)
    talk(f"deploying the stage '{project.stage}' to ministack at {ministack.url}")
    outputs = started.deployer.begin()
    found = way(project.stage, outputs, ministack.port, started.client("cognito-idp"))
    directory = directory_of(project)
    person = options.person or caller(options.root, directory)
    people = people_of(directory)
    server.serve(Site(None, person=person, people=people, forward=found.forward))
    file = options.root / addresses.DEV
    is_first = addresses.read(file) is None
    if is_first:
        addresses.write(file, server.url)
    try:
        yield Up(project, ministack, started.deployer, talk, found, server.url, person)
    finally:
        if is_first:
            addresses.remove(file)
        talk("ending the stage")


def _tell(up: Up) -> None:
    talk, url = up.talk, up.url
    talk(f"{talk.style(url, 'strong')}  the pages; the API is below {url}/api")
    talk(f"  you are {up.person}; be somebody else: {url}/dev/login")
    talk(f"  webhooks come in at {url}/api/webhooks/TRIGGER, and need no login")
    talk(f"  API Gateway has it at http://{up.way.host}, where a token is asked for")
    talk(f"  AWS is at {up.ministack.url}: export AWS_ENDPOINT_URL={up.ministack.url}")
    talk(f"  {timings(up.deployer.took)}; a change of a file is deployed; Ctrl-C ends it")


def _loop(options: Options, wait: Callable[[], object], up: Up) -> None:
    from cli.project.watched import state_of

    def look() -> Mapping[Path, tuple[int, int]]:
        words = [options.root / name for name in ("stepsmith.yaml", "workflows", "actions")]
        return state_of([str(one) for one in words if one.exists()])

    seen = look()
    try:
        while True:
            wait()
            now = look()
            if now == seen:
                continue
            seen = now
            up.talk("↻ deploying what has changed")
            try:
                up.deployer.again()
            except NotDeployed as failed:
                up.talk.wrong(str(failed))
            else:
                up.talk(f"  {timings(up.deployer.took)}")
    except KeyboardInterrupt:
        return


def _region(project: Project) -> str:
    stage = (project.settings.stages or {}).get(project.stage)
    return (stage.region if stage is not None else None) or _REGION


def _put_secrets(up: Started, console: Console) -> None:
    """Put the secrets that workflows read, and that have a value here, where functions look."""
    from cli.doctor.project import secrets_read
    from cli.here.secrets import secrets_here

    here = secrets_here(up.project.root, console.environ)
    manager = up.client("secretsmanager")
    for name in secrets_read(up.project).secrets:
        if here.get(name):
            full = f"stepsmith/{up.project.stage}/{name}"
            manager.create_secret(Name=full, SecretString=here[name])
        else:
            up.talk.wrong(f"the secret '{name}' has no value here, so the stage has none either")
