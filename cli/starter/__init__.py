"""The files that `stepsmith init` writes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from string import Template

from cli.console import Misuse

_PROJECT = {
    "stepsmith.yaml": "stepsmith.yaml",
    "app.py": "app.txt",
    "cdk.json": "cdk.json",
    "workflows/hello.yaml": "workflows/hello.yaml",
    "workflows/hello.test.yaml": "workflows/hello.test.yaml",
    ".gitignore": "gitignore",
}
"""The files of a project, and what they are called here."""
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LONGEST = 40
"""A function of Lambda has a name of 64 characters, in which those of project and stage stand."""


def project_files() -> dict[str, str]:
    """Return the text of each file of a new project, by its path from the project's folder."""
    return {path: _text(f"project/{name}") for path, name in _PROJECT.items()}


def action_files(name: str) -> dict[str, str]:
    """Return the text of a new action's file and of its test, by path from the project's folder.

    Raises Misuse for a name that no action can have.
    """
    _check_name(name)
    file = name.replace("-", "_")
    filled = {"name": name, "file": file}
    return {
        f"actions/{file}.py": Template(_text("action/action.txt")).substitute(filled),
        f"tests/test_{file}.py": Template(_text("action/test.txt")).substitute(filled),
    }


def write(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Write files into a folder and return their paths.

    Raises Misuse where one of them is there already, and then writes none.
    """
    paths = {folder / path: text for path, text in files.items()}
    for path in paths:
        if path.exists() or path.is_symlink():
            raise Misuse(f"'{path}' is there already, and is left as it is")
    for path, text in paths.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise Misuse(f"'{path}' cannot be written: {error.strerror}") from None
    return list(paths)


def _text(name: str) -> str:
    return resources.files("cli.starter").joinpath(name).read_text(encoding="utf-8")


def _check_name(name: str) -> None:
    from functions.wiring import ACTIONS

    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        raise Misuse(
            f"'{name}' is no name of an action\n"
            f"write small letters and digits, words joined by -, at most {_LONGEST} characters"
        )
    if name == "test" or name.startswith("test-"):
        raise Misuse(f"'{name}' would be taken for a test\nwrite a name that begins otherwise")
    if name in ACTIONS:
        raise Misuse(f"there is an action '{name}' already: it comes with Stepsmith")
