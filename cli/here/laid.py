"""Compiled workflows, as a local stage takes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cli.project.manifests import graph
from compiler.check.workflows import highest
from compiler.manifest import manifest
from compiler.manifest.secrets import secrets_read
from local.stage.machines import Laid

if TYPE_CHECKING:
    from cli.project.compile_file import Compiled
    from cli.project.manifests import Workflow
    from cli.project.project import Project
    from compiler.pipeline import Compilation
    from protocol.manifest import WorkflowManifest


def laid(workflows: Iterable[Workflow], project: Project) -> list[Laid]:
    """Return a project's workflows, the highest version of each id under the id alone."""
    return [_laid(one.own, one.manifest, _reference(one, project)) for one in workflows]


def laid_whole(compiled: Compiled) -> list[Laid]:
    """Return a workflow and those it calls, by the references that its machines have for them."""
    found = {compiled.program.workflow: compiled.own, **compiled.called}
    return [_laid(one, _manifest(one, compiled), reference) for reference, one in found.items()]


def _laid(own: Compilation, made: WorkflowManifest, reference: str) -> Laid:
    assert own.program is not None
    machines = {machine.id: machine.definition for machine in own.machines}
    return Laid(reference, made, machines, secrets_read(own.program))


def _manifest(one: Compilation, compiled: Compiled) -> WorkflowManifest:
    made = manifest(one, compiled.called)
    made["graph"] = graph(one)
    return made


def _reference(one: Workflow, project: Project) -> str:
    id_, version = one.manifest["id"], one.manifest["version"]
    known = project.surroundings(project.root / one.manifest["file"]).workflows
    is_highest = (highest(known[id_]).version or "") == version
    return id_ if is_highest else one.reference
