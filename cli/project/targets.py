"""The workflow files that a call names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cli.console import Console, Misuse
from cli.project.project import SCENARIO, WORKFLOWS, Projects, root_of, workflow_files
from cli.project.settings import FILE
from compiler.pipeline import Compilation

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Target:
    """A file to compile: where it is, what messages call it, and its bytes where already read."""

    path: Path
    shown: str
    data: bytes | None = None

    def read(self) -> bytes:
        """Return the file's bytes. Raises Misuse where it cannot be read."""
        if self.data is not None:
            return self.data
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise Misuse(f"cannot read '{self.shown}': {error.strerror}") from None


def targets(words: Sequence[str], console: Console) -> list[Target]:
    """Return the files that words of a call name: files, folders, `-` for standard input.

    Without a word the project's workflows. Raises Misuse for what is not there.
    """
    found: list[Target] = []
    # A shell gives all that `workflows/*.yaml` matches; of a folder scenarios are left out, too.
    words = [one for one in words if not one.endswith(SCENARIO)] or words
    for word in words or (_default(),):
        if word == STDIN:
            found.append(Target(Path("stdin.yaml"), "<stdin>", console.read_stdin()))
        else:
            found += _of(word)
    return list({target.path.absolute(): target for target in found}.values())


def _default() -> str:
    root = root_of(Path.cwd())
    if root is None:
        raise Misuse(f"there is no {FILE} here or above\nname a workflow file or a folder")
    folder = root / WORKFLOWS
    if not folder.is_dir():
        raise Misuse(f"the project in '{root}' has no folder '{WORKFLOWS}'")
    return str(folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder)


def _of(word: str) -> list[Target]:
    path = Path(word)
    if path.is_dir():
        files = workflow_files(path)
        if not files:
            raise Misuse(f"the folder '{word}' holds no workflow")
        return [Target(file, str(file)) for file in files]
    if not path.exists():
        raise Misuse(not_there(path))
    return [Target(path, word)]


def not_there(path: Path) -> str:
    """Return that there is no such file, with the one that may be meant."""
    from difflib import get_close_matches

    folder = path.parent
    root = root_of(Path.cwd())
    files = [] if root is None else workflow_files(root / WORKFLOWS)
    meant = [Path(os.path.relpath(one)) for one in files if path.name in (one.name, one.stem)]
    names = [one.name for one in folder.iterdir()] if folder.is_dir() else []
    meant += [folder / near for near in get_close_matches(path.name, names, 1, 0.75)]
    hint = f"\ndid you mean '{meant[0]}'?" if meant else ""
    return f"there is no file '{path}'{hint}"


def one_target(word: str, console: Console) -> Target:
    """Return the one file that a word names. Raises Misuse for a folder."""
    if word != STDIN and Path(word).is_dir():
        raise Misuse(f"'{word}' is a folder\nname one workflow file")
    return targets([word], console)[0]


def compile_targets(found: Sequence[Target], projects: Projects) -> list[Compilation]:
    """Compile files, each in its project."""
    return [
        projects.of(target.path).compile(target.path, target.read(), target.shown)
        for target in found
    ]
