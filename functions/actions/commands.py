"""Shell commands that an action runs in the workspace, and the files it reads there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from functions.actions.processes import Ended, Program, run_program
from functions.domain.context import Context
from functions.domain.errors import ArtifactNotFound, StepTimedOut, ValidationError
from functions.domain.moments import lasted
from functions.domain.telling import failure_text
from protocol import environment


def run_command(command: str, context: Context, variables: Mapping[str, str]) -> Ended:
    """Run a command in bash and return how it ended; raises StepTimedOut."""
    context.logs.mkdir(parents=True, exist_ok=True)
    ended = run_program(
        Program(
            arguments=("bash", "-euo", "pipefail", "-c", command),
            directory=context.workspace,
            environment={
                **context.inherited,
                "CI": "true",
                environment.RUN_ID: context.run_id,
                environment.STEP_ID: context.step,
                environment.ATTEMPT: str(context.attempt),
                **variables,
                **context.env,
            },
            seconds=max(context.seconds_left(), 0.1),
            logs=context.logs / f"attempt-{context.attempt}",
            mask=context.masks.text if context.masks else None,
        )
    )
    ended = replace(ended, stderr=ended.stderr.replace(f"{context.workspace.parent}/", ""))
    if ended.timed_out:
        headline = f"'{command}' was stopped after {lasted(context.seconds)}"
        raise StepTimedOut(failure_text(headline, ended.code, ended.stderr, ended.stdout))
    return ended


def inside(path: str, context: Context) -> Path:
    """Return a path of the workspace; raises ValidationError for one outside of it."""
    place = context.workspace / path
    if not place.resolve().is_relative_to(context.workspace.resolve()):
        raise ValidationError(f"'{path}' lies outside the workspace")
    return place


def needed(path: str, context: Context) -> Path:
    """Return a file of the workspace; raises ArtifactNotFound that says who did not leave it."""
    place = inside(path, context)
    if place.exists():
        return place
    text = f"artifact not found at {path}"
    if len(context.files) == 1:
        text += f"\ncaused by: step '{context.files[0]}' did not produce '{path}'"
    elif context.files:
        names = ", ".join(f"'{step}'" for step in context.files)
        text += f"\ncaused by: none of the steps {names} produced '{path}'"
    raise ArtifactNotFound(text)
