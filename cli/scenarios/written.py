"""A scenario file as it may be written: one model for each mapping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from compiler.spec.written.parts import Written
from compiler.spec.written.scalars import (
    Anything,
    Count,
    CountOrNone,
    DurationOrNone,
    Fixed,
    Flag,
    Free,
    Maybe,
    Text,
    Word,
    choice,
    listed,
    wrong,
    wrong_type,
)
from protocol import status
from protocol.addresses import is_address

_STEP = (
    status.SUCCEEDED, status.FAILED, status.TIMED_OUT, status.REJECTED, status.SKIPPED,
    status.CANCELLED,
)  # fmt: skip
_RUN = (status.SUCCEEDED, status.FAILED, status.CANCELLED)
_REASONS = ("condition", "upstream_failed", "upstream_skipped")
DECISIONS = ("approved", "rejected")
CHOICES = ("retry", "skip", "fail")


_OTHER_WORDS = {
    "success": status.SUCCEEDED, "passed": status.SUCCEEDED, "ok": status.SUCCEEDED,
    "completed": status.SUCCEEDED, "failure": status.FAILED, "error": status.FAILED,
    "timeout": status.TIMED_OUT, "canceled": status.CANCELLED, "stopped": status.CANCELLED,
}  # fmt: skip
_EVENTS = {
    "push": "{ref: refs/heads/main}",
    "tag": "{ref: refs/tags/v1}",
    "pull_request": "{pull_request: {head: {ref: topic}, base: {ref: main}}}",
}
"""The shortest events of those that `stepsmith run --event` knows by a word."""


def _meant(word: str) -> str | None:
    meant = _OTHER_WORDS.get(word.lower())
    return f"write `{meant}`" if meant else None


def _event(value: object) -> object:
    if isinstance(value, str) and value in _EVENTS:
        raise wrong_type("a mapping, the event", f"write `event: {_EVENTS[value]}`")
    return value


def _mail(text: str) -> str:
    if not is_address(text):
        raise wrong("unknown-value", "{key} is {found}, which is no mail address")
    return text


class FilePart(Written):
    """A scenario file."""

    place: ClassVar[str] = "a scenario file"
    foreign: ClassVar[Mapping[str, tuple[str | None, str]]] = {
        "file": ("workflow", "write `workflow`"),
        "tests": ("cases", "write `cases`"),
        "scenarios": ("cases", "write `cases`"),
    }

    workflow: Fixed = Field(description="The workflow's file, from this one's folder")
    cases: tuple[Anything, ...] = Field(description="The cases, a list")


class CasePart(Written):
    """One case."""

    place: ClassVar[str] = "a case"
    foreign: ClassVar[Mapping[str, tuple[str | None, str]]] = {
        "with": ("inputs", "write `inputs`"),
        "given": ("inputs", "write `inputs`"),
        "mocks": ("stubs", "write `stubs`"),
        "approvals": ("decisions", "write `decisions`"),
        "then": ("expect", "write `expect`"),
        "steps": (
            None,
            "write `stubs` for what steps do, `expect: {steps: ...}` for what they are",
        ),
    }

    name: Word = Field(description="What the case shows")
    inputs: Maybe[Free] = Field(None, description="The workflow's inputs")
    event: Maybe[Annotated[Free, BeforeValidator(_event)]] = Field(
        None, description="An event in place of inputs"
    )
    trigger: Maybe[Fixed] = Field(None, description="The trigger that takes the event")
    stubs: Maybe[Free] = Field(None, description="What steps come to, by their ids")
    decisions: Maybe[Free] = Field(None, description="What people decide, by the steps' ids")
    expect: Maybe[Free] = Field(None, description="What has to come of it")


class FailPart(Written):
    """The error of a stub."""

    place: ClassVar[str] = "`fail`"
    foreign: ClassVar[Mapping[str, tuple[str | None, str]]] = {
        "error": ("type", "write `type`"),
        "error_type": ("type", "write `type`"),
        "cause": ("message", "write `message`"),
        "times": (None, "write it beside `fail`"),
    }

    type: Fixed = Field(description="The error's type, such as NetworkError")
    message: Maybe[Text] = Field(None, description="What the error says")
    details: Maybe[Annotated[tuple[Anything, ...], BeforeValidator(listed)]] = Field(
        None, description="What belongs to it, a list"
    )


class StubPart(Written):
    """What a step comes to in place of being carried out."""

    place: ClassVar[str] = "a stub"
    foreign: ClassVar[Mapping[str, tuple[str | None, str]]] = {
        "duration": ("takes", "write `takes`"),
        "delay": ("takes", "write `takes`"),
        "after": ("takes", "write `takes`"),
        "output": ("outputs", "write `outputs`"),
        "returns": ("outputs", "write `outputs`"),
        "error": ("fail", "write `fail: {type: ..., message: ...}`"),
        "status": (None, "write `fail: {type: ...}` or `happens: timed_out`"),
    }

    takes: Maybe[DurationOrNone] = Field(None, description="How long each call takes")
    outputs: Maybe[Free] = Field(None, description="What the step gives when it succeeds")
    fail: Maybe[Free] = Field(None, description="The error that its calls end in")
    times: Maybe[Count] = Field(None, description="How many calls fail; all if left out")
    happens: Maybe[Annotated[Literal["timed_out"], *choice("timed_out")]] = Field(
        None, description="timed_out: no call ends in time"
    )


class DecisionPart(Written):
    """What a person decides."""

    place: ClassVar[str] = "a decision"
    foreign: ClassVar[Mapping[str, tuple[str | None, str]]] = {
        "decision": ("status", "write `status`"),
        "takes": ("after", "write `after`"),
        "who": ("by", "write `by`"),
        "person": ("by", "write `by`"),
        "comment": ("comments", "write `comments`"),
    }

    status: Annotated[str, *choice(*DECISIONS, *CHOICES)] = Field(
        description="approved or rejected; retry, skip or fail a paused step"
    )
    after: Maybe[DurationOrNone] = Field(None, description="How long the step waits for it")
    by: Maybe[Annotated[Fixed, AfterValidator(_mail)]] = Field(
        None, description="Who decides; the first who may if left out"
    )
    comments: Maybe[Text] = Field(None, description="What they say")
    form: Maybe[Anything] = Field(None, description="What they fill in")


class TakesPart(Written):
    """How long a run takes, in the workflow's time."""

    place: ClassVar[str] = "`takes`"

    at_most: Maybe[DurationOrNone] = Field(None, description="The longest")
    at_least: Maybe[DurationOrNone] = Field(None, description="The shortest")


