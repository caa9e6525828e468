"""What a deploy would change: the workflows of a project beside those that are deployed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from cli.against.changes import (
    Change,
    Compared,
    Comparison,
    differences,
    needs,
    triggers_of,
)
from cli.against.deployed import Deployed, OpenRun, Version
from cli.plan.overview import overview
from cli.project.manifests import Workflow
from cli.project.project import Project
from compiler.diagnostics import Diagnostics, Severity
from compiler.document import read
from compiler.pipeline import Compilation
from compiler.source import Source
from compiler.spec import decode, model


def comparison(
    found: Sequence[Workflow], deployed: Deployed, project: Project, *, whole: bool
) -> Comparison:
    """Compare workflows of a project with what is deployed; `whole`: they are all it has."""
    pairs = _pairs([_version(one) for one in found], deployed.versions)
    known = {_version(one): one for one in found}
    compared = [
        _compared(before, after, None if after is None else known[after], project)
        for before, after in pairs
        if after is not None or whole
    ]
    with_runs = [_with_runs(one, deployed.runs or ()) for one in compared]
    return Comparison(deployed.place, tuple(with_runs), deployed.runs is not None)


def _version(one: Workflow) -> Version:
    manifest = one.manifest
    return Version(
        manifest["id"],
        manifest["version"],
        manifest["digest"],
        manifest["file"],
        manifest.get("source"),
    )


# --- what belongs together -----------------------------------------------------------------------


def _pairs(
    project: Sequence[Version], deployed: Sequence[Version]
) -> list[tuple[Version | None, Version | None]]:
    """Return versions side by side: the same ones, then the highest that is left of an id."""
    mine = {(one.id, one.version): one for one in project}
    theirs = {(one.id, one.version): one for one in deployed}
    left = {key: one for key, one in theirs.items() if key not in mine}
    found: dict[tuple[str, str], tuple[Version | None, Version | None]] = {}
    for key, one in sorted(mine.items(), key=lambda item: item[1].rank, reverse=True):
        before = theirs.get(key)
        if before is None:
            others = sorted((o for o in left.values() if o.id == one.id), key=lambda o: o.rank)
            before = left.pop((others[-1].id, others[-1].version)) if others else None
        found[key] = (before, one)
    gone = [(one, None) for one in left.values()]
    return [*(found[key] for key in sorted(found)), *gone]


# --- one pair ------------------------------------------------------------------------------------


def _compared(
    before: Version | None, after: Version | None, own: Workflow | None, project: Project
) -> Compared:
    if own is not None and before is None:
        return Compared(None, after, tuple(_new(own)))
    if before is None or after is None or own is None or before.digest == after.digest:
        return Compared(before, after)
    if before.source is None or after.source is None:
        note = "what it says is not known: the text of its file was not kept"
        return Compared(before, after, notes=(note,))
    changes = _versions(before, after)
    said, told = _read(before), _read(after)
    notes: list[str] = []
    if said is None or told is None:
        notes.append("what its steps were cannot be read any more")
    else:
        changes += differences(said, told)
    old = project.compile(_path(before, project), before.source.encode(), before.file)
    if any(one.severity is Severity.ERROR for one in old.diagnostics):
        first = next(one for one in old.diagnostics if one.severity is Severity.ERROR)
        notes.append(
            "permissions and secrets are not compared, for what is deployed does not fit what "
            f"the project has now: {first.message}"
        )
    else:
        changes += _needs(old, own.own)
    if not changes and not notes:
        notes.append(_OTHERWISE)
    return Compared(before, after, tuple(changes), tuple(notes))


_OTHERWISE = (
    "it says the same, and is compiled otherwise: what it calls has changed, or the settings of "
    "the stage, or Stepsmith itself"
)


def _new(own: Workflow) -> list[Change]:
    """Return what comes with a new workflow: what starts it, and what it needs."""
    version = _version(own)
    said = _read(version)
    return [*(triggers_of(said) if said else ()), *_needs(None, own.own)]


def _versions(before: Version, after: Version) -> list[Change]:
    pairs = (("version", before.version, after.version), ("file", before.file, after.file))
    return [
        Change("changed", "workflow", "", key, old or None, new or None)
        for key, old, new in pairs
        if old != new
    ]


def _read(version: Version) -> model.Workflow | None:
    source = Source(version.file, version.source or "")
    unsaid = Diagnostics(source)  # what is deployed was right when it was
    documents = read(source, unsaid)
    return decode(documents[0], unsaid) if documents else None


def _path(version: Version, project: Project) -> Path:
    return project.root / version.file


def _needs(before: Compilation | None, after: Compilation) -> list[Change]:
    (read, allowed), (reads, allows) = _needed(before), _needed(after)
    return [*needs("secret", read, reads), *needs("permission", allowed, allows)]


def _needed(one: Compilation | None) -> tuple[list[str], list[str]]:
    """Return the secrets that a workflow reads, and what its machines are allowed."""
    if one is None:
        return [], []
    found = overview(one, None)
    allowed = [
        f"{', '.join(each.actions)} on {resource}"
        for each in found.permissions
        for resource in each.resources
    ]
    return [*found.secrets], allowed


def _with_runs(one: Compared, runs: Iterable[OpenRun]) -> Compared:
    if one.before is None or one.is_same:
        return one
    old = one.before
    mine = tuple(run for run in runs if (run.workflow, run.version) == (old.id, old.version))
    return replace(one, runs=mine)
