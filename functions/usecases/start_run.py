"""Start a run: what its execution is called and given, and what is kept before it starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from functions.domain.events import canonical
from functions.domain.source import source_of
from functions.ports import Machines, Manifests
from protocol.manifest import WorkflowManifest
from protocol.payloads import Json, MachineInput

MOST_BYTES = 262_144
"""Of an execution's input: https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html"""


class TooLarge(Exception):
    """A run's input is larger than an execution takes; the text says by how much."""


@dataclass(frozen=True, slots=True)
class Starter:
    """What runs are started with."""

    manifests: Manifests
    machines: Machines


@dataclass(frozen=True, slots=True)
class Start:
    """A run that is to be: a version of a workflow, the run's id, and its execution's input.

    The input is the same text whenever the same is started: Step Functions compares it.
    """

    manifest: WorkflowManifest
    run_id: str
    text: str


def start_of(
    manifest: WorkflowManifest,
    run_id: str,
    given: MachineInput,
    more: Mapping[str, Json] | None = None,
) -> Start:
    """Return the start of a run's first attempt; `more` goes into its `run`.

    Raises TooLarge.
    """
    run = {**given["run"], **(more or {})}
    run |= {"id": run_id, "attempt": 1, "manifest": manifest["digest"]}
    contexts = {**cast("dict[str, Json]", given), "run": run}
    source = source_of(manifest, run_id, contexts, given["run"].get("source"))
    if source is not None:
        run["source"] = source
    text = canonical(cast("dict[str, Json]", {**given, "run": run}))
    size = len(text.encode())
    if size > MOST_BYTES:
        raise TooLarge(
            f"a run takes {MOST_BYTES} bytes, and this comes to {size}: give it what its steps "
            "read, and where the rest lies"
        )
    return Start(manifest, run_id, text)


def start_run(start: Start, starter: Starter) -> bool:
    """Start a run; False where an execution of its name is there already.

    What the run will be told by is kept first, so that no run is ever without it.
    """
    _keep(start.manifest, starter.manifests)
    reference = reference_of(start.manifest, starter.manifests)
    return starter.machines.start(reference, start.run_id, start.text)


def reference_of(manifest: WorkflowManifest, manifests: Manifests) -> str:
    """Return by which reference the machine of a deployed version is known."""
    highest = manifests.current(manifest["id"])
    if highest is None or highest["digest"] == manifest["digest"]:
        return manifest["id"]
    return f"{manifest['id']}@{manifest['version']}"


def _keep(manifest: WorkflowManifest, manifests: Manifests) -> None:
    manifests.keep(manifest)
    for reference, digest in manifest["children"].items():
        child = manifests.current(reference)
        if child is not None and child["digest"] == digest:
            _keep(child, manifests)
