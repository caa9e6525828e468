"""Webhooks of GitHub: which ones start a run, what they give, and the context `github`.

https://docs.github.com/en/webhooks/webhook-events-and-payloads
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from functions.domain.triggers.globs import selects, selects_any
from functions.domain.triggers.incoming import Ignored, Incoming, Rejected
from functions.domain.triggers.reading import Reading, at, text_at, unreadable
from protocol.manifest import TriggerManifest
from protocol.payloads import Json

EVENT, DELIVERY, SIGNATURE = "X-GitHub-Event", "X-GitHub-Delivery", "X-Hub-Signature-256"
"""https://docs.github.com/en/webhooks/webhook-events-and-payloads#delivery-headers"""

PING, PUSH, PULL_REQUEST = "ping", "push", "pull_request"
BRANCH, TAG = "branch", "tag"
_ACTIONS = ("opened", "synchronize", "reopened")
"""Actions of a pull request that change what is to be merged."""
_HEADS, _TAGS = "refs/heads/", "refs/tags/"
_NOTHING = "0" * 40
"""The commit of a branch that is not there."""


def kind_of(event: Incoming) -> str:
    """Return which event of GitHub it is: by its header, else by what it holds."""
    said = event.header(EVENT)
    if said is not None:
        return said
    body = event.body
    if at(body, "pull_request") is not None:
        return PULL_REQUEST
    return PING if at(body, "zen") is not None and at(body, "hook_id") is not None else PUSH


def read_push(trigger: TriggerManifest, event: Incoming) -> Reading | Ignored | Rejected:
    """Read a push or a pull request; what the trigger's filters leave out is ignored."""
    body = event.body
    if not isinstance(body, dict):
        return unreadable("no webhook of GitHub: it is no object")
    kind, settings = kind_of(event), trigger["settings"]
    why = _unasked(kind, body, settings)
    if why is None:
        why = _no_pull(body, settings) if kind == PULL_REQUEST else _no_push(body, settings)
    if why is not None:
        return Ignored(why)
    github = github_of(body)
    actor = github["actor"]
    return Reading(
        id=event.header(DELIVERY) or event.id,
        event=body,
        gives=gives(body),
        github=github,
        started_by=f"github:{actor}" if actor else None,
        is_foreign=kind == PULL_REQUEST and is_from_fork(body),
    )


def github_of(body: Mapping[str, Json]) -> dict[str, Json]:
    """Return the context `github` of a webhook, as GitHub's Actions name things."""
    pull = at(body, "pull_request")
    whole: Json = dict(body)
    found: dict[str, Json] = {
        "event_name": PUSH if pull is None else PULL_REQUEST,
        "repository": at(body, "repository", "full_name"),
        "actor": at(body, "sender", "login") or at(body, "pusher", "name"),
        "event": whole,
    }
    if pull is None:
        return {**found, **_ref_of(body), "sha": _commit(body), "head_ref": None, "base_ref": None}
    number = at(body, "number") or at(pull, "number")
    merged = None if number is None else f"{number}/merge"
    return {
        **found,
        "ref": None if merged is None else f"refs/pull/{merged}",
        "ref_name": merged,
        "ref_type": "branch",
        "sha": at(pull, "merge_commit_sha") or at(pull, "head", "sha"),
        "head_ref": at(pull, "head", "ref"),
        "base_ref": at(pull, "base", "ref"),
    }


def gives(body: Mapping[str, Json]) -> dict[str, Json]:
    """Return the inputs that a webhook gives, null where it has none: a tag is on no branch."""
    pull = at(body, "pull_request")
    name = at(body, "repository", "full_name")
    repository = None if name is None else f"github.com/{name}"
    if pull is not None:
        return {
            "commit": at(pull, "head", "sha"),
            "author": at(pull, "user", "login"),
            "message": at(pull, "title"),
            "branch": at(pull, "head", "ref"),
            "tag": None,
            "repository": repository,
        }
    head, ref = at(body, "head_commit"), _ref_of(body)
    is_tag = ref["ref_type"] == TAG
    author = at(head, "author", "email") or at(head, "author", "name")
    return {
        "commit": _commit(body),
        "author": author or at(body, "pusher", "email"),
        "message": at(head, "message"),
        "branch": None if is_tag else ref["ref_name"],
        "tag": ref["ref_name"] if is_tag else None,
        "repository": repository,
    }


def _ref_of(body: Mapping[str, Json]) -> dict[str, Json]:
    """Return what was pushed: `ref` as git writes it, its bare name, and which of the two it is."""
    ref = text_at(body, "ref")
    if ref is None:
        return {"ref": None, "ref_name": None, "ref_type": None}
    if ref.startswith(_TAGS):
        return {"ref": ref, "ref_name": ref.removeprefix(_TAGS), "ref_type": TAG}
    return {"ref": ref, "ref_name": ref.removeprefix(_HEADS), "ref_type": BRANCH}


