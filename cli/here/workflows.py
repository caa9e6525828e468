"""The workflows of a project as `stepsmith dev` has them: read anew when a file changes.

A file with mistakes keeps the version that it had, and so do those that call it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from cli.console import Misuse
from cli.here.laid import laid
from cli.project.actions import ActionFault
from cli.project.compile_file import Refused
from cli.project.manifests import Workflow, workflows
from cli.project.project import WORKFLOWS, Project, Projects, relative, workflow_files
from cli.project.settings import FILE
from cli.project.watched import state_of

if TYPE_CHECKING:
    from functions.ports import Carries
    from local.stage.machines import Laid


@dataclass(frozen=True, slots=True)
class Read:
    """What a reading of the files gave: workflows by their files, and what is wrong, as text."""

    workflows: Mapping[str, Laid]
    actions: Mapping[str, Carries]
    mistakes: str = ""

    def laid(self) -> list[Laid]:
        """Return the workflows in the order in which they were read."""
        return [*self.workflows.values()]


def read_workflows(project: Project, files: Sequence[Path], last: Read | None = None) -> Read:
    """Return the workflows in files and those they call; of `last` those that have mistakes."""
    last = last or Read({}, {})
    try:
        found = workflows(project, files)
    except (Refused, Misuse) as refused:
        return _as_far_as_right(project, files, last, str(refused))
    return Read(_by_file(found, project), project.actions.asked())


def _as_far_as_right(project: Project, files: Sequence[Path], last: Read, mistakes: str) -> Read:
    found: dict[str, Laid] = {}
    for path in files:
        try:
            found |= _by_file(workflows(project, [path]), project)
        except (Refused, Misuse):
            name = relative(path, project.root)
            if name in last.workflows:
                found[name] = last.workflows[name]
    try:
        actions: Mapping[str, Carries] = project.actions.asked()
    except ActionFault:  # which the mistakes tell
        actions = last.actions
    return Read(found, actions, mistakes if mistakes.endswith("\n") else f"{mistakes}\n")


def _by_file(found: Iterable[Workflow], project: Project) -> dict[str, Laid]:
    return {one.manifest["file"]: one for one in laid(found, project)}


@dataclass
class Workflows:
    """Reads the workflows in a folder, a project or not."""

    root: Path
    colour: bool = False
    _seen: Mapping[Path, tuple[int, int]] = field(default_factory=dict)
    _last: Read = field(default_factory=lambda: Read({}, {}))

    def read(self) -> Read:
        """Return what there is now; raises Misuse where the project itself cannot be opened."""
        self._seen = self._state()
        project = Projects().of(self.root / FILE)
        self._last = read_workflows(project, self._files(project), self._last)
        return self._last

    def changed(self) -> Read | None:
        """Return what there is now, None where no file has changed since the last reading."""
        return None if self._state() == self._seen else self.read()

    def _files(self, project: Project) -> list[Path]:
        return [*project.files] if project.is_declared else workflow_files(self.root)

    def _state(self) -> dict[Path, tuple[int, int]]:
        words = [str(self.root / name) for name in (FILE, WORKFLOWS)]
        return state_of([word for word in words if Path(word).exists()] or [str(self.root)])
