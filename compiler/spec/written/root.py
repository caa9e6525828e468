"""The root of a workflow as it may be written."""

from __future__ import annotations

from typing import Annotated, ClassVar, TypeAlias

from pydantic import Field, JsonValue, PlainValidator, WithJsonSchema

from compiler.spec.written.parts import Checkout, Concurrency, Defaults, Written
from compiler.spec.written.scalars import Duration, Fixed, Free, Maybe, Text
from compiler.spec.written.steps import Foreign, InnerSteps


def _one_or_list(name: str) -> WithJsonSchema:
    one = {"x-ref": name}
    return WithJsonSchema({"anyOf": [one, {"type": "array", "items": one}]})


_as_it_is = PlainValidator(lambda value: value)
Triggers: TypeAlias = Annotated[JsonValue, _as_it_is, _one_or_list("Trigger")]
Handlers: TypeAlias = Annotated[JsonValue, _as_it_is, _one_or_list("Step")]
Notifications: TypeAlias = Annotated[JsonValue, _as_it_is, _one_or_list("Notify")]
Jobs: TypeAlias = Annotated[
    JsonValue,
    _as_it_is,
    WithJsonSchema({"type": "object", "additionalProperties": {"x-ref": "Job"}}),
]
Contract: TypeAlias = Annotated[
    JsonValue,
    _as_it_is,
    WithJsonSchema({"type": "object", "additionalProperties": {"x-ref": "Field"}}),
]
Results: TypeAlias = Annotated[
    JsonValue,
    _as_it_is,
    WithJsonSchema({"type": "object", "additionalProperties": {"x-ref": "Result"}}),
]
Schema: TypeAlias = Annotated[
    JsonValue,
    _as_it_is,
    WithJsonSchema(
        {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "inputs": {"type": "object", "additionalProperties": {"x-ref": "Field"}},
                "outputs": {"type": "object", "additionalProperties": {"x-ref": "Result"}},
            },
        }
    ),
]


class Root(Written):
    """A workflow."""

    place: ClassVar[str] = "the workflow"
    foreign: ClassVar[Foreign] = {
        "on": (None, "write `trigger`, with a `type`"),
        "triggers": ("trigger", "write `trigger`, one or a list"),
        "tasks": ("steps", "write `steps`"),
        "states": (None, "write `steps`, a list"),
        "start_at": (None, "a workflow starts with its first step; leave it out"),
        "params": ("inputs", "write `inputs`"),
        "parameters": ("inputs", "write `inputs`"),
        "variables": ("env", "write `env`"),
        "vars": (None, "variables of a stage stand in stepsmith.yaml"),
        "secrets": (None, "name each secret where it is used: ${{ secrets.NAME }}"),
        "permissions": (None, "the compiler writes the permissions; leave it out"),
        "runs_on": (None, "write `defaults: {runner: lambda}` or `codebuild`"),
        "run_name": (None, "leave it out: a run is known by the workflow's name, which is fixed"),
        "timeout_minutes": (None, "write `timeout` with a unit, such as 30m"),
        "retry": (None, "write it under `defaults`, for every step"),
        "runner": (None, "write it under `defaults`, for every step"),
        "on_error": (None, "write `on_failure` with steps, or `on_error` on a step"),
        "schedule": (None, "write `trigger: {type: schedule, cron: ...}`"),
        "cases": (None, "scenarios stand in a file of their own, named *.test.yaml"),
    }

    name: Maybe[Fixed] = Field(None, description="What people read; the file's name if left out")
    id: Maybe[Fixed] = Field(None, description="The slug of the name if left out")
    version: Maybe[Fixed] = Field(None, description="Such as 1 or 2.3")
    description: Maybe[Text] = Field(None, description="What the workflow is for")
    trigger: Maybe[Triggers] = Field(None, description="What starts it: one trigger or a list")
    inputs: Maybe[Contract] = Field(None, description="What a run is given")
    outputs: Maybe[Results] = Field(None, description="What a run gives")
    schema_: Maybe[Schema] = Field(
        None, alias="schema", description="inputs and outputs under one key"
    )
    env: Maybe[Free] = Field(None, description="Environment variables of every step")
    defaults: Maybe[Defaults] = Field(None, description="retry, timeout and runner of every step")
    source: Maybe[Checkout] = Field(None, description="The files that the steps work on")
    timeout: Maybe[Duration] = Field(None, description="A deadline for the run, such as 4h")
    concurrency: Maybe[Concurrency] = Field(None, description="How many runs at once")
    steps: Maybe[InnerSteps] = Field(None, description="The steps")
    jobs: Maybe[Jobs] = Field(None, description="Calls of other workflows, by their names")
    on_failure: Maybe[Handlers] = Field(None, description="Steps to run after a failure")
    notify: Maybe[Notifications] = Field(None, description="Whom to tell of what")
