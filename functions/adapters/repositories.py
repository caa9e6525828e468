"""Git repositories that a step names itself, fetched by the program `git`."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from functions.domain.errors import (
    NetworkError,
    ProgramNotFound,
    StepError,
    StepTimedOut,
    ValidationError,
)

if TYPE_CHECKING:
    from functions.domain.context import Context

_REF = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./@+-]{0,250}")
_NETWORK = re.compile(
    r"could not resolve host|connection (?:timed out|refused|reset)|network is unreachable"
    r"|operation timed out|the remote end hung up|early eof|returned error: 5\d\d",
    re.IGNORECASE,
)
_TOLD = 1_000


class GitRepositories:
    """`functions.domain.services.Repositories` for deployed functions.

    `protocols` are those git may use: no `ext::`, which runs programs.
    """

    def __init__(self, protocols: str = "https:http:ssh:git") -> None:
        self._protocols = protocols

    def fetch(
        self, repository: str | None, ref: str | None, folder: Path, context: Context
    ) -> None:
        """Put a repository's clone into a folder, or another ref of the clone that is there.

        Raises ValidationError for what git would take for an option, NetworkError where the
        repository cannot be reached, and ValidationError where it has no such ref.
        """
        if ref is not None and (not _REF.fullmatch(ref) or ".." in ref):
            raise ValidationError(f"'{ref[:100]}' is no branch, tag or commit")
        if repository is not None:
            if repository.startswith("-") or "\n" in repository:
                raise ValidationError(f"'{repository[:100]}' is no address of a repository")
            _empty(folder)
            self._git(["init", "--quiet"], folder, context)
            self._git(["remote", "add", "origin", repository], folder, context)
        self._git(["fetch", "--quiet", "--tags", "origin", ref or "HEAD"], folder, context)
        self._git(["checkout", "--quiet", "--force", "--detach", "FETCH_HEAD"], folder, context)

    def _git(self, arguments: list[str], folder: Path, context: Context) -> None:
        environment = {
            "GIT_TERMINAL_PROMPT": "0",
            **context.inherited,
            **context.env,
            "GIT_ALLOW_PROTOCOL": self._protocols,
        }
        try:
            done = subprocess.run(
                ["git", "-C", str(folder), *arguments],
                env=environment,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=max(context.seconds_left(), 0.1),
                check=False,
            )
        except FileNotFoundError:
            raise ProgramNotFound("program 'git' not found", status_code=127) from None
        except subprocess.TimeoutExpired:
            raise StepTimedOut(
                f"git {arguments[0]} was stopped after {context.seconds:g} seconds"
            ) from None
        if done.returncode != 0:
            raise _failure(arguments, done.returncode, done.stderr.strip()[-_TOLD:])


class SameRepository:
    """`functions.domain.services.Repositories` of a local run: every repository is its source."""

    def fetch(
        self, repository: str | None, ref: str | None, folder: Path, context: Context
    ) -> None:
        """Leave the folder as it is: it holds the run's source already."""


def _failure(arguments: list[str], code: int, said: str) -> StepError:
    text = f"git {arguments[0]} failed (exit code {code}): {said}"
    return NetworkError(text) if _NETWORK.search(said) else ValidationError(text)


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