def _commit(body: Mapping[str, Json]) -> Json:
    """Return the commit that was pushed: `after` of an annotated tag is the tag's own object."""
    return at(body, "head_commit", "id") or at(body, "after")


def is_from_fork(body: Mapping[str, Json]) -> bool:
    """Return whether a pull request comes from another repository than it goes to.

    The other one may be gone by now: then it is null.
    """
    head = at(body, "pull_request", "head")
    if not isinstance(head, dict) or "repo" not in head:
        return False  # local git and scenarios do not say
    own = text_at(body, "pull_request", "base", "repo", "full_name")
    own = own or text_at(body, "repository", "full_name")
    return text_at(head, "repo", "full_name") != own


# --- filters: why an event is left out, None where it is not -------------------------------------


def _unasked(kind: str, body: Mapping[str, Json], settings: Mapping[str, Json]) -> str | None:
    if kind == PING:
        return "GitHub's ping: the webhook is set up"
    if kind not in _listed(settings, "events"):
        return f"the trigger does not ask for '{kind}'"
    given, wanted = text_at(body, "repository", "full_name"), settings.get("repository")
    if given and isinstance(wanted, str) and not is_repository(wanted, given):
        return f"it is of the repository {given}, and the trigger asks for {wanted}"
    return None


def is_repository(written: str, full_name: str) -> bool:
    """Return whether a repository as written (`github.com/org/app`) has a full name of GitHub."""
    bare = written.strip().removesuffix("/").removesuffix(".git")
    parts = bare.replace(":", "/").split("/")
    return "/".join(parts[-2:]).lower() == full_name.lower()


def _no_push(body: Mapping[str, Json], settings: Mapping[str, Json]) -> str | None:
    ref = text_at(body, "ref")
    if ref is not None and not ref.startswith((_HEADS, _TAGS)):
        return f"'{ref}' is no branch and no tag"
    pushed = _ref_of(body)
    kind, name = pushed["ref_type"] or BRANCH, pushed["ref_name"]
    if at(body, "deleted") is True or at(body, "after") == _NOTHING:
        return f"the {kind} '{name}' was deleted"
    branches, tags = _listed(settings, "branches"), _listed(settings, "tags")
    if kind == TAG:  # its commits are not of this push, so `paths` have nothing to ask
        return _no_tag(name, tags)
    if tags and not branches:
        what = f"the branch '{name}'" if name else "a branch"
        return f"it is a push to {what}, and the trigger asks for tags alone"
    if isinstance(name, str) and not selects(branches, name):
        return f"the branch '{name}' is none of those that the trigger asks for"
    paths, changed = _listed(settings, "paths"), _changed(body)
    if paths and changed is not None and not selects_any(paths, changed):
        return "no file changed that the trigger asks for"
    return None


def _no_tag(name: Json, tags: list[str]) -> str | None:
    if not tags:
        return f"the tag '{name}': the trigger asks for no `tags`"
    if isinstance(name, str) and not selects(tags, name):
        return f"the tag '{name}' is none of those that the trigger asks for"
    return None


def _no_pull(body: Mapping[str, Json], settings: Mapping[str, Json]) -> str | None:
    action = text_at(body, "action")
    if action is not None and action not in _ACTIONS:
        return f"the pull request was '{action}', which changes nothing in it"
    branch = text_at(body, "pull_request", "base", "ref")
    if branch is not None and not selects(_listed(settings, "branches"), branch):
        return f"it goes to the branch '{branch}', none of those that the trigger asks for"
    if is_from_fork(body) and settings.get("forks") is not True:
        return "it comes from a fork, and the trigger does not say `forks: true`"
    return None


def _changed(body: Mapping[str, Json]) -> frozenset[str] | None:
    """Return the files that the commits of a push touch; None where it does not tell all.

    GitHub tells of 2,048 commits at most, and of none where a branch is only new.
    """
    commits = at(body, "commits")
    if not isinstance(commits, list) or not commits or len(commits) >= _MOST_COMMITS:
        return None
    return frozenset(name for commit in commits for name in _files(commit))


_MOST_COMMITS = 2048


def _files(commit: Json) -> Iterator[str]:
    for what in ("added", "removed", "modified"):
        names = at(commit, what)
        yield from (
            (name for name in names if isinstance(name, str)) if isinstance(names, list) else ()
        )


def _listed(settings: Mapping[str, Json], name: str) -> list[str]:
    found = settings.get(name)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []
