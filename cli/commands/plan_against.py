"""`stepsmith plan --against STAGE|PATH` and `--save DIR`: what a deploy would change."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cli.console import FINE, WRONG, Console, Misuse

if TYPE_CHECKING:
    from cli.against.deployed import Deployed
    from cli.project.project import Project


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Compare the project with what is deployed, then keep its manifests; as far as asked."""
    from cli.against import text as output
    from cli.against.comparison import comparison
    from cli.against.deployed import save
    from cli.project.compile_file import Refused
    from cli.project.manifests import workflows
    from cli.project.targets import targets

    project = _project(arguments)
    files = None
    if arguments.paths:
        files = [one.path for one in targets(arguments.paths, console)]
    try:
        found = workflows(project, files)
    except Refused as refused:
        console.stderr.write(str(refused))
        return WRONG
    if arguments.against is not None:
        deployed = _deployed(arguments.against, project, console.environ)
        told = comparison(found, deployed, project, whole=files is None)
        if arguments.format == "json":
            console.stdout.write(output.as_json(told))
        else:
            colour = console.colours(console.stdout)
            console.stdout.write(output.render(told, colour=colour))
    if arguments.save is not None:
        kept = save((one.manifest for one in found), Path(arguments.save))
        console.stderr.write(f"{len(kept)} manifests are in '{arguments.save}'\n")
    return FINE


def _project(arguments: argparse.Namespace) -> Project:
    """Return the project here, for the stage that is meant; raises Misuse."""
    from cli.project.project import Projects, root_of
    from cli.project.settings import FILE

    if "-" in arguments.paths:
        raise Misuse("--against and --save are about the files of a project: name them")
    root = root_of(Path.cwd())
    if root is None:
        raise Misuse(f"there is no {FILE} here or above\nstepsmith init DIR makes a project")
    stage = arguments.stage
    if stage is None and arguments.against is not None and not _is_elsewhere(arguments.against):
        stage = arguments.against
    return Projects(stage).of(root / FILE)


def _is_elsewhere(word: str) -> bool:
    """Whether a word is a path or an address, and so tells no stage to compile for."""
    return Path(word).exists() or "/" in word or word.endswith((".json", ".zip"))


def _deployed(word: str, project: Project, environ: Mapping[str, str]) -> Deployed:
    from cli.against.deployed import of_files, of_stage
    from cli.reach.client import Reach
    from cli.reach.deployed import deployed

    if _is_elsewhere(word) and not word.startswith(("https://", "http://")):
        if not Path(word).exists():
            raise Misuse(f"there is no '{word}'\n`stepsmith plan --save DIR` keeps manifests")
        return of_files(Path(word))
    return of_stage(Reach(deployed(word, project, environ)))
