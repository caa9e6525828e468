"""What a project's workflows read of secrets, and which of them have mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cli.plan.overview import secrets_of
from cli.project.project import Project, relative
from cli.project.targets import Target
from compiler.check.program import Trigger
from compiler.manifest.triggers import trigger


@dataclass(frozen=True, slots=True)
class Found:
    """How many workflows there are, the files with mistakes, and secrets with who reads them."""

    count: int
    wrong: tuple[str, ...]
    secrets: Mapping[str, tuple[str, ...]]


def secrets_read(project: Project) -> Found:
    """Compile the workflows of a project and return what was found."""
    wrong: list[str] = []
    users: dict[str, list[str]] = {}
    for path in project.files:
        name = relative(path, project.root)
        one = project.compile(path, Target(path, name).read(), name)
        if not one.ok or one.program is None:
            wrong.append(name)
            continue
        for secret in (*secrets_of(one.program), *_of_triggers(one.program.triggers)):
            users.setdefault(secret, []).append(one.program.id)
    secrets = {name: tuple(dict.fromkeys(by)) for name, by in sorted(users.items())}
    return Found(len(project.files), tuple(wrong), secrets)


def _of_triggers(triggers: Sequence[Trigger]) -> Iterator[str]:
    """Yield the names of the secrets that senders of webhooks know."""
    for one in triggers:
        secret = trigger(one)["settings"].get("secret")
        if isinstance(secret, str):
            yield secret
