"""`stepsmith run --event`: the event that a run starts from, from a file or from local git."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cli.console import Misuse
from cli.scenarios.event import NothingStarts, started
from cli.values import ValuesProblem, values_in
from compiler.check.suggest import suggestion
from compiler.spec import EventTrigger, GitPushTrigger, Trigger
from compiler.spec.names import same
from functions.domain.triggers.recorded import types_of
from protocol.patterns import matches

if TYPE_CHECKING:
    from cli.project.compile_file import Compiled
    from compiler.document.nodes import Json
    from protocol.payloads import MachineInput

PUSH, TAG, PULL_REQUEST = "push", "tag", "pull_request"
_OF_GIT = (PUSH, TAG, PULL_REQUEST)
_LOG = "%H%x00%an%x00%ae%x00%B"


def begun_by(word: str, trigger: str | None, compiled: Compiled, folder: Path) -> MachineInput:
    """Return what a run is given that an event starts.

    The word is `push`, `tag` (its push) or `pull_request`, of the git tree a folder is in, or a
    file of JSON or YAML. Raises Misuse where there is no such event, or no trigger takes it.
    """
    event = _git_event(word, folder) if word in _OF_GIT else _from_file(Path(word))
    taker = _taker(word, event, trigger, compiled)
    try:
        return started(compiled, taker.name, event)
    except NothingStarts as why:
        raise Misuse(f"--event: the trigger '{taker.name}' starts no run: {why}") from None


def _taker(word: str, event: Mapping[str, Json], name: str | None, compiled: Compiled) -> Trigger:
    workflow = compiled.own.workflow
    triggers = () if workflow is None else workflow.triggers
    names = [one.name for one in triggers]
    if name is not None:
        found = next((one for one in triggers if same(one.name) == same(name)), None)
        if found is None:
            hint = suggestion(name, names, "its triggers") or "it has none"
            raise Misuse(f"--trigger: the workflow has no trigger '{name}'; {hint}")
        return found
    takers = [one for one in triggers if _takes(one, word, event)]
    if not takers:
        raise Misuse(f"--event: no trigger of the workflow takes '{word}'")
    if len(takers) > 1:
        listed = ", ".join(one.name for one in takers)
        raise Misuse(f"--event: several triggers take '{word}': say --trigger NAME ({listed})")
    return takers[0]


def _takes(trigger: Trigger, word: str, event: Mapping[str, Json]) -> bool:
    if word in _OF_GIT:
        return isinstance(trigger, GitPushTrigger) and _is_asked_for(word, trigger)
    try:
        types = types_of(event)
    except ValueError as error:
        raise Misuse(f"--event {word}: {error}") from None
    if types == {"event"} and isinstance(trigger, EventTrigger):
        return matches(trigger.pattern, event)
    return trigger.type in types


def _is_asked_for(word: str, trigger: GitPushTrigger) -> bool:
    if word == PULL_REQUEST:
        return word in trigger.events
    return trigger.takes_tags if word == TAG else trigger.takes_branches


def _from_file(file: Path) -> Mapping[str, Json]:
    try:
        event = values_in(file)
    except ValuesProblem as problem:
        why = "" if file.exists() else "; write push, tag, pull_request or a file"
        raise Misuse(f"--event: {problem}{why}") from None
    if not isinstance(event, dict):
        raise Misuse(f"--event {file}: not an object")
    return event


# --- local git -----------------------------------------------------------------------------------


def _git_event(word: str, folder: Path) -> Mapping[str, Json]:
    """Return the part of GitHub's event that local git can tell.

    https://docs.github.com/en/webhooks/webhook-events-and-payloads
    """
    log = _git(folder, "log", "-1", f"--format={_LOG}")
    if log is None:
        raise Misuse(f"--event {word}: '{folder}' is in no git tree with a commit")
    commit, name, email, message = log.split("\0", 3)
    branch = _git(folder, "symbolic-ref", "--short", "-q", "HEAD")
    who = _git(folder, "config", "user.name") or name
    about: dict[str, Json] = {
        "repository": {"full_name": _repository(folder)},
        "sender": {"login": who},
    }
    if word != PULL_REQUEST:
        head: Json = {"id": commit, "message": message.strip(),
                      "author": {"name": name, "email": email}}  # fmt: skip
        ref = f"refs/heads/{branch}" if branch else None
        if word == TAG:
            ref = f"refs/tags/{_tag(folder)}"
        pusher: Json = {"name": who, "email": _git(folder, "config", "user.email") or email}
        return {**about, "ref": ref, "after": commit, "head_commit": head, "pusher": pusher}
    default = _git(folder, "symbolic-ref", "--short", "-q", "refs/remotes/origin/HEAD")
    base = "main" if default is None else default.removeprefix("origin/")
    pull: Json = {
        "number": 1,
        "title": message.strip().split("\n", 1)[0],
        "user": {"login": who},
        "head": {"ref": branch, "sha": commit},
        "base": {"ref": base},
    }
    return {**about, "action": "opened", "number": 1, "pull_request": pull}


def _tag(folder: Path) -> str:
    """Return the tag of the commit that is checked out, the one that was made last."""
    tags = _git(folder, "tag", "--points-at", "HEAD", "--sort=-creatordate")
    if tags is None:
        raise Misuse("--event tag: the commit that is checked out has no tag; try `git tag v1`")
    return tags.splitlines()[0]


def _repository(folder: Path) -> Json:
    """Return `owner/name` of the origin, None where there is none."""
    origin = _git(folder, "config", "--get", "remote.origin.url")
    if origin is None:
        return None
    parts = origin.removesuffix("/").removesuffix(".git").replace(":", "/").split("/")
    return "/".join(part for part in parts[-2:] if part) or None


def _git(folder: Path, *words: str) -> str | None:
    try:
        ended = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, check=False, text=True
        )
    except FileNotFoundError:
        raise Misuse("--event push, tag and pull_request need git, which is not here") from None
    return ended.stdout.rstrip("\n") or None if ended.returncode == 0 else None
