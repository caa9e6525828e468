"""The scenario files that a call names, read and with their workflows compiled."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cli.console import Misuse
from cli.project.compile_file import Compiled, Refused, compile_whole
from cli.project.project import WORKFLOWS, Projects, root_of, shown_path
from cli.project.settings import FILE
from cli.scenarios.cases import SUFFIXES, Case, Scenario, is_scenario
from cli.scenarios.reading import read_draft, read_scenario
from cli.scenarios.subject import Subject
from compiler.diagnostics import Diagnostic, Severity
from compiler.document import source_from_bytes


@dataclass(frozen=True, slots=True)
class Named:
    """A scenario file that a call names, with the one case of it where one is named."""

    path: Path
    case: str | None = None


@dataclass(frozen=True, slots=True)
class Loaded:
    """A scenario file that can be played; `cases` are those that are to be."""

    scenario: Scenario
    subject: Subject
    cases: tuple[Case, ...]


@dataclass(eq=False)
class Loader:
    """Reads scenario files; each workflow is compiled once."""

    colour: bool = False
    projects: Projects = field(default_factory=Projects)
    _compiled: dict[Path, Compiled] = field(default_factory=dict)
    _refused: set[Path] = field(default_factory=set)

    def load(self, named: Named) -> tuple[Loaded | None, list[Diagnostic]]:
        """Return a file that can be played, or None with what is wrong with it.

        Of a workflow with mistakes they are told for the first of its scenarios only. Raises
        Misuse for a file that cannot be read, and for a case that is not there.
        """
        source, found = source_from_bytes(_bytes(named.path), shown_path(named.path))
        draft = read_draft(named.path, source, found)
        if draft is None:
            return None, list(found)
        key = draft.workflow.resolve()
        if key in self._refused:
            return None, list(found)
        try:
            compiled = self._compile(draft.workflow)
        except Refused as refused:
            self._refused.add(key)
            return None, [*found, *refused.diagnostics]
        subject = Subject(draft.workflow, compiled)
        scenario = read_scenario(draft, subject, found)
        if any(one.severity is Severity.ERROR for one in found):
            return None, list(found)
        return Loaded(scenario, subject, _chosen(scenario, named)), list(found)

    def _compile(self, path: Path) -> Compiled:
        key = path.resolve()
        if key not in self._compiled:
            shown = Path(shown_path(path))
            self._compiled[key] = compile_whole(shown, self.projects, colour=self.colour)
        return self._compiled[key]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Misuse(f"cannot read '{path}': {error.strerror}") from None


def _chosen(scenario: Scenario, named: Named) -> tuple[Case, ...]:
    if named.case is None:
        return scenario.cases
    found = tuple(case for case in scenario.cases if case.name == named.case)
    if not found:
        raise Misuse(f"'{named.path}' has no case '{named.case}'\n{listed(scenario)}")
    return found


def listed(scenario: Scenario) -> str:
    """Return the names of a file's cases, as help shows them."""
    return "its cases are:\n" + "\n".join(f"  {case.name}" for case in scenario.cases)


def named_by(word: str) -> Named:
    """Return what `FILE` or `FILE:CASE` names. Raises Misuse where there is no such file."""
    if Path(word).exists():
        return Named(Path(word))
    at = word.find(":")
    while at >= 0:
        if Path(word[:at]).is_file():
            return Named(Path(word[:at]), word[at + 1 :].strip())
        at = word.find(":", at + 1)
    raise Misuse(f"there is no file '{word}'{_near(Path(word))}")


def _near(path: Path) -> str:
    from difflib import get_close_matches

    names = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
    near = get_close_matches(path.name, names, 1, 0.75)
    return f"\ndid you mean '{path.parent / near[0]}'?" if near else ""


def scenario_files(words: Sequence[str]) -> list[Named]:
    """Return the scenario files that words name: files, `FILE:CASE`, folders with all below.

    Without a word those of the project's workflows. Raises Misuse for what is not there.
    """
    found: dict[tuple[Path, str | None], Named] = {}
    for word in words or (_default(),):
        for one in _of(word):
            found.setdefault((one.path.absolute(), one.case), one)
    return list(found.values())


def _of(word: str) -> list[Named]:
    named = named_by(word)
    if named.path.is_dir():
        files = [Named(path) for path in _below(named.path)]
        if not files:
            raise Misuse(f"the folder '{word}' holds no scenarios: no file named *{SUFFIXES[0]}")
        return files
    if is_scenario(named.path):
        return [named]
    beside = named.path.with_suffix("").with_suffix(SUFFIXES[0])
    if beside.is_file():
        return [Named(beside, named.case)]
    raise Misuse(f"'{named.path}' holds no scenarios: their files are named *{SUFFIXES[0]}")


def _below(folder: Path) -> Iterator[Path]:
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(here, name) for name in sorted(names) if is_scenario(Path(name)))


def _default() -> str:
    root = root_of(Path.cwd())
    if root is None:
        raise Misuse(f"there is no {FILE} here or above\nname a scenario file or a folder")
    folder = root / WORKFLOWS
    if not folder.is_dir():
        raise Misuse(f"the project in '{root}' has no folder '{WORKFLOWS}'")
    return shown_path(folder)
