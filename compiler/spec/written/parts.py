"""Mappings that stand inside a step, a trigger or the root."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from compiler.spec.written import meant
from compiler.spec.written.scalars import (
    Count,
    CountOrNone,
    Duration,
    DurationOrNone,
    Expression,
    Fixed,
    Maybe,
    Rate,
    Text,
    Texts,
    Word,
    choice,
    listed,
    wrong_type,
)

_ERROR_TYPE = re.compile(r"[A-Z]\w*(\.\w+)*")  # contexts and functions begin small
ALSO = "x-also"  # a second form of a value; `schema.py` turns it into an `anyOf`


class Written(BaseModel):
    """A mapping of the language; `place` is what messages call it.

    `foreign` has keys of other tools: what to write here, and the key whose value it is (or None).
    `instead` has keys that must be there: which others explain that they are not.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    place: ClassVar[str] = "this mapping"
    foreign: ClassVar[Mapping[str, tuple[str | None, str]]] = {}
    instead: ClassVar[Mapping[str, tuple[str, ...]]] = {}


Jitter: TypeAlias = Annotated[Literal["full", "none"], *choice("full", "none", why=meant.JITTER)]
Runner: TypeAlias = Annotated[
    Literal["lambda", "codebuild"], *choice("lambda", "codebuild", why=meant.RUNNER)
]
Verdict: TypeAlias = Annotated[
    Literal["fail", "continue"], *choice("fail", "continue", why=meant.VERDICT)
]


def _backoff(value: object) -> object:
    return value if isinstance(value, dict) else {"<rate>": value}


def _condition(value: object) -> object:
    if isinstance(value, str) and _ERROR_TYPE.fullmatch(value):
        raise wrong_type("an expression or a mapping", f"write `{{error_type: {value}}}`")
    return value if isinstance(value, dict) else {"<expression>": value}


class Backoff(Written):
    """How the pauses between attempts grow."""

    place: ClassVar[str] = "`backoff`"

    type: Maybe[
        Annotated[
            Literal["exponential", "fixed"], *choice("exponential", "fixed", why=meant.BACKOFF)
        ]
    ] = Field(None, description="exponential (each pause is twice the one before) or fixed")
    base_delay: Maybe[DurationOrNone] = Field(None, description="The first pause, such as 10s")
    max_delay: Maybe[Duration] = Field(None, description="The longest pause, such as 5m")
    rate: Maybe[Rate] = Field(None, alias="<rate>")


class RetryCondition(Written):
    """What is retried."""

    place: ClassVar[str] = "a retry condition"
    foreign: ClassVar[Mapping[str, tuple[str | None, str]]] = {
        "error": ("error_type", "write `error_type`"),
        "type": ("error_type", "write `error_type`"),
        "expression": (None, "write the expression itself as the item of the list"),
        "if": (None, "write the expression itself as the item of the list"),
    }

    error_type: Maybe[Fixed] = Field(None, description="The type of an error, such as NetworkError")
    expression: Maybe[Expression] = Field(None, alias="<expression>")


class Retry(Written):
    """When and how often a step is tried again."""

    place: ClassVar[str] = "`retry`"
    foreign: ClassVar[Mapping[str, tuple[str | None, str]]] = {
        "attempts": ("max_attempts", "write `max_attempts`, which counts all calls"),
        "limit": ("count", "write `count`, the number of retries"),
        "times": ("count", "write `count`, the number of retries"),
        "retries": ("count", "write `count`, the number of retries"),
        "interval": ("delay", "write `delay`"),
        "base_delay": (None, "write it inside `backoff`, or write `delay`"),
        "max_delay": (None, "write it inside `backoff`: {type, base_delay, max_delay}"),
        "on": ("conditions", "write `conditions`"),
        "when": ("conditions", "write `conditions`"),
    }

    max_attempts: Maybe[Count] = Field(None, description="Calls in all, the first one included")
    count: Maybe[CountOrNone] = Field(None, description="Retries after the first call")
    delay: Maybe[DurationOrNone] = Field(None, description="The first pause, such as 30s")
    backoff: Maybe[Annotated[Backoff, BeforeValidator(_backoff)]] = Field(
        None,
        description="How pauses grow: a factor, or {type, base_delay, max_delay}",
        json_schema_extra={ALSO: {"type": "number", "minimum": 1, "maximum": 100}},
    )
    jitter: Maybe[Jitter] = Field(None, description="full (the default) spreads the pauses")
    conditions: Maybe[tuple[Annotated[RetryCondition, BeforeValidator(_condition)], ...]] = Field(
        None,
        description="What is retried: error types and expressions; all errors if left out",
        json_schema_extra={"x-also-items": {"type": ["string", "boolean"]}},
    )


