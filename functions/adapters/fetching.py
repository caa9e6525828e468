"""A run's source, fetched: a clone where the program `git` is, else an archive of GitHub's."""

from __future__ import annotations

import contextlib
import shutil
import tarfile
import tempfile
from dataclasses import dataclass, field, replace
from typing import IO, TYPE_CHECKING

from functions.adapters.github import GitHubArchives
from functions.adapters.repositories import GitRepositories, empty
from functions.domain.errors import NetworkError, ValidationError
from functions.domain.source import repository_of

if TYPE_CHECKING:
    from pathlib import Path

    from functions.domain.source import Wanted


@dataclass(frozen=True, slots=True)
class Fetched:
    """What was put into a folder: a commit, as a clone or as its files alone."""

    commit: str
    is_clone: bool


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Fetches sources; `git` is the path of the program, None where it is not there."""

    git: str | None = field(default_factory=lambda: shutil.which("git"))
    repositories: GitRepositories = field(default_factory=GitRepositories)
    archives: GitHubArchives = field(default_factory=GitHubArchives)

    def fetch(self, wanted: Wanted, folder: Path, commit: str | None = None) -> Fetched:
        """Put a source into a folder: at the commit where one is settled, else at its ref.

        Raises ValidationError for what is not there or may not be seen, and for a repository that
        cannot be fetched without `git`; an error of a category where nobody answers.
        """
        repository = repository_of(wanted.repository)
        if commit is not None:
            wanted = replace(wanted, ref=commit)
        empty(folder)
        if self.git is not None:
            return Fetched(self.repositories.clone(repository, wanted, folder), is_clone=True)
        if not repository.is_on_github:
            raise ValidationError(
                f"the source {repository.address} is no repository of GitHub, and a step on "
                "Lambda has no git to clone it: say `runner: codebuild` for the first step that "
                "reads files (those after it find them too), or leave it to an action of your own"
            )
        with tempfile.TemporaryFile() as file:
            found = self.archives.fetch(repository, wanted, file)
            file.seek(0)
            try:
                unpack(file, folder, below_top=True)
            except (tarfile.TarError, EOFError) as error:
                raise NetworkError(f"the archive of {repository.name} is damaged") from error
        return Fetched(found, is_clone=False)


def unpack(archive: IO[bytes], folder: Path, *, below_top: bool = False) -> None:
    """Unpack an archive, but for what leads out of the folder: such links are left out.

    With `below_top` without the folder that all of it lies in (`org-app-1a2b3c4/`).
    """
    with tarfile.open(fileobj=archive) as tar:
        for member in tar:
            name = member.name.partition("/")[2] if below_top else member.name
            if name:
                with contextlib.suppress(tarfile.FilterError):
                    tar.extract(member.replace(name=name, deep=False), folder, filter="data")
