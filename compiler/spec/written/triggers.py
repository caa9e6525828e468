"""A trigger as it may be written: one model for each type."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field

from compiler.spec.written import meant
from compiler.spec.written.parts import ALSO, Dedupe, Written
from compiler.spec.written.scalars import (
    Duration,
    Expression,
    Fixed,
    FixedTexts,
    Flag,
    Free,
    Maybe,
    choice,
    listed,
)
from compiler.spec.written.steps import Foreign, Pattern

COMMON: Foreign = {
    "if": ("condition", "write `condition`"),
    "when": ("condition", "write `condition`"),
    "filter": ("condition", "write `condition`"),
    "with": ("inputs", "write `inputs`"),
    "id": ("name", "write `name`"),
}

_EVENTS = ("push", "pull_request")
_CHANGES = ("insert", "modify", "remove")


class TriggerPart(Written):
    """What every type of trigger may have."""

    place: ClassVar[str] = "a trigger"
    foreign: ClassVar[Foreign] = COMMON

    name: Maybe[Fixed] = Field(None, description="Its name; <workflow>-<type> if left out")
    inputs: Maybe[Free] = Field(None, description="The workflow's inputs, from the event")
    condition: Maybe[Expression] = Field(None, description="Events it does not hold for are passed")
    dedupe: Maybe[Dedupe] = Field(None, description="Which events count as one")


class GitPushTrigger(TriggerPart):
    """Starts on a push, of a branch or a tag, or on a pull request."""

    place: ClassVar[str] = "a git-push trigger"
    foreign: ClassVar[Foreign] = {
        **COMMON,
        "branches": ("branch", "write `branch`, one or a list"),
        "tag": ("tags", "write `tags`, one or a list"),
        "branches-ignore": (None, "write `branch` with the patterns after a `!`"),
        "tags-ignore": (None, "write `tags` with the patterns after a `!`"),
        "paths-ignore": (None, "write `paths` with the patterns after a `!`"),
        "path": ("paths", "write `paths`"),
        "events": ("event", "write `event`, one or a list"),
        "on": ("event", "write `event`"),
        "repo": ("repository", "write `repository`"),
    }

    type: Literal["git-push"] = Field(description="A push or pull request on GitHub")
    repository: Maybe[Fixed] = Field(None, description="Such as github.com/org/app")
    event: Maybe[
        Annotated[
            tuple[
                Annotated[Literal["push", "pull_request"], *choice(*_EVENTS, why=meant.EVENTS)], ...
            ],
            BeforeValidator(listed),
        ]
    ] = Field(
        None,
        description="push (the default), pull_request, or both in a list",
        json_schema_extra={ALSO: {"enum": list(_EVENTS)}},
    )
    branch: Maybe[FixedTexts] = Field(
        None, description="Branches, also with *; all if left out, none beside `tags`"
    )
    tags: Maybe[FixedTexts] = Field(None, description="Pushed tags, such as v*; none if left out")
    paths: Maybe[FixedTexts] = Field(None, description="Only if one of these files changed")
    forks: Maybe[Flag] = Field(None, description="Also from forks, then without secrets (false)")
    secret: Maybe[Fixed] = Field(None, description="The name of the secret that signs deliveries")


class ScheduleTrigger(TriggerPart):
    """Starts by the clock."""

    place: ClassVar[str] = "a schedule trigger"
    foreign: ClassVar[Foreign] = {
        **COMMON,
        "schedule": ("cron", "write `cron`"),
        "expression": ("cron", "write `cron`"),
        "every": ("rate", "write `rate`, such as 15m"),
        "tz": ("timezone", "write `timezone`"),
        "time_zone": ("timezone", "write `timezone`"),
    }

    type: Literal["schedule"] = Field(description="The clock")
    cron: Maybe[Fixed] = Field(None, description="Five fields, such as 0 6 * * 1-5")
    rate: Maybe[Duration] = Field(None, description="Every so often, such as 15m")
    timezone: Maybe[Fixed] = Field(None, description="Such as Europe/Berlin (UTC)")
    missed: Maybe[
        Annotated[Literal["last", "all", "skip"], *choice("last", "all", "skip", why=meant.MISSED)]
    ] = Field(None, description="Which missed times are made up for (last)")


class EventTrigger(TriggerPart):
    """Starts on an event of the bus."""

    place: ClassVar[str] = "an event trigger"
    foreign: ClassVar[Foreign] = {
        **COMMON,
        "events": ("event", "write `event`, one or a list"),
        "detail_type": ("event", "write `event`"),
        "source": (None, "write a `pattern`: {source: [...]}"),
    }

    type: Literal["event"] = Field(description="An event of the bus")
    event: Maybe[Pattern] = Field(None, description="Its name, such as user.signup, or a pattern")
    pattern: Maybe[Free] = Field(None, description="An EventBridge pattern")


class QueueTrigger(TriggerPart):
    """Starts on a message of a queue."""

    place: ClassVar[str] = "a queue trigger"

    type: Literal["queue"] = Field(description="A message of an SQS queue")
    queue: Fixed = Field(description="The queue's name or ARN")


class HttpTrigger(TriggerPart):
    """Starts on a webhook."""

    place: ClassVar[str] = "an http trigger"
    foreign: ClassVar[Foreign] = {
        **COMMON,
        "path": (None, "its address is /api/webhooks/NAME; write `name`"),
        "url": (None, "its address is /api/webhooks/NAME; write `name`"),
        "method": (None, "a webhook is a POST; leave it out"),
    }

    type: Literal["http"] = Field(description="An authenticated webhook")
    secret: Maybe[Fixed] = Field(None, description="The name of the secret that signs the calls")


class DatabaseTrigger(TriggerPart):
    """Starts on a change in a table."""

    place: ClassVar[str] = "a database trigger"
    foreign: ClassVar[Foreign] = {
        **COMMON,
        "operation": ("operations", "write `operations`"),
        "events": ("operations", "write `operations`"),
    }

    type: Literal["database"] = Field(description="A change in a DynamoDB table")
    table: Fixed = Field(description="The table's name, or the ARN of its stream")
    operations: Maybe[
        Annotated[
            tuple[
                Annotated[
                    Literal["insert", "modify", "remove"], *choice(*_CHANGES, why=meant.CHANGES)
                ],
                ...,
            ],
            BeforeValidator(listed),
        ]
    ] = Field(
        None,
        description="insert, modify, remove (all)",
        json_schema_extra={ALSO: {"enum": list(_CHANGES)}},
    )


TYPES: dict[str, type[TriggerPart]] = {
    "git-push": GitPushTrigger,
    "schedule": ScheduleTrigger,
    "event": EventTrigger,
    "queue": QueueTrigger,
    "http": HttpTrigger,
    "database": DatabaseTrigger,
}
