"""A project on disk: its root, settings and workflows, and what a workflow is checked against."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from cli.console import Misuse
from cli.project.actions import Actions
from cli.project.operations import operation
from cli.project.programs import RUNNER_PROGRAMS
from cli.project.settings import FILE, LOCAL, Settings, decode_settings
from compiler.check import Surroundings, WorkflowContract, contract
from compiler.diagnostics import Diagnostic, Diagnostics
from compiler.document import read, source_from_bytes
from compiler.pipeline import Compilation, compile_source
from compiler.source import Source
from compiler.spec import decode

WORKFLOWS = "workflows"
_SUFFIXES = (".yaml", ".yml")
SCENARIO = (".test.yaml", ".test.yml")
"""How files of scenarios end, which are no workflows."""


def is_workflow(path: Path) -> bool:
    """Whether a file is one that holds a workflow, by its name."""
    return path.name.endswith(_SUFFIXES) and not path.name.endswith(SCENARIO)


def workflow_files(folder: Path) -> list[Path]:
    """Return the workflow files in a folder and below it; hidden folders are left out."""
    found: list[Path] = []
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += (Path(here, name) for name in sorted(names) if is_workflow(Path(name)))
    return [path for path in found if path.name != FILE]


def root_of(path: Path) -> Path | None:
    """Return the folder of the project that a path is in: the nearest that has `stepsmith.yaml`."""
    start = path.absolute()
    for folder in (start, *start.parents):
        if (folder / FILE).is_file():
            return folder
    return None


class Workflows(Mapping[str, tuple[WorkflowContract, ...]]):
    """What the workflows of a project may know of each other, by id; read when first asked for."""

    def __init__(self, root: Path, files: tuple[Path, ...]) -> None:
        self._root = root
        self._files = files

    @cached_property
    def _found(self) -> dict[str, tuple[WorkflowContract, ...]]:
        found: dict[str, tuple[WorkflowContract, ...]] = {}
        pending = list(self._files)
        seen: set[Path] = set()
        for path in pending:  # grows while it is read
            resolved = path.resolve()
            if resolved in seen:
                continue
            seen.add(resolved)
            one = _contract(path, relative(path, self._root))
            if one is not None:
                found[one.id] = (*found.get(one.id, ()), one)
                pending += _pointed_to(one, self._root)
        return found

    def __getitem__(self, id: str) -> tuple[WorkflowContract, ...]:
        return self._found[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def relative(path: Path, root: Path) -> str:
    """Return a path from the project's root, with slashes."""
    return Path(os.path.relpath(path.absolute(), root)).as_posix()


def _contract(path: Path, file: str) -> WorkflowContract | None:
    try:
        data = path.read_bytes()
    except OSError:
        return None
    return contract_of(source_from_bytes(data, str(path))[0], file)


def contract_of(source: Source, file: str) -> WorkflowContract | None:
    """Return what other workflows may know of a file; None where it holds no workflow."""
    unsaid = Diagnostics(source)  # its own check tells what is wrong with it
    documents = read(source, unsaid)
    workflow = decode(documents[0], unsaid) if documents else None
    return None if workflow is None else contract(workflow, file)


def _pointed_to(one: WorkflowContract, root: Path) -> Iterator[Path]:
    for child in one.children:
        if child.startswith(("./", "../")):
            for place in (child, posixpath.join(posixpath.dirname(one.file), child)):
                path = root / posixpath.normpath(place)
                if path.is_file():
                    yield path


@dataclass(frozen=True)
class Project:
    """A project, or the folder of a file in none; `found` is what is wrong in its settings."""

    root: Path
    settings: Settings
    stage: str
    found: tuple[Diagnostic, ...] = ()
    is_declared: bool = False

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """The workflow files of the project."""
        return tuple(workflow_files(self.root / WORKFLOWS)) if self.is_declared else ()

    @cached_property
    def actions(self) -> Actions:
        """The actions that workflows can call, the project's own among them."""
        return Actions(self.root / "actions")

    @cached_property
    def _surroundings(self) -> Surroundings:
        return Surroundings(
            catalogue=self.actions,
            operation=operation,
            workflows=Workflows(self.root, self.files),
            stage=self.settings.stage(self.stage),
            runner_programs=RUNNER_PROGRAMS,
        )

    @cached_property
    def _known(self) -> frozenset[Path]:
        return frozenset(path.resolve() for path in self.files)

    def surroundings(self, path: Path) -> Surroundings:
        """Return what a file of the project is checked against."""
        file = relative(path, self.root)
        if path.resolve() in self._known:
            return replace(self._surroundings, file=file)
        workflows = Workflows(self.root, (*self.files, path))
        return replace(self._surroundings, file=file, workflows=workflows)

    def compile(self, path: Path, data: bytes, shown: str) -> Compilation:
        """Compile a file; `shown` is how messages name it."""
        source, found = source_from_bytes(data, shown)
        return compile_source(source, self.surroundings(path), found)


@dataclass
class Projects:
    """The projects of the files of one call, each read once."""

    stage: str | None = None
    _by_root: dict[Path, Project] = field(default_factory=dict)

    def of(self, path: Path) -> Project:
        """Return the project that a file is in. Raises Misuse for a stage it does not have."""
        root = root_of(path.parent)
        key = root or path.parent.absolute()
        if key not in self._by_root:
            self._by_root[key] = self._open(key, is_declared=root is not None)
        return self._by_root[key]

    def found(self) -> list[Diagnostic]:
        """Return what is wrong with the settings of the projects."""
        return [one for project in self._by_root.values() for one in project.found]

    def _open(self, root: Path, *, is_declared: bool) -> Project:
        settings, found = Settings.model_validate({}), Diagnostics(Source(FILE, ""))
        if is_declared:
            path = root / FILE
            source, found = source_from_bytes(path.read_bytes(), shown_path(path))
            settings = decode_settings(source, found)
        stage = LOCAL if self.stage is None else self.stage
        if stage not in settings.names():
            raise Misuse(_no_stage(stage, settings.names()))
        return Project(root, settings, stage, tuple(found), is_declared)


def _no_stage(stage: str, known: list[str]) -> str:
    from compiler.check.suggest import suggestion

    return f"there is no stage '{stage}'\n{suggestion(stage, known, 'the stages')}"


def shown_path(path: Path) -> str:
    """Return how messages name a file: from here, unless that leads far away."""
    there = os.path.relpath(path)
    return str(path.absolute()) if there.startswith("../../..") else there
