"""A step as it may be written: one model for each kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, JsonValue, PlainValidator, WithJsonSchema

from compiler.spec.written import meant
from compiler.spec.written.parts import ALSO, Escalation, Repeat, Retry, Runner, Verdict, Written
from compiler.spec.written.scalars import (
    Anything,
    Count,
    Duration,
    Expression,
    Fixed,
    FixedTexts,
    Flag,
    Free,
    Maybe,
    Pause,
    Text,
    Texts,
    Word,
    choice,
)

Foreign: TypeAlias = Mapping[str, tuple[str | None, str]]

Inner: TypeAlias = Annotated[
    JsonValue, PlainValidator(lambda v: v), WithJsonSchema({"x-ref": "Step"})
]
InnerSteps: TypeAlias = Annotated[
    JsonValue,
    PlainValidator(lambda v: v),
    WithJsonSchema({"type": "array", "items": {"x-ref": "Step"}}),
]
Pattern: TypeAlias = Annotated[
    JsonValue,
    PlainValidator(lambda v: v),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "object"},
                {"type": "string"},
                {"type": "array", "items": {"type": "string"}},
            ]
        }
    ),
]
OnError: TypeAlias = Annotated[
    Literal["fail", "continue", "pause"], *choice("fail", "continue", "pause", why=meant.ON_ERROR)
]

COMMON: Foreign = {
    "if": ("condition", "write `condition`"),
    "when": ("condition", "write `condition`"),
    "needs": ("depends_on", "write `depends_on`"),
    "depends": ("depends_on", "write `depends_on`"),
    "after": ("depends_on", "write `depends_on`"),
    "dependencies": ("depends_on", "write `depends_on`"),
    "upstream": ("depends_on", "write `depends_on`"),
    "trigger_rule": (None, "write `condition`, such as ${{ always() }}"),
    "template": (None, "write `action:` or `run:`, or `type: subworkflow` with `workflow:`"),
    "resource": (None, "write `action:` with an action, or with aws:SERVICE:OPERATION"),
    "end": (None, "the run ends when no step is left; leave it out"),
    "with_items": ("for_each", "write `for_each`"),
    "loop": ("for_each", "write `for_each`"),
    "items": ("for_each", "write `for_each`"),
    "as": (None, "an item is read as item, and its place in the list as index"),
    "loop_var": (None, "an item is read as item, and its place in the list as index"),
    "max_parallel": ("max_concurrency", "write `max_concurrency`"),
    "parallelism": ("max_concurrency", "write `max_concurrency`"),
    "timeout_minutes": (None, "write `timeout` with a unit, such as 30m"),
    "timeout_seconds": (None, "write `timeout` with a unit, such as 90s"),
    "continue_on_error": (None, "write `on_error: continue`"),
    "ignore_errors": (None, "write `on_error: continue`"),
    "allow_failure": (None, "write `on_error: continue`"),
    "on_failure": (None, "a step says `on_error` or `compensate`; handlers stand at the root"),
    "retries": (None, "write `retry: {count: 3}`"),
    "runs_on": (None, "write `runner: lambda` or `runner: codebuild`, on a script"),
    "strategy": (None, "write `for_each` with the list of items"),
    "matrix": (None, "write `for_each` with the list of items"),
    "secrets": (None, "name each secret where it is used: ${{ secrets.NAME }}"),
    "permissions": (None, "the compiler writes the permissions; leave it out"),
    "environment": (None, "write `env` for variables; for reviewers a step with `type: manual`"),
    "concurrency": (None, "write it at the root; for one step, put that into its own workflow"),
    "services": (None, "there are none; start it in the script: `docker run -d ...`"),
    "container": (None, "write `image`, on a script"),
    "defaults": (None, "write it at the root; for `working-directory` write `cd` in the script"),
    "shell": (None, "scripts run in bash; leave it out"),
    "working_directory": (None, "write `cd` in the script"),
    "undo": ("compensate", "write `compensate`"),
    "rollback": ("compensate", "write `compensate`"),
    "next": (None, "a step starts after the one above it, or after those of `depends_on`"),
    "label": ("name", "write `name`"),
}
_SCRIPT: Foreign = {
    "container": (None, "write `image`"),
    "script": ("run", "write `run`"),
    "command": ("run", "write `run`"),
    "cmd": ("run", "write `run`"),
    "shell_command": ("run", "write `run`"),
}
_INPUTS: Foreign = {
    "with": ("inputs", "write `inputs`"),
    "params": ("inputs", "write `inputs`"),
    "parameters": ("inputs", "write `inputs`"),
    "args": ("inputs", "write `inputs`"),
    "arguments": ("inputs", "write `inputs`"),
}


class StepPart(Written):
    """What every kind of step may have."""

    place: ClassVar[str] = "a step"
    foreign: ClassVar[Foreign] = COMMON

    id: Maybe[Fixed] = Field(
        None, description="Unique in the file; the slug of the name if left out"
    )
    name: Maybe[Fixed] = Field(None, description="What people read")
    description: Maybe[Text] = Field(None, description="What the step is for")
    depends_on: Maybe[FixedTexts] = Field(
        None, description="Steps that must have ended; [] starts at once; left out: order only"
    )
    condition: Maybe[Expression] = Field(None, description="The step is skipped unless this holds")
    retry: Maybe[Retry] = Field(None, description="When and how often it is tried again")
    timeout: Maybe[Duration] = Field(None, description="The time for one attempt, such as 15m")
    on_error: Maybe[OnError] = Field(None, description="What a failure does (fail)")
    continue_on_failure: Maybe[Flag] = Field(None, description="The same as on_error: continue")
    outputs: Maybe[Free] = Field(None, description="Names to values; literals stand in")
    env: Maybe[Free] = Field(None, description="Environment variables")
    for_each: Maybe[Anything] = Field(
        None,
        description="A list, or an expression that gives one; the step runs for every item",
        json_schema_extra={"anyOf": [{"type": "array"}, {"type": "string"}]},
    )
    max_items: Maybe[Count] = Field(None, description="The most items there may be (100)")
    max_concurrency: Maybe[Count] = Field(None, description="How many items at once")
    fail_fast: Maybe[Flag] = Field(
        None, description="Stop the other items, or a block's other steps, when one fails (false)"
    )
    repeat: Maybe[Repeat] = Field(None, description="Run it again until a condition holds")
    compensate: Maybe[Inner] = Field(None, description="A step that undoes this one")
    checkpoint: Maybe[Flag] = Field(None, description="Keep the result, so that resume skips it")
    artifacts: Maybe[FixedTexts] = Field(None, description="Paths of files that later steps read")


class ActionStep(StepPart):
    """Calls an action or an AWS API."""

    place: ClassVar[str] = "an action step"
    foreign: ClassVar[Foreign] = {**COMMON, **_INPUTS}

    action: Fixed = Field(description="The name of an action, or aws:SERVICE:OPERATION")
    inputs: Maybe[Free] = Field(None, description="What the action is given")
    callback: Maybe[Flag] = Field(None, description="It ends when an outside system says so")
    runner: Maybe[Runner] = Field(None, description="Where an action for CodeBuild runs")
    image: Maybe[Fixed] = Field(None, description="A container image to run it in, on CodeBuild")


class RunStep(StepPart):
    """Runs a script."""

    place: ClassVar[str] = "a script step"
    foreign: ClassVar[Foreign] = {
        **COMMON,
        **_SCRIPT,
        "with": (None, "a script takes its values from `env` and ${{ ... }}"),
        "inputs": (None, "a script takes its values from `env` and ${{ ... }}"),
    }

    run: Word = Field(description="A bash script")
    runner: Maybe[Runner] = Field(None, description="Where it runs; chosen if left out")
    image: Maybe[Fixed] = Field(None, description="A container image to run it in, on CodeBuild")


class ManualStep(StepPart):
    """Waits for a person."""

    place: ClassVar[str] = "a manual step"
    foreign: ClassVar[Foreign] = {
        **COMMON,
        "approvers": ("assignees", "write `assignees`"),
        "reviewers": ("assignees", "write `assignees`"),
        "assignee": ("assignees", "write `assignees`"),
        "due": ("due_in", "write `due_in` with a duration, such as 72h"),
        "due_at": (None, "write `due_in` with a duration, such as 72h"),
        "min_approvals": ("quorum", "write `quorum`"),
        "approvals": ("quorum", "write `quorum`"),
        "fields": (None, "write `form`, a JSON Schema"),
        "escalation": (None, "write `escalations`, a list of {after, notify, message}"),
    }

    type: Literal["manual"] = Field(description="A step that waits for a person")
    title: Maybe[Word] = Field(None, description="What to decide, in a few words")
    assignees: Maybe[Texts] = Field(
        None, description="Mail addresses or group:NAME; the stage's approvers if left out"
    )
    due_in: Maybe[Duration] = Field(
        None, description="When it should be decided; only marks it late"
    )
    timeout: Maybe[Duration] = Field(None, description="When it ends undecided (72h)")
    escalations: Maybe[tuple[Escalation, ...]] = Field(
        None, description="Whom to tell when nobody has decided"
    )
    quorum: Maybe[Count] = Field(None, description="How many must approve (1)")
    form: Maybe[Free] = Field(None, description="JSON Schema of what the person fills in")
    auth: Maybe[Annotated[Literal["link", "login"], *choice("link", "login", why=meant.AUTH)]] = (
        Field(None, description="How the person is known: by the link (default) or a login")
    )
    self_approval: Maybe[Flag] = Field(None, description="Whether who started the run may approve")
    on_reject: Maybe[Verdict] = Field(None, description="What a rejection does to the run (fail)")
    on_timeout: Maybe[Verdict] = Field(None, description="What silence does to the run (fail)")


class ParallelStep(StepPart):
    """Runs steps side by side."""

    place: ClassVar[str] = "a parallel step"
    foreign: ClassVar[Foreign] = {
        **COMMON,
        "branches": ("steps", "write `steps`"),
        "tasks": ("steps", "write `steps`"),
    }

    type: Literal["parallel"] = Field(description="Steps that run side by side")
    steps: InnerSteps = Field(description="Each at once unless it says depends_on")


class SubworkflowStep(StepPart):
    """Calls another workflow."""

    place: ClassVar[str] = "a subworkflow step"
    foreign: ClassVar[Foreign] = {
        **COMMON,
        **_INPUTS,
        "uses": ("workflow", "write `workflow`"),
        "version": (None, "write it after the id: `workflow: build-app@1`"),
    }

    type: Literal["subworkflow"] = Field(description="A call of another workflow")
    workflow: Fixed = Field(description="Its id, id@version, or ./path of its file")
    inputs: Maybe[Free] = Field(None, description="What it is given")


class WaitStep(StepPart):
    """Waits for a time or an event."""

    place: ClassVar[str] = "a wait step"
    foreign: ClassVar[Foreign] = {
        **COMMON,
        "duration": ("for", "write `for`"),
        "seconds": (None, "write `for` with a unit, such as 90s"),
        "pattern": ("event", "write `event`"),
    }

    type: Literal["wait"] = Field(description="A wait for a time or an event")
    for_: Maybe[Pause] = Field(None, alias="for", description="How long, such as 10m")
    until: Maybe[Expression] = Field(None, description="An expression that gives a time stamp")
    event: Maybe[Pattern] = Field(None, description="An event's name or EventBridge pattern")
    match: Maybe[Expression] = Field(None, description="An expression over the event")
    timeout: Maybe[Duration] = Field(None, description="How long to wait for the event (72h)")


class PublishStep(StepPart):
    """Puts an event on the bus."""

    place: ClassVar[str] = "a publish step"
    foreign: ClassVar[Foreign] = {
        **COMMON,
        "detail_type": ("event", "write `event`"),
        "detail": ("payload", "write `payload`"),
        "data": ("payload", "write `payload`"),
        "body": ("payload", "write `payload`"),
        "inputs": ("payload", "write `payload`"),
    }

    type: Literal["publish"] = Field(description="An event put on the bus")
    event: Word = Field(description="The event's name, such as user.signup")
    payload: Maybe[Free] = Field(None, description="What the event carries")


class Job(StepPart):
    """A call of another workflow in the style of `jobs:`."""

    place: ClassVar[str] = "a job"
    instead: ClassVar[Mapping[str, tuple[str, ...]]] = {"uses": ("steps", "run", "action")}
    foreign: ClassVar[Foreign] = {
        **COMMON,
        "inputs": ("with", "a job gives its inputs under `with`"),
        "workflow": ("uses", "a job names its workflow under `uses`"),
        "steps": (None, "a job calls another workflow; write these under `steps:` at the root"),
        "run": (None, "a job calls another workflow; write a step under `steps:` at the root"),
        "action": (None, "a job calls another workflow; write a step under `steps:` at the root"),
        "type": (None, "a job calls another workflow; leave `type` out"),
        "secrets": (None, "secrets are not handed on; the workflow that is called names its own"),
    }

    uses: Fixed = Field(description="./path of a workflow file, or a workflow's id")
    with_: Maybe[Free] = Field(None, alias="with", description="What it is given")


KINDS: dict[str, type[StepPart]] = {
    "action": ActionStep,
    "run": RunStep,
    "manual": ManualStep,
    "parallel": ParallelStep,
    "subworkflow": SubworkflowStep,
    "wait": WaitStep,
    "publish": PublishStep,
}
TYPES = ("manual", "parallel", "subworkflow", "wait", "publish")

__all__ = [
    "ALSO",
    "COMMON",
    "KINDS",
    "TYPES",
    "ActionStep",
    "Foreign",
    "Job",
    "ManualStep",
    "ParallelStep",
    "PublishStep",
    "RunStep",
    "StepPart",
    "SubworkflowStep",
    "WaitStep",
]
