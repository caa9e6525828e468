"""Whose files the steps of a run work on: how a repository is written, and which one a run has."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from functions.domain.errors import ValidationError
from protocol.evaluate import evaluate, text_of
from protocol.manifest import WorkflowManifest
from protocol.payloads import Json

GITHUB = "github.com"

_URL = re.compile(r"(https?|ssh|git)://(?:[^/@]*@)?([^/:@]+)(?::\d+)?/(.+)")
_SCP = re.compile(r"(?:[A-Za-z0-9_.-]+@)([A-Za-z0-9.-]+):(?!/)(.+)")
_BARE = re.compile(r"(?:([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)/)?([^/\s]+(?:/[^/\s]+)+)")
_NAME = re.compile(r"[A-Za-z0-9_-]+/[A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository: its host, its name there (`org/app`), and its address for git."""

    host: str
    name: str
    address: str

    @property
    def is_on_github(self) -> bool:
        """Return whether it is one of github.com."""
        return self.host == GITHUB


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which files a step asks for: a repository and its branch, tag or commit (None: its default).

    `run` is the run under whose id they are kept: that of the caller, where a workflow that is
    called works on the same files. `token` looks up that of GitHub, None where there is none or
    the run must not see any (`is_withheld`); `seconds` is how long fetching may take.
    """

    run: str
    repository: str
    ref: str | None
    seconds: float
    token: Callable[[], str | None]
    is_withheld: bool = False


def repository_of(written: str) -> Repository:
    """Return the repository that is meant by an address, or by a name such as `org/app`.

    `git@github.com:org/app.git`, `https://github.com/org/app`, `github.com/org/app` and `org/app`
    are the same one. Raises ValidationError for what is no repository.
    """
    text = written.strip()
    if not text:
        raise ValidationError("`source.repository` is empty or null in this run")
    host, name, kind = _parts(text)
    host = host.lower().removeprefix("www.")
    name = name.strip("/").removesuffix(".git").rstrip("/")
    is_good = bool(name) and not text.startswith("-") and not re.search(r"\s", text)
    if host == GITHUB:
        is_good = is_good and _NAME.fullmatch(name) is not None and ".." not in name
    if not is_good:
        raise ValidationError(
            f"'{written[:100]}' is no repository: write it as github.com/org/app, or as the "
            "address that git clones from"
        )
    if host == GITHUB:
        return Repository(host, name, f"https://{GITHUB}/{name}.git")
    return Repository(host, name, f"https://{host}/{name}" if kind == "bare" else text)


def _parts(text: str) -> tuple[str, str, str]:
    """Return host, path and kind of spelling; an empty path where it is none."""
    if found := _URL.fullmatch(text):
        return found[2], found[3], "url"
    if "://" in text or text.startswith("/"):
        # What git may take all the same: which protocols it uses is decided elsewhere.
        return "", text.partition("://")[2] or text, "url"
    if found := _SCP.fullmatch(text):
        return found[1], found[2], "scp"
    if found := _BARE.fullmatch(text):
        return found[1] or GITHUB, found[2], "bare"
    return "", "", ""


def source_of(
    manifest: WorkflowManifest, run_id: str, given: Mapping[str, Json], github: Json = None
) -> dict[str, Json] | None:
    """Return `source` of a run that begins: its `repository`, its `ref`, and whose files they are.

    As the workflow's own `source` says, over what the run is given; without one it is that of the
    webhook (`github`). A run of such a workflow that somebody starts
    by hand takes the repository that its trigger names, at the input `commit`, else `tag`, else
    `branch`, else where the default branch is. None where nothing says what it should be.
    """
    checkout = manifest.get("checkout")
    if checkout is not None:
        values = {"vars": manifest["vars"], **given}
        repository = evaluate(checkout["repository"], values)
        ref = evaluate(checkout["ref"], values)
    elif isinstance(github, dict):
        repository, ref = github.get("repository"), github.get("ref")
    else:
        repository, ref = _by_hand(manifest, given.get("inputs"))
        if repository is None:
            return None
    return {"run": run_id, "repository": text_of(repository), "ref": text_of(ref) or None}


def _by_hand(manifest: WorkflowManifest, inputs: Json) -> tuple[Json, Json]:
    pushes = [one for one in manifest["triggers"] if one["type"] == "git-push"]
    named = {text_of(one["settings"].get("repository")) for one in pushes} - {""}
    if len(named) != 1:
        return None, None
    own = inputs if isinstance(inputs, dict) else {}
    return named.pop(), own.get("commit") or own.get("tag") or own.get("branch")
