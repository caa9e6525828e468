"""Git repositories that a step names itself, fetched by the program `git`."""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from functions.domain.errors import (
    NetworkError,
    ProgramNotFound,
    StepError,
    StepTimedOut,
    ValidationError,
)
from functions.domain.moments import lasted
from functions.domain.source import GITHUB
from protocol.environment import GITHUB_KEY

if TYPE_CHECKING:
    from functions.domain.context import Context
    from functions.domain.source import Repository, Wanted

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
            empty(folder)
            self._git(["init", "--quiet"], folder, context)
            self._git(["remote", "add", "origin", repository], folder, context)
        self._git(["fetch", "--quiet", "--tags", "origin", ref or "HEAD"], folder, context)
        self._git(["checkout", "--quiet", "--force", "--detach", "FETCH_HEAD"], folder, context)

    def clone(self, repository: Repository, wanted: Wanted, folder: Path) -> str:
        """Put a run's source into an empty folder, a clone with its origin; return the commit.

        GitHub is asked with the run's token, which is written nowhere. Raises as `fetch` does.
        """
        ref = wanted.ref or "HEAD"
        if not _REF.fullmatch(ref) or ".." in ref:
            raise ValidationError(f"'{ref[:100]}' is no branch, tag or commit")
        token = wanted.token() if repository.is_on_github else None
        variables = {**os.environ, **_with_token(token)}
        until = time.monotonic() + wanted.seconds

        def git(*arguments: str) -> str:
            left = max(until - time.monotonic(), 0.1)
            return self._run([*arguments], folder, variables, left, wanted.seconds)

        try:
            git("init", "--quiet")
            git("remote", "add", "origin", repository.address)
            git("fetch", "--quiet", "--tags", "origin", ref)
            git("checkout", "--quiet", "--force", "--detach", "FETCH_HEAD")
            return git("rev-parse", "HEAD").strip()
        except ValidationError as error:
            raise ValidationError(
                f"the source {repository.address} at '{ref}' could not be cloned: {error.message}"
                f"{_hint(repository, wanted, token)}"
            ) from None

    def _git(self, arguments: list[str], folder: Path, context: Context) -> None:
        variables = {**context.inherited, **context.env}
        self._run(arguments, folder, variables, context.seconds_left(), context.seconds)

    def _run(
        self,
        arguments: list[str],
        folder: Path,
        variables: Mapping[str, str],
        left: float,
        seconds: float,
    ) -> str:
        environment = {
            "GIT_TERMINAL_PROMPT": "0",
            **variables,
            "GIT_ALLOW_PROTOCOL": self._protocols,
        }
        try:
            done = subprocess.run(
                ["git", "-C", str(folder), *arguments],
                env=environment,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=max(left, 0.1),
                check=False,
            )
        except FileNotFoundError:
            raise ProgramNotFound("program 'git' not found", status_code=127) from None
        except subprocess.TimeoutExpired:
            raise StepTimedOut(f"git {arguments[0]} was stopped after {lasted(seconds)}") from None
        if done.returncode != 0:
            raise _failure(arguments, done.returncode, done.stderr.strip()[-_TOLD:])
        return done.stdout


class SameRepository:
    """`functions.domain.services.Repositories` of a local run: every repository is its source."""

    def fetch(
        self, repository: str | None, ref: str | None, folder: Path, context: Context
    ) -> None:
        """Leave the folder as it is: it holds the run's source already."""


def _with_token(token: str | None) -> dict[str, str]:
    """Return variables by which git shows a token to GitHub, and to nobody else.

    https://git-scm.com/docs/git-config#Documentation/git-config.txt-GITCONFIGCOUNT
    """
    if token is None:
        return {}
    said = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"http.https://{GITHUB}/.extraheader",
        "GIT_CONFIG_VALUE_0": f"Authorization: Basic {said}",
    }


def _hint(repository: Repository, wanted: Wanted, token: str | None) -> str:
    if not repository.is_on_github:
        return ""
    if wanted.is_withheld:
        return "; the run came from a fork and sees no secrets, so only what is public"
    if token is None:
        return (
            "; if it is private, put a token that may read its contents into the secret "
            f"'{GITHUB_KEY}'"
        )
    return f"; the token in the secret '{GITHUB_KEY}' has to be one that may read its contents"


def _failure(arguments: list[str], code: int, said: str) -> StepError:
    text = f"git {arguments[0]} failed (exit code {code}): {said}"
    return NetworkError(text) if _NETWORK.search(said) else ValidationError(text)


def empty(folder: Path) -> None:
    """Take away all that is in a folder."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
