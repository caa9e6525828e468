"""Triggers by their names."""

from __future__ import annotations

from collections.abc import Iterator

from functions.domain.listening import Pattern, asked_for
from functions.ports import Manifests
from protocol.manifest import TriggerManifest, WorkflowManifest


class UnknownTrigger(Exception):
    """No workflow deployed has the trigger; the text names it."""


def trigger_named(name: str, manifests: Manifests) -> tuple[WorkflowManifest, TriggerManifest]:
    """Return the trigger `WORKFLOW.NAME` of a workflow's highest version; raises UnknownTrigger."""
    workflow, _, own = name.partition(".")
    manifest = manifests.current(workflow)
    for trigger in manifest["triggers"] if manifest else ():
        if manifest and trigger["name"] == own:
            return manifest, trigger
    raise UnknownTrigger(f"there is no trigger '{name}'")


def current_triggers(manifests: Manifests) -> Iterator[tuple[WorkflowManifest, TriggerManifest]]:
    """Yield the triggers deployed: of each workflow those of its highest version."""
    for manifest in manifests.all():
        highest = manifests.current(manifest["id"])
        if highest is None or highest["digest"] == manifest["digest"]:
            for trigger in manifest["triggers"]:
                yield manifest, trigger


def current_patterns(manifests: Manifests) -> Iterator[Pattern]:
    """Yield what of the buses is asked for: by the triggers deployed, and by waits.

    Of waits those of all versions count: a run goes on with the version that it began with.
    """
    for manifest in manifests.all():
        highest = manifests.current(manifest["id"])
        if highest is None or highest["digest"] == manifest["digest"]:
            yield from (pattern for _, pattern in asked_for(manifest))
        yield from manifest.get("patterns", ())
