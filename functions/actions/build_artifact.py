"""The `build-artifact` action: builds the source and gives the file that came of it."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from functools import partial
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from functions.actions.commands import inside, run_command
from functions.domain.action import Action
from functions.domain.context import Context
from functions.domain.errors import ArtifactNotFound, StepError, ValidationError
from functions.domain.services import Services
from functions.domain.telling import failure_text, telling_line

_PLACE = "dist"
_COMMAND = "make build"
_BLOCK = 1_048_576


class BuildError(StepError):
    """The command that builds ended with another exit code than 0."""


class Inputs(BaseModel):
    """What to build, and how."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    source: str | None = Field(None, description="A git repository (default: the run's source)")
    branch: str | None = Field(
        None, description="The branch, tag or commit (default: the source's)"
    )
    command: str | None = Field(
        None,
        description="What builds it (default: make build)",
        json_schema_extra={"format": "shell"},
    )
    options: dict[str, JsonValue] | None = Field(
        None, description="Each becomes a variable of the command's environment"
    )
    artifact: str | None = Field(
        None,
        description="The path of the file that is built (default: the literal output `artifact`, "
        "else the one file in `dist`)",
    )


class Outputs(BaseModel):
    """The file that was built, and what of: the commit, else the digest of the file."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    artifact: str
    revision: str


def run(inputs: Inputs, context: Context, *, services: Services) -> Outputs:
    """Build and return the artifact's path and the revision it was built of.

    Raises BuildError (with the exit code), ArtifactNotFound where the file is not there
    afterwards, StepTimedOut, or an error of a category where the repository cannot be reached.
    """
    if inputs.source is not None or inputs.branch is not None:
        services.repositories().fetch(inputs.source, inputs.branch, context.workspace, context)
    command = inputs.command or _COMMAND
    ended = run_command(command, context, _variables(inputs.options or {}))
    if ended.code != 0:
        headline = telling_line(ended.stderr, ended.stdout) or f"'{command}' failed without a word"
        text = failure_text(headline, ended.code, ended.stderr, ended.stdout)
        raise BuildError(text, status_code=ended.code)
    path = inputs.artifact or _literal(context) or _only_file(command, context)
    file = inside(path, context)
    if not file.exists():
        raise ArtifactNotFound(f"artifact not found at {path}: '{command}' did not make it")
    return Outputs(artifact=path, revision=_commit(context.workspace) or _digest(file))


def _variables(options: dict[str, JsonValue]) -> dict[str, str]:
    """Return options as a shell names and reads them: `include_tests` is INCLUDE_TESTS."""
    found: dict[str, str] = {}
    for option, value in options.items():
        name = re.sub(r"[^A-Za-z0-9]", "_", option).upper()
        if not name or name[0].isdigit() or name in found:
            raise ValidationError(f"the option '{option}' makes no variable of its own")
        plain = "" if value is None else value
        found[name] = plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
    return found


def _literal(context: Context) -> str | None:
    literal = context.literals.get("artifact")
    return literal if isinstance(literal, str) and literal else None


def _only_file(command: str, context: Context) -> str:
    folder = context.workspace / _PLACE
    files = sorted(path for path in folder.glob("*") if not path.name.startswith("."))
    if len(files) == 1:
        return f"{_PLACE}/{files[0].name}"
    if not files:
        raise ArtifactNotFound(
            f"artifact not found: '{command}' left nothing in '{_PLACE}'; say its path as "
            "`artifact`"
        )
    names = ", ".join(file.name for file in files[:5])
    raise ArtifactNotFound(
        f"'{command}' left {len(files)} files in '{_PLACE}' ({names}); say which one is the "
        "artifact as `artifact`"
    )


def _commit(workspace: Path) -> str | None:
    # A source that was cloned by a build may be read on Lambda, where there is no git.
    if not (workspace / ".git").exists() or shutil.which("git") is None:
        return None
    done = subprocess.run(
        ["git", "-C", str(workspace), "rev-parse", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() if done.returncode == 0 else None


def _digest(artifact: Path) -> str:
    """Return a digest of a file, or of a folder's files with their paths."""
    digest = hashlib.sha256()
    files = sorted(p for p in artifact.rglob("*") if p.is_file()) if artifact.is_dir() else []
    for file in files or [artifact]:
        digest.update(file.relative_to(artifact.parent).as_posix().encode() + b"\0")
        with file.open("rb") as content:
            while block := content.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()[:40]


def action(services: Services) -> Action[Inputs, Outputs]:
    """Return the action on what fetches repositories."""
    return Action(
        name="build-artifact",
        description="Builds the source, or another repository, and gives the file that came of it.",
        inputs=Inputs,
        outputs=Outputs,
        run=partial(run, services=services),
        repeatable=True,
        reads_files=True,
        error_types=(BuildError, ArtifactNotFound),
        files=("artifact",),
        runner="codebuild",
    )
