"""What is deployed: asked of a stage, or read from manifests that were kept."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli.console import Misuse
from cli.reach.client import Reach, at
from compiler.check.workflows import order
from protocol.manifest import WorkflowManifest

_OPEN = ("running", "paused")


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a workflow; `source` is the text of its file, None where it was not kept."""

    id: str
    version: str
    digest: str
    file: str
    source: str | None

    @property
    def reference(self) -> str:
        """The text that names exactly this version."""
        return f"{self.id}@{self.version}" if self.version else self.id

    @property
    def rank(self) -> tuple[tuple[int, int, str], ...]:
        """What orders the versions of an id."""
        return order(self.version or None)


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run that is not over."""

    id: str
    workflow: str
    version: str
    status: str
    started_at: str


@dataclass(frozen=True, slots=True)
class Deployed:
    """What is deployed at a place; `runs` are None where nobody can be asked for them."""

    place: str
    versions: tuple[Version, ...]
    runs: tuple[OpenRun, ...] | None = None


def of_stage(api: Reach) -> Deployed:
    """Return what a stage has; raises Misuse."""
    versions = []
    for one in api.pages(at("workflows")):
        name = f"{one['id']}@{one['version']}" if one["version"] else one["id"]
        whole = api.get(at("workflows", name))
        versions.append(
            Version(one["id"], one["version"], whole["digest"], whole["file"], whole["source"])
        )
    runs = [
        OpenRun(
            one["run_id"],
            one["workflow_id"],
            one["workflow_version"],
            one["status"],
            one["started_at"],
        )
        for status in _OPEN
        for one in api.pages(at("runs"), status=status)
    ]
    return Deployed(api.place, tuple(versions), tuple(runs))


def of_files(path: Path) -> Deployed:
    """Return what manifests tell: of a folder, of a file, or of the archive of the API's function.

    Raises Misuse for what holds none.
    """
    try:
        found = [_version(text, name) for name, text in _texts(path).items()]
    except (OSError, zipfile.BadZipFile) as error:
        raise Misuse(f"'{path}' cannot be read: {error}") from None
    if not found:
        raise Misuse(
            f"'{path}' holds no manifests\n`stepsmith plan --save DIR` keeps those of a project"
        )
    found.sort(key=lambda one: (one.id, one.rank))
    return Deployed(str(path), tuple(dict.fromkeys(found)))


def save(manifests: Iterable[WorkflowManifest], folder: Path) -> list[Path]:
    """Write manifests into a folder, one file for each, and return the files.

    Those of workflows that are there no more are taken away.
    """
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for one in manifests:
            name = f"{one['id']}@{one['version']}" if one["version"] else one["id"]
            path = folder / f"{name}.json"
            kept = {key: value for key, value in one.items() if key != "graph"}
            path.write_text(
                json.dumps(kept, indent=2, ensure_ascii=False, sort_keys=True) + "\n",
                encoding="utf-8",
            )
            written.append(path)
        for path in {*folder.glob("*.json")} - {*written}:
            if _is_manifest(path.read_bytes()):
                path.unlink()
    except OSError as error:
        raise Misuse(f"'{folder}' cannot be written: {error.strerror}") from None
    return written


def _texts(path: Path) -> Mapping[str, bytes]:
    if path.is_dir():
        return {str(one): one.read_bytes() for one in sorted(path.glob("*.json"))}
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            names = [one for one in archive.namelist() if _is_one(one)]
            return {f"{path}: {name}": archive.read(name) for name in names}
    return {str(path): path.read_bytes()}


def _is_one(name: str) -> bool:
    return name.startswith("manifests/") and name.endswith(".json")


def _read(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _is_manifest(text: bytes) -> bool:
    found = _read(text)
    return isinstance(found, dict) and all(
        isinstance(found.get(key), str) for key in ("id", "version", "digest", "file")
    )


def _version(text: bytes, name: str) -> Version:
    if not _is_manifest(text):
        raise Misuse(
            f"'{name}' is no manifest\n`stepsmith plan --save DIR` writes manifests and nothing "
            "else into a folder"
        )
    found = _read(text)
    source = found.get("source")
    return Version(
        found["id"],
        found["version"],
        found["digest"],
        found["file"],
        source if isinstance(source, str) else None,
    )
