"""Names that other tools have for what expressions read here."""

from __future__ import annotations

from collections.abc import Collection

from compiler.expressions.syntax import Ref

_STEPS = ("needs", "jobs", "tasks", "dependencies")
_MEMBERS = {"result": "status", "outcome": "status", "conclusion": "status", "state": "status"}
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
_GITHUB = {
    "run_id": "run.id",
    "run_attempt": "run.attempt",
    "run_number": "run.id",
    "triggering_actor": "github.actor",
    "ref_name": "github.ref",
    "job_workflow_sha": "github.sha",
    "token": "secrets.NAME",
}


def instead(ref: Ref, scope: Collection[str]) -> str | None:
    """Return what to write for a path that another tool has and this language has not, or None."""
    keys = [key for key in ref.keys if isinstance(key, str)]
    if ref.root in _STEPS and keys and "steps" in scope:
        return f"write steps.{'.'.join([keys[0], *_below(keys[1:])])}"
    if ref.root == "matrix" and "item" not in scope:
        return "give the step a `for_each` with the list, and write item"
    if ref.root == "github" and keys and keys[0] in _GITHUB:
        return f"write {_GITHUB[keys[0]]}"
    if ref.root == "runner":
        return "a script can ask its machine itself: uname"
    if ref.root == "job" and keys == ["status"]:
        return "write success() or failure() in a condition"
    meant = _ROOTS.get(ref.root)
    if meant is None or (meant not in scope and meant not in ("secrets", "env")):
        return None
    return f"write {'.'.join([meant, *([] if ref.root == 'matrix' else keys)])}"


def _below(keys: list[str]) -> list[str]:
    """Return what is read of a step: its status, or an output."""
    if not keys:
        return ["status"]
    if keys[0] == "output":
        return ["outputs", *keys[1:]]
    return [_MEMBERS.get(keys[0], keys[0]), *keys[1:]]