class ErrorPart(Written):
    """A step's error."""

    place: ClassVar[str] = "an expected error"

    type: Maybe[Fixed] = Field(None, description="Its type, such as NetworkError")
    message: Maybe[Text] = Field(None, description="All that it says")


class StepPart(Written):
    """What has to become of a step."""

    place: ClassVar[str] = "an expected step"

    status: Maybe[Annotated[str, *choice(*_STEP, why=_meant)]] = Field(
        None, description="Its status"
    )
    reason: Maybe[Annotated[str, *choice(*_REASONS)]] = Field(
        None, description="Why it was skipped"
    )
    attempt: Maybe[Count] = Field(None, description="Its last attempt")
    tolerated: Maybe[Flag] = Field(None, description="Whether its failure is tolerated")
    in_doubt: Maybe[Flag] = Field(None, description="Whether its effect is unknown")
    outputs: Maybe[Anything] = Field(None, description="Some of its outputs")
    error: Maybe[ErrorPart] = Field(None, description="Its error")


class ExpectPart(Written):
    """What has to come of a run."""

    place: ClassVar[str] = "`expect`"
    foreign: ClassVar[Mapping[str, tuple[str | None, str]]] = {
        "duration": ("takes", "write `takes: {at_most: ...}`"),
        "jobs": ("steps", "write `steps`"),
    }

    status: Maybe[Annotated[str, *choice(*_RUN, why=_meant)]] = Field(
        None, description="The run's status"
    )
    steps: Maybe[Free] = Field(None, description="What becomes of steps, by their ids")
    outputs: Maybe[Free] = Field(None, description="Some of the run's outputs")
    notifications: Maybe[CountOrNone] = Field(None, description="How many messages people get")
    takes: Maybe[TakesPart] = Field(None, description="How long it takes: at_most, at_least")
