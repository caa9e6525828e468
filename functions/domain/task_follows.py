"""What an approval lets go on, as far as it is known beforehand."""

from __future__ import annotations

from protocol.manifest import WorkflowManifest

_MOST = 6


def follows(manifest: WorkflowManifest, step: str) -> tuple[str, ...]:
    """Return the names of the steps that wait for a step to succeed, and for nothing unknown.

    Steps with a condition are left out: whether they run, nobody can promise.
    """
    names = {one["id"]: one["name"] for one in manifest["steps"] if not one.get("undo")}
    waiting = [
        names[rule["id"]]
        for rule in manifest["rules"].values()
        if step in rule["depends_on"]
        and rule["id"] in names
        and not rule["has_condition"]
        and not rule["has_status_function"]
    ]
    return tuple(waiting[:_MOST])
