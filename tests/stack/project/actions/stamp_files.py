"""The `stamp-files` action: reads a file, on CodeBuild, by a program that no function has."""

from __future__ import annotations

import subprocess

from pydantic import BaseModel, ConfigDict

from functions.domain.action import Action
from functions.domain.context import Context


class Inputs(BaseModel):
    model_config = ConfigDict(extra="forbid")

    file: str


class Outputs(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str


def run(inputs: Inputs, context: Context) -> Outputs:
    """Return what the file says."""
    subprocess.run(["git", "--version"], check=True, capture_output=True)
    return Outputs(text=(context.workspace / inputs.file).read_text(encoding="utf-8").strip())


ACTION = Action(
    name="stamp-files",
    description="Reads a file, where there is git.",
    inputs=Inputs,
    outputs=Outputs,
    run=run,
    repeatable=True,
    reads_files=True,
    runner="codebuild",
)
