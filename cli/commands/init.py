"""`stepsmith init`: the files of a new project, or of a new action in one."""

from __future__ import annotations

import argparse
from pathlib import Path

from cli.console import FINE, Console, Misuse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        metavar="DIR",
        help="where the project is made (default: this folder, if it is empty but for .git); "
        "no file is overwritten",
    )
    parser.add_argument(
        "--action",
        metavar="NAME",
        help="make an action and its test instead, in the project of this folder",
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Write the files and say what to try next; raises Misuse where one is there already."""
    from cli.starter import action_files, project_files, write

    folder: Path | None = arguments.folder
    name: str | None = arguments.action
    if folder is not None and name is not None:
        raise Misuse(
            "a folder is for a new project, an action comes into the project of this folder\n"
            "stepsmith init DIR\nstepsmith init --action NAME"
        )
    if folder is None and name is None:
        folder = _empty_here()
    if folder is not None:
        made, tell = write(folder, project_files()), _after_project(folder)
    else:
        assert name is not None
        root = _project_here()
        made, tell = write(root, action_files(name)), _after_action(name, root / "tests")
    listed = "".join(f"made {path}\n" for path in made)
    console.stdout.write(f"{listed}\n{tell}")
    return FINE


def _empty_here() -> Path:
    """Return this folder, for a project that nobody has named a place for."""
    if any(one.name != ".git" for one in Path.cwd().iterdir()):
        raise Misuse(
            "this folder is not empty: say whether the project is made in it\n"
            "`stepsmith init .` makes it here, and overwrites nothing\n"
            "`stepsmith init DIR` makes it in a folder of its own\n"
            "`stepsmith init --action NAME` makes an action for a project"
        )
    return Path()


def _project_here() -> Path:
    from cli.project.project import root_of
    from cli.project.settings import FILE

    root = root_of(Path.cwd())
    if root is None:
        raise Misuse(
            f"this folder is in no project: there is no {FILE} here or above\n"
            "stepsmith init DIR makes a project"
        )
    here = Path.cwd()
    return Path(*[".."] * len(here.relative_to(root).parts))


def _after_project(folder: Path) -> str:
    enter = "" if folder.resolve() == Path.cwd().resolve() else f"  cd {_quoted(folder)}\n"
    return (
        f"try next:\n{enter}"
        "  stepsmith test\n"
        "  stepsmith run workflows/hello.yaml --decide approve=approved --input name=Ada\n"
        "  stepsmith init --action greet\n"
        "\n"
        "to deploy into an account, with stepsmith[deploy] installed:\n"
        "  stepsmith build\n"
        "  npx cdk bootstrap\n"
        "  npx cdk deploy -c stage=dev\n"
    )


def _after_action(name: str, tests: Path) -> str:
    from importlib.util import find_spec

    install = "" if find_spec("pytest") else "  python -m pip install pytest\n"
    return (
        f"A step calls it with `action: {name}`, in runs on this machine.\n\n"
        f"try next:\n{install}  python -m pytest {tests}\n"
    )


def _quoted(folder: Path) -> str:
    import shlex

    return shlex.quote(str(folder))
