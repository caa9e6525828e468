"""Keep that a run is started before Step Functions tells of it: who asks for it next finds it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from functions.domain.records.item import Subject, announced
from functions.usecases.start_run import Start, reference_of

if TYPE_CHECKING:
    from functions.event_ports import NewRuns
    from functions.ports import Clock, Manifests


def keep_start(start: Start, manifests: Manifests, runs: NewRuns, clock: Clock) -> None:
    """Keep a run that has just been started, unless it is known already."""
    manifest = start.manifest
    reference = reference_of(manifest, manifests)
    subject = Subject(manifest["id"], manifest["version"], reference, manifest["digest"])
    runs.add(announced(start.run_id, subject, json.loads(start.text), clock.now()))
