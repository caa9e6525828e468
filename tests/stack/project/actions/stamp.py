"""The `stamp` action: says which version of its own code was called."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from functions.domain.action import Action
from functions.domain.context import Context

VERSION = 1


class Inputs(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Outputs(BaseModel):
    model_config = ConfigDict(extra="forbid")

    version: int


def run(inputs: Inputs, context: Context) -> Outputs:
    """Return the version."""
    del inputs, context
    return Outputs(version=VERSION)


ACTION = Action(
    name="stamp",
    description="Says which version of its code was called.",
    inputs=Inputs,
    outputs=Outputs,
    run=run,
    repeatable=True,
)
