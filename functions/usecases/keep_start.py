"""Keep that a run is started before Step Functions tells of it: who asks for it next finds it."""

from __future__ import annotations

from functions.domain.records.item import RunItem, Subject, announced
from functions.domain.records.said import stamp
from functions.usecases.archive import Archive
from functions.usecases.start_run import reference_of
from protocol.manifest import WorkflowManifest


def keep_start(
    run_id: str, started_by: str | None, manifest: WorkflowManifest, archive: Archive
) -> None:
    """Keep a run that has just been started, unless it is known already."""
    reference = reference_of(manifest, archive.manifests)
    subject = Subject(manifest["id"], manifest["version"], reference, manifest["digest"])
    at = stamp(archive.clock.now())

    def wish(item: RunItem | None) -> RunItem | None:
        return announced(run_id, subject, started_by, at) if item is None else None

    archive.runs.change(run_id, wish)
