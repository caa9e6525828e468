"""Files of a repository of GitHub by its API, where the program `git` is not there to clone it.

https://docs.github.com/en/rest/repos/contents#download-a-repository-archive-tar
https://docs.github.com/en/rest/commits/commits#get-a-commit
"""

from __future__ import annotations

import re
import time
from typing import IO, TYPE_CHECKING
from urllib.parse import quote

import urllib3
from urllib3.util import Retry, Timeout

from functions.domain.causes import category_of, of_status
from functions.domain.errors import CATEGORIES, NetworkError, StepError, ValidationError
from functions.domain.source import Repository, Wanted
from protocol.environment import GITHUB_KEY

if TYPE_CHECKING:
    from urllib3.response import BaseHTTPResponse

API = "https://api.github.com"
MOST_BYTES = 209_715_200
"""Of an archive: it is kept in memory or /tmp beside what is in it."""
_COMMIT = re.compile(r"[0-9a-f]{40}")
_BLOCK = 1_048_576
_SHOWN = 200
_CONNECT_SECONDS = 10.0


class GitHubArchives:
    """Archives of GitHub's repositories."""

    def __init__(self, api: str = API) -> None:
        self._api = api
        # A redirect to where archives lie is followed without the token: it goes to another host.
        retries = Retry(total=None, connect=2, read=2, redirect=3, status=0, backoff_factor=0.2)
        self._pool = urllib3.PoolManager(retries=retries)

    def fetch(self, repository: Repository, wanted: Wanted, file: IO[bytes]) -> str:
        """Write the archive (tar, gzip; all below one folder) of a ref and return its commit.

        A branch or tag is looked up once, and the archive is that of the commit. Raises
        ValidationError where there is no such thing, or none that may be seen, and an error of a
        category where GitHub cannot answer.
        """
        token, until = wanted.token(), time.monotonic() + wanted.seconds
        asked = _Asked(repository.name, wanted, token, until)
        ref = (wanted.ref or "HEAD").removeprefix("refs/")
        if not _COMMIT.fullmatch(ref):
            with self._get(f"commits/{quote(ref)}", "application/vnd.github.sha", asked) as answer:
                ref = answer.read(100).decode("ascii", "replace").strip()
            if not _COMMIT.fullmatch(ref):
                raise NetworkError(f"GitHub named no commit for '{wanted.ref or 'HEAD'}'")
        with self._get(f"tarball/{ref}", "application/vnd.github+json", asked) as answer:
            _copy(answer, file, asked)
        return ref

    def _get(self, path: str, accept: str, asked: _Asked) -> BaseHTTPResponse:
        headers = {
            "Accept": accept,
            "User-Agent": "stepsmith",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        if asked.token is not None:
            headers["Authorization"] = f"Bearer {asked.token}"
        seconds = asked.seconds_left()
        try:
            answer = self._pool.request(
                "GET",
                f"{self._api}/repos/{asked.name}/{path}",
                headers=headers,
                timeout=Timeout(connect=min(_CONNECT_SECONDS, seconds), read=seconds),
                preload_content=False,
            )
        except urllib3.exceptions.HTTPError as error:
            raise _unanswered(asked, error) from error
        if answer.status != 200:
            with answer:
                raise _refused(asked, answer)
        return answer


class _Asked:
    """What GitHub is asked for, with which token, and until when."""

    def __init__(self, name: str, wanted: Wanted, token: str | None, until: float) -> None:
        self.name, self.token = name, token
        self.ref, self.is_withheld = wanted.ref, wanted.is_withheld
        self._until = until

    def seconds_left(self) -> float:
        return max(self._until - time.monotonic(), 0.1)

    def hint(self) -> str:
        """Say what may be done about a repository that cannot be seen."""
        if self.is_withheld:
            return "the run came from a fork and sees no secrets, so only what is public"
        if self.token is None:
            return (
                f"if it is private, put a token that may read its contents into the secret "
                f"'{GITHUB_KEY}'"
            )
        return f"the token in the secret '{GITHUB_KEY}' has to be one that may read its contents"


def _copy(answer: BaseHTTPResponse, file: IO[bytes], asked: _Asked) -> None:
    size = 0
    try:
        for block in answer.stream(_BLOCK, decode_content=False):
            size += len(block)
            if size > MOST_BYTES:
                raise ValidationError(
                    f"the archive of {asked.name} is larger than {MOST_BYTES >> 20} MB: say "
                    "`runner: codebuild` for the first step that reads files"
                )
            file.write(block)
    except urllib3.exceptions.HTTPError as error:
        raise _unanswered(asked, error) from error


def _unanswered(asked: _Asked, error: Exception) -> StepError:
    category = category_of(error)
    kind = NetworkError if category is None else CATEGORIES[category.name]
    return kind(f"GitHub did not answer for the source {asked.name} ({type(error).__name__})")


def _refused(asked: _Asked, answer: BaseHTTPResponse) -> StepError:
    status = answer.status
    what = f"the source {asked.name}" + (f" at '{asked.ref}'" if asked.ref else "")
    said = " ".join(answer.read(_SHOWN).decode("utf-8", "replace").split())
    text = f"{what} could not be fetched from GitHub (status_code={status})"
    # https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
    is_limited = answer.headers.get("x-ratelimit-remaining") == "0" or "retry-after" in {
        name.lower() for name in answer.headers
    }
    if status == 429 or (status == 403 and is_limited):
        more = (
            "" if asked.token else f"; with a token in the secret '{GITHUB_KEY}' it allows far more"
        )
        kind, text = CATEGORIES["Throttled"], f"{text}: too many requests{more}"
    elif status == 401:
        kind = ValidationError
        text = f"{text}: the token in the secret '{GITHUB_KEY}' is not valid, or no longer"
    elif status in (404, 409, 422):
        kind = ValidationError
        text = f"{text}: there is no such repository, branch, tag or commit; {asked.hint()}"
    elif status == 403:
        kind, text = ValidationError, f"{text}: it is forbidden; {asked.hint()}"
    else:
        kind = CATEGORIES.get(of_status(status) or "", NetworkError)
        text = f"{text}: {said}"
    return kind(text, status_code=status)