class Repeat(Written):
    """Runs a step again until a condition holds."""

    place: ClassVar[str] = "`repeat`"
    foreign: ClassVar[Mapping[str, tuple[str | None, str]]] = {
        "while": (None, "write `until` with the opposite condition"),
        "interval": ("delay", "write `delay`"),
        "every": ("delay", "write `delay`"),
        "times": ("max_attempts", "write `max_attempts`"),
        "count": ("max_attempts", "write `max_attempts`"),
    }

    until: Expression = Field(description="The expression that ends it, over the step's outputs")
    delay: Maybe[DurationOrNone] = Field(None, description="The pause between (10s)")
    max_attempts: Maybe[Count] = Field(None, description="How often at most (10)")


class Escalation(Written):
    """Tells people that a task is still open."""

    place: ClassVar[str] = "an escalation"
    foreign: ClassVar[Mapping[str, tuple[str | None, str]]] = {
        "to": ("notify", "write `notify`"),
        "at": ("after", "write `after`, counted from the opening of the task"),
    }

    after: Duration = Field(description="How long the task has been open, such as 48h")
    notify: Maybe[Texts] = Field(None, description="Whom to tell; the assignees if left out")
    message: Maybe[Text] = Field(None, description="What to tell them")


class Dedupe(Written):
    """Which events count as one."""

    place: ClassVar[str] = "`dedupe`"

    key: Maybe[Expression] = Field(None, description="Events with the same value are one event")
    window: Maybe[Duration] = Field(None, description="For how long, such as 24h")


class Defaults(Written):
    """What every step has that does not say otherwise."""

    place: ClassVar[str] = "`defaults`"
    foreign: ClassVar[Mapping[str, tuple[str | None, str]]] = {
        "runs-on": ("runner", "write `runner: lambda` or `runner: codebuild`"),
        "timeout-minutes": (None, "write `timeout` with a unit, such as 30m"),
        "run": (None, "write `cd` or `set` in the script; `defaults` has retry, timeout, runner"),
        "env": (None, "write `env` at the root"),
    }

    retry: Maybe[Retry] = Field(None, description="The retry of every step")
    timeout: Maybe[Duration] = Field(None, description="The time for one attempt of every step")
    runner: Maybe[Runner] = Field(None, description="Where scripts run")


class Checkout(Written):
    """The files that the steps work on."""

    place: ClassVar[str] = "`source`"
    foreign: ClassVar[Mapping[str, tuple[str | None, str]]] = {
        "repo": ("repository", "write `repository`"),
        "branch": ("ref", "write `ref`"),
        "commit": ("ref", "write `ref`"),
        "url": ("repository", "write `repository`"),
    }

    repository: Maybe[Word] = Field(None, description="A git repository, such as github.com/o/app")
    ref: Maybe[Word] = Field(None, description="A branch, tag or commit")


class Concurrency(Written):
    """How many runs of one group may be under way."""

    place: ClassVar[str] = "`concurrency`"
    foreign: ClassVar[Mapping[str, tuple[str | None, str]]] = {
        "cancel-in-progress": (None, "write `on_conflict: cancel_running` or `queue`"),
        "max": ("limit", "write `limit`"),
    }

    group: Word = Field(description="Runs with the same group wait for each other")
    limit: Maybe[Count] = Field(None, description="How many at once (1)")
    on_conflict: Maybe[
        Annotated[
            Literal["queue", "cancel_running", "reject"],
            *choice("queue", "cancel_running", "reject", why=meant.ON_CONFLICT),
        ]
    ] = Field(None, description="What a further run does (queue)")


NotifyOn: TypeAlias = Annotated[
    Literal["failed", "tolerated_failure", "paused", "succeeded"],
    *choice("failed", "tolerated_failure", "paused", "succeeded", why=meant.NOTIFY_ON),
]


class Notify(Written):
    """Whom to tell of what."""

    place: ClassVar[str] = "`notify`"
    foreign: ClassVar[Mapping[str, tuple[str | None, str]]] = {
        "email": ("to", "write `to`"),
        "when": ("on", "write `on`"),
    }

    on: Maybe[Annotated[tuple[NotifyOn, ...], BeforeValidator(listed)]] = Field(
        None,
        description="After what (failed)",
        json_schema_extra={ALSO: {"enum": ["failed", "tolerated_failure", "paused", "succeeded"]}},
    )
    to: Texts = Field(description="Mail addresses or group:NAME")
