"""Names that other tools have for what expressions read here."""

from __future__ import annotations

from collections.abc import Collection

from compiler.expressions.syntax import Ref

_STEPS = ("needs", "jobs", "tasks", "dependencies")
_MEMBERS = {"result": "status", "outcome": "status", "conclusion": "status", "state": "status"}
_STATUSES = {"success": "succeeded", "failure": "failed", "skipped": "skipped"}
FUNCTIONS = {
    "hashFiles": "there are no caches: nothing is kept from one run to the next; leave it out"
}
"""Functions that another tool has, with what to do without them."""
_ROOTS = {
    "matrix": "item",
    "params": "inputs",
    "parameters": "inputs",
    "variables": "vars",
    "var": "vars",
    "secret": "secrets",
    "environment": "env",
    "context": "run",
    "states": "steps",
}
_NOT_HERE = {
    "runner": "a script can ask its machine itself: uname",
    "strategy": "there is no matrix here: a step with `for_each` reads item and index",
}
_GITHUB = {
    "run_id": "write run.id",
    "run_attempt": "write run.attempt",
    "run_number": "write run.id",
    "triggering_actor": "write github.actor",
    "job_workflow_sha": "write github.sha",
    "token": "write secrets.NAME",
    "workspace": "in a script write $PWD: it begins in the folder with the source",
    "event_path": "write toJSON(github.event)",
    "output": "in a script write $GITHUB_OUTPUT",
    "repository_owner": (
        "it is the first part of github.repository: in a script, with that as REPOSITORY under "
        "`env`, write ${REPOSITORY%%/*}"
    ),
    "server_url": "write the address itself",
    "api_url": "write the address itself",
    "graphql_url": "write the address itself",
}
_RUNNER = {
    "temp": "in a script write $(mktemp -d)",
    "arch": "a script can ask its machine itself: uname -m",
}
_OF_CONTEXTS = {"github": _GITHUB, "runner": _RUNNER}


def instead(
    ref: Ref, scope: Collection[str], compared: tuple[str, object] | None = None
) -> str | None:
    """Return what to write for a path that another tool has and this language has not, or None.

    `compared` is the operator and the value that the path is compared with.
    """
    keys = [key for key in ref.keys if isinstance(key, str)]
    if ref.root in _STEPS and keys and "steps" in scope:
        below = _below(keys[1:])
        written = f"write steps.{'.'.join([keys[0], *below])}"
        word = compared[1] if compared is not None else None
        if compared is not None and below == ["status"] and word in _STATUSES:
            return f"{written} {compared[0]} '{_STATUSES[str(word)]}'"
        return written
    if ref.root == "matrix" and "item" not in scope:
        return "give the step a `for_each` with the list, and write item"
    if keys and keys[0] in _OF_CONTEXTS.get(ref.root, {}):
        return _OF_CONTEXTS[ref.root][keys[0]]
    if ref.root in _NOT_HERE:
        return _NOT_HERE[ref.root]
    if ref.root == "job" and keys == ["status"]:
        return "write success() or failure() in a condition"
    meant = _ROOTS.get(ref.root)
    if meant is None or (meant not in scope and meant not in ("secrets", "env")):
        return None
    return f"write {'.'.join([meant, *([] if ref.root == 'matrix' else keys)])}"


def where_written(ref: Ref) -> str | None:
    """Return where a member of a context would be written that is not there, or None."""
    if ref.root != "vars":
        return None
    return f"write it to stepsmith.yaml, under the `vars` of a stage: {ref.keys[0]}: ..."


def _below(keys: list[str]) -> list[str]:
    """Return what is read of a step: its status, or an output."""
    if not keys:
        return ["status"]
    if keys[0] == "output":
        return ["outputs", *keys[1:]]
    return [_MEMBERS.get(keys[0], keys[0]), *keys[1:]]
