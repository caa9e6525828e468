"""The API of a stage that is kept in a folder and taken up in this process, for one command."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cli.console import Misuse
from cli.here.kept_folder import held
from cli.reach.client import Asked, Reply

if TYPE_CHECKING:
    from cli.here.workflows import Read
    from cli.project.project import Project
    from local.people import People
    from local.stage.stage import Stage


@dataclass(frozen=True, slots=True)
class InProcess:
    """`cli.reach.client.Transport` to a stage of this process; `person` is who calls."""

    stage: Stage
    place: str
    person: str | None

    def as_person(self, person: str) -> InProcess:
        """Return the same way for somebody else."""
        return InProcess(self.stage, self.place, person)

    def send(self, asked: Asked) -> Reply:
        """Return what the stage answers."""
        from local.server.events import Request, answer_of, event_of

        headers = {name.lower(): value for name, value in asked.headers.items()}
        request = Request(asked.method, asked.target, {"host": "localhost", **headers}, asked.body)
        answer = answer_of(self.stage.answer(event_of(request, self.person)))
        named = {name.lower(): value for name, value in answer.headers}
        return Reply(answer.status, named, answer.body)


@contextmanager
def kept(
    folder: Path, person: str | None, environ: Mapping[str, str], people: People | None = None
) -> Iterator[InProcess]:
    """Take up the stage that is kept in a folder; raises Misuse where none is.

    What runs are resumed with are the workflows as they are now; where one has mistakes, it is
    not there.
    """
    from cli.here.people import caller, directory_of
    from cli.here.secrets import secrets_here
    from cli.project.project import Projects
    from cli.project.settings import FILE
    from local.people import People
    from local.source import tree_of
    from local.stage import state
    from local.stage.setting import Setting
    from local.stage.stage import Stage

    try:
        told = state.about(folder)
    except state.StateError as error:
        raise Misuse(f"{error}: `stepsmith run FILE --keep {folder}` keeps them there") from None
    root = Path(told.get("project", "."))
    project = Projects().of(root / FILE)
    directory = directory_of(project)
    setting = Setting(
        people=People(directory) if people is None else people,
        secrets=secrets_here(root, environ),
        source=Path(told["source"]) if "source" in told else tree_of(root / FILE),
        keep=folder,
    )
    with held(folder), Stage(setting, state.clock_of(folder)) as stage:
        read = kept_workflows(told, project)
        stage.lay(read.laid(), read.actions)
        try:
            yield InProcess(stage, f"what is kept in '{folder}'", person or caller(root, directory))
        finally:
            stage.save(told)


def kept_workflows(told: Mapping[str, str], project: Project) -> Read:
    """Return the workflows of the project, and of the file that was run."""
    from cli.here.workflows import read_workflows

    files = {path.resolve(): path for path in project.files}
    if "file" in told:
        own = Path(told["file"])
        files.setdefault(own.resolve(), own)
    return read_workflows(project, [*files.values()])
