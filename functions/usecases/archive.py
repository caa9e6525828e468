"""What records are kept and read with, and which version of a workflow an execution is of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from functions.domain.records.executions import Execution
from functions.domain.records.item import Subject
from functions.domain.records.plan import Plan, plan_of
from protocol.manifest import WorkflowManifest
from protocol.names import STARTED_BY, machine_name

if TYPE_CHECKING:  # each function loads what it uses itself, and no more
    from functions.domain.people import Directory
    from functions.event_ports import Bus
    from functions.ports import (
        Clock,
        Executions,
        Locks,
        Machines,
        Manifests,
        Notifications,
        Secrets,
        Tasks,
    )
    from functions.record_ports import Histories, ResultRows, Runs

_DEEPEST = 20
"""Executions between one and the run that all began with."""


LOST = timedelta(hours=1)
"""How long Step Functions may not know an execution before its run counts as lost."""


@dataclass(frozen=True, slots=True)
class Archive:
    """Where records are read: what is kept of runs, their results and tasks, their versions."""

    stage: str
    clock: Clock
    runs: Runs
    rows: ResultRows
    tasks: Tasks
    manifests: Manifests


@dataclass(frozen=True, slots=True)
class Keeper:
    """Who keeps the records, and does what the end of a run asks for.

    `address` gives the ARN of an execution by its machine's reference and its name, there or not;
    `api` is the address under which people reach the stage. `release` frees what an execution held
    or waited for in its concurrency group, and lets the next ones on. `lost` is how long an
    execution that was there may not be found before its run counts as lost.
    """

    archive: Archive
    histories: Histories
    machines: Machines
    executions: Executions
    locks: Locks
    release: Callable[[str], None]
    bus: Bus
    notifications: Notifications
    directory: Directory
    secrets: Secrets
    address: Callable[[str, str], str]
    api: str
    lost: timedelta = LOST
    plans: Plans = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "plans", Plans(self.archive.stage, self.archive.manifests))


class Plans:
    """Plans of versions of workflows; those read once are kept."""

    def __init__(self, stage: str, manifests: Manifests) -> None:
        self._stage = stage
        self._manifests = manifests
        self._known: dict[str, Plan] = {}

    def of(self, digest: str | None) -> Plan | None:
        """Return the plan of a version with those of what it calls; None for one not kept."""
        if digest is None:
            return None
        if digest not in self._known:
            manifest = self._manifests.by_digest(digest)
            if manifest is None:
                return None
            children = {
                machine_name(self._stage, reference): plan
                for reference, child in manifest["children"].items()
                if (plan := self.of(child)) is not None
            }
            self._known[digest] = plan_of(manifest, children)
        return self._known[digest]


def is_ours(execution: Execution, stage: str) -> bool:
    """Whether an execution is of a machine of the stage."""
    return execution.machine.startswith(machine_name(stage, ""))


def manifest_of(execution: Execution, keeper: Keeper) -> WorkflowManifest | None:
    """Return the version of its workflow that an execution is of; None where it is not known.

    A run names its manifest; what another calls is among the children of that one's.
    """
    manifests, runs = keeper.archive.manifests, keeper.archive.runs
    digest = execution.run.get("manifest")
    if isinstance(digest, str):
        return manifests.by_digest(digest)
    if execution.role != "child":
        item = runs.get(execution.run_id)
        return _by_digest(None if item is None else item.manifest, manifests)
    parent = runs.get(execution.parent or "")
    caller = _by_digest(None if parent is None else parent.manifest, manifests)
    if caller is None:
        starter = _starter(execution, keeper)
        caller = None if starter is None else manifest_of(starter, keeper)
    for reference, child in {} if caller is None else caller["children"].items():
        if machine_name(keeper.archive.stage, reference) == execution.machine:
            return manifests.by_digest(child)
    return None


def _by_digest(digest: str | None, manifests: Manifests) -> WorkflowManifest | None:
    return None if digest is None else manifests.by_digest(digest)


def _starter(execution: Execution, keeper: Keeper) -> Execution | None:
    """Return the run that called a workflow, past the chunk of a for_each between them."""
    for _ in range(_DEEPEST):
        arn = execution.input.get(STARTED_BY)
        found = keeper.histories.describe(arn) if isinstance(arn, str) else None
        if found is None or found.role in ("run", "child"):
            return found
        execution = found
    return None


def subject_of(execution: Execution, manifest: WorkflowManifest | None, stage: str) -> Subject:
    """Return which workflow an execution is of; without a manifest its machine's name tells."""
    if manifest is None:
        name = execution.machine.removeprefix(machine_name(stage, ""))
        return Subject(name, "", name, None)
    exact = f"{manifest['id']}@{manifest['version']}"
    is_exact = bool(manifest["version"]) and machine_name(stage, exact) == execution.machine
    reference = exact if is_exact else manifest["id"]
    return Subject(manifest["id"], manifest["version"], reference, manifest["digest"])
