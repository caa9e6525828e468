"""What this machine has of what Stepsmith needs, and what to do about the rest."""

from __future__ import annotations

import re
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal, TypeAlias

from cli.console import Misuse
from cli.project.project import Project, Projects
from cli.project.settings import FILE
from cli.tools import Tools, numbers

State: TypeAlias = Literal["ok", "missing", "idle"]
"""`idle`: not there, and only what says so needs it."""

OLDEST_PYTHON, OLDEST_NODE = (3, 11), 20
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9._-]+)(?:\[[^]]*\])?\s*([^;]*)(;.*)?")
_BOUND = re.compile(r"\s*(==|>=)\s*([0-9][0-9.]*)")


@dataclass(frozen=True, slots=True)
class Check:
    """What became of a look at one thing: what was found, else why that will not do and a way on.

    `needed_for` is what cannot be done without it; empty where nothing can.
    """

    name: str
    state: State
    told: str
    todo: str = ""
    needed_for: str = ""


def _installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


@dataclass(frozen=True, slots=True)
class Machine:
    """Where the checks look; `free` says whether a port of this machine is."""

    root: Path | None
    tools: Tools
    environ: Mapping[str, str]
    python: tuple[int, ...] = sys.version_info[:3]
    free: Callable[[int], bool] = _is_free
    requirements: Callable[[], list[str]] = lambda: metadata.requires("stepsmith") or []
    installed: Callable[[str], str | None] = _installed


def checks(machine: Machine, *, for_deploy: bool = False) -> Iterator[Check]:
    """Yield what there is, one thing after the other; `for_deploy`: its tools are needed too."""
    yield _python(machine)
    yield _packages(machine)
    yield from _programs(machine)
    yield from _deploying(machine, needed=for_deploy)
    yield from _of_project(machine)
    yield _port(machine)


# --- programs and packages -----------------------------------------------------------------------


def _python(machine: Machine) -> Check:
    version = ".".join(map(str, machine.python))
    if machine.python >= OLDEST_PYTHON:
        return Check("Python", "ok", version)
    oldest = ".".join(map(str, OLDEST_PYTHON))
    return Check("Python", "missing", f"{version}, but {oldest} or later is needed", "install it")


def _packages(machine: Machine) -> Check:
    """Compare the packages with what this version asks for; `extra` ones are another check's."""
    wrong, count = [], 0
    for requirement in machine.requirements():
        found = _REQUIREMENT.fullmatch(requirement)
        if found is None or "extra" in (found[3] or ""):
            continue
        count += 1
        version = machine.installed(found[1])
        if version is None:
            wrong.append(f"{found[1]} is not there")
        elif not _is_within(version, found[2]):
            wrong.append(f"{found[1]} is {version}, but {found[2].strip(' ()')} is needed")
    if wrong:
        todo = "install Stepsmith into an environment of its own, or run `make setup` again"
        return Check("packages", "missing", "; ".join(wrong), todo)
    return Check("packages", "ok", f"{count}, in the versions that Stepsmith asks for")


def _is_within(version: str, bounds: str) -> bool:
    """Return whether a version keeps all bounds that are read here: `==` and `>=`."""
    return all(
        numbers(version) == numbers(bound) if sign == "==" else numbers(version) >= numbers(bound)
        for sign, bound in _BOUND.findall(bounds)
    )


def _programs(machine: Machine) -> Iterator[Check]:
    for name, what in (
        ("bash", "steps with `run`"),
        ("git", "the source that steps work on, `--event push`"),
    ):
        found = machine.tools.find(name)
        if found is None:
            yield Check(name, "missing", "it is not on the PATH", f"install {name}", what)
        else:
            yield Check(name, "ok", machine.tools.version(name) or str(found))


def _deploying(machine: Machine, *, needed: bool) -> Iterator[Check]:
    """Yield what only deployments need."""
    state: State = "missing" if needed else "idle"
    what = "cdk deploy, stepsmith dev --stack"
    node = machine.tools.version("node")
    if node is None or numbers(node)[0] < OLDEST_NODE:
        told = "it is not there" if node is None else f"it is {node}, but {OLDEST_NODE} is needed"
        yield Check("Node", state, told, f"install Node {OLDEST_NODE} or later", what)
    else:
        yield Check("Node", "ok", node)
    command = machine.tools.version("cdk") if node is not None else None
    if command is None:
        todo = "npm install aws-cdk, in the project or with --global"
        yield Check("CDK command", state, "it is not there", todo, what)
    else:
        yield Check("CDK command", "ok", command)
    library = machine.installed("aws-cdk-lib")
    if library is None:
        todo = "pip install 'stepsmith[deploy]'"
        yield Check("CDK library", state, "it is not installed", todo, what)
    else:
        yield Check("CDK library", "ok", library)


# --- the project ---------------------------------------------------------------------------------


def _of_project(machine: Machine) -> Iterator[Check]:
    if machine.root is None:
        todo = "`stepsmith init DIR` makes a project; a single file runs without one"
        yield Check(FILE, "idle", "there is none here or above", todo, "stages, `stepsmith dev`")
        return
    try:
        project = Projects().of(machine.root / FILE)
    except (Misuse, OSError) as error:
        yield Check(FILE, "missing", str(error).split("\n", 1)[0], "stepsmith validate")
        return
    wrong = [one for one in project.found if one.severity == "error"]
    if wrong:
        yield Check(FILE, "missing", wrong[0].message, "stepsmith validate tells where")
    else:
        names = ", ".join(project.settings.names())
        yield Check(FILE, "ok", f"in {machine.root}, with the stages {names}")
    yield from _workflows(machine, project)


def _workflows(machine: Machine, project: Project) -> Iterator[Check]:
    from cli.doctor.project import secrets_read
    from cli.project.actions import ActionFault

    try:
        found = secrets_read(project)
    except (ActionFault, Misuse) as error:
        yield Check("workflows", "missing", str(error).split("\n", 1)[0], "stepsmith validate")
        return
    if found.wrong:
        told = f"{len(found.wrong)} of {found.count} have mistakes: {', '.join(found.wrong)}"
        yield Check("workflows", "missing", told, "stepsmith validate")
    else:
        yield Check("workflows", "ok", f"{found.count}, without mistakes")
    yield from _secrets(machine, project, found.secrets)


def _secrets(
    machine: Machine, project: Project, read: Mapping[str, tuple[str, ...]]
) -> Iterator[Check]:
    from cli.here.secrets import FILE as SECRETS
    from cli.here.secrets import secrets_here

    here = secrets_here(project.root, machine.environ)
    for name, users in read.items():
        if here.get(name):
            yield Check(f"secret {name}", "ok", "it has a value here")
            continue
        todo = f"write {name}=... to {SECRETS}"
        if name.isidentifier():
            todo = f"export {name}=..., or {todo}"
        yield Check(f"secret {name}", "idle", "it has no value here", todo, ", ".join(users))


def _port(machine: Machine) -> Check:
    from cli.here.served import PORT, PORTS

    if machine.free(PORT):
        return Check(f"port {PORT}", "ok", "it is free")
    free = next((one for one in range(PORT + 1, PORT + PORTS) if machine.free(one)), None)
    if free is None:
        told = f"it is taken, and so are the {PORTS - 1} after it"
        return Check(f"port {PORT}", "missing", told, "name another with --port", "stepsmith dev")
    return Check(f"port {PORT}", "ok", f"it is taken; stepsmith dev takes {free}")
