"""What a workflow shows outside: its triggers and the contract of its inputs and outputs."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, SkipValidation

PathTo: TypeAlias = Annotated[tuple[str | int, ...], SkipValidation]
Value: TypeAlias = Annotated[JsonValue, SkipValidation]
Names: TypeAlias = Annotated[dict[str, JsonValue], SkipValidation]


class Part(BaseModel):
    """What every part has; `path` is where it was written (a mapping, unless said otherwise)."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    path: PathTo


class Values(Part):
    """A mapping of the author's own names to values, as written; one is at `path + (name,)`."""

    entries: Names = Field(default_factory=dict)


class Dedupe(Part):
    """Which events count as one: the same `key` (an expression) within `window` seconds."""

    key: str | None = None
    window: int | None = None


class TriggerPart(Part):
    """What every trigger has; `inputs` maps the event to the workflow's inputs."""

    name: str
    inputs: Values
    condition: str | None = None
    dedupe: Dedupe | None = None
    broken: bool = False


class GitPushTrigger(TriggerPart):
    """A GitHub webhook; empty `paths` let everything through.

    Pushes start it of `branches` and of `tags`: empty `tags` let none through, empty `branches`
    all of them, or none where there are tags. `secret` names the secret that signs the deliveries.
    """

    type: Literal["git-push"] = "git-push"
    repository: str | None = None
    events: tuple[Literal["push", "pull_request"], ...] = ("push",)
    branches: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    forks: bool = False
    secret: str | None = None

    @property
    def takes_branches(self) -> bool:
        """Whether a push to a branch can start the workflow."""
        return "push" in self.events and (bool(self.branches) or not self.tags)

    @property
    def takes_tags(self) -> bool:
        """Whether a pushed tag can start the workflow."""
        return "push" in self.events and bool(self.tags)


class ScheduleTrigger(TriggerPart):
    """Starts by the clock: `cron` (five or six fields) or every `rate` seconds."""

    type: Literal["schedule"] = "schedule"
    cron: str | None = None
    rate: int | None = None
    timezone: str = "UTC"
    missed: Literal["last", "all", "skip"] = "last"


class EventTrigger(TriggerPart):
    """Starts on an event of the bus; `pattern` as in a wait step, at `path + (pattern_key,)`."""

    type: Literal["event"] = "event"
    pattern: Names = Field(default_factory=dict)
    pattern_key: Literal["event", "pattern"] = "event"


class QueueTrigger(TriggerPart):
    """Starts on a message of an SQS queue (its name or ARN)."""

    type: Literal["queue"] = "queue"
    queue: str


class HttpTrigger(TriggerPart):
    """Starts on an authenticated webhook; `secret` names the secret that signs the calls."""

    type: Literal["http"] = "http"
    secret: str | None = None


class DatabaseTrigger(TriggerPart):
    """Starts on a change in a DynamoDB table (its name or the ARN of its stream)."""

    type: Literal["database"] = "database"
    table: str
    operations: tuple[Literal["insert", "modify", "remove"], ...] = ("insert", "modify", "remove")


Trigger: TypeAlias = Annotated[
    GitPushTrigger | ScheduleTrigger | EventTrigger | QueueTrigger | HttpTrigger | DatabaseTrigger,
    Field(discriminator="type"),
]


class Input(Part):
    """One input; `json_schema` is plain JSON Schema (shorthand resolved, the default inside)."""

    name: str
    json_schema: Names
    required: bool
    description: str | None = None

    @property
    def has_default(self) -> bool:
        """Whether a default stands in for an input that is not given."""
        return "default" in self.json_schema

    @property
    def default(self) -> JsonValue:
        """The default, or null."""
        return self.json_schema.get("default")


class Output(Part):
    """One output; `value` (at `path + ("value",)`) where written, else the step output so named."""

    name: str
    json_schema: Names
    description: str | None = None
    has_value: bool = False
    value: Value = None


class Inputs(Part):
    """The contract of what a run is given."""

    fields: tuple[Input, ...] = ()

    @property
    def json_schema(self) -> dict[str, JsonValue]:
        """The JSON Schema of the whole: an object that takes no other keys."""
        return {
            "type": "object",
            "properties": {field.name: field.json_schema for field in self.fields},
            "required": [field.name for field in self.fields if field.required],
            "additionalProperties": False,
        }


class Outputs(Part):
    """The contract of what a run gives."""

    fields: tuple[Output, ...] = ()

    @property
    def json_schema(self) -> dict[str, JsonValue]:
        """The JSON Schema of the whole."""
        return {
            "type": "object",
            "properties": {field.name: field.json_schema for field in self.fields},
            "required": [field.name for field in self.fields],
            "additionalProperties": False,
        }
