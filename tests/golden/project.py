"""Files of workflows, compiled in the projects they are in as the command does it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from cli.project.project import Projects, workflow_files
from compiler.check import Surroundings
from compiler.pipeline import Compilation, compile_source
from compiler.source import Source

ROOT = Path(__file__).parents[2]

workflows = workflow_files


def compiled(files: Iterable[Path]) -> list[Compilation]:
    """Compile files, each in its project."""
    projects = Projects()
    return [
        projects.of(file).compile(file, file.read_bytes(), file.relative_to(ROOT).as_posix())
        for file in files
    ]


def said(made: Compilation) -> list[tuple[str, str]]:
    """Return the code and the message of everything that is said about a file."""
    return [(found.code, found.message) for found in made.diagnostics]


def surroundings() -> Surroundings:
    """Return what a new workflow of this repository is checked against."""
    file = ROOT / "workflows" / "new.yaml"
    return replace(Projects().of(file).surroundings(file), file="workflows/new.yaml")


def compiled_text(text: str, around: Surroundings) -> Compilation:
    """Compile a text as a file of this repository."""
    return compile_source(Source("new.yaml", text), around)
