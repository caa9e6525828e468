"""What an execution is to a run, told by its input: the run itself, a child, a chunk, a close run.

An execution of attempt 1 is called as its run, of attempt n `RUN-n`; chunks of a for_each and the
close machine hand on the `run` of the execution that started them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeAlias

from functions.domain.records.said import parsed
from functions.domain.records.timeline import Child, Event, Timeline
from protocol.payloads import Json

Role: TypeAlias = Literal["run", "child", "chunk", "close"]

RUNNING, SUCCEEDED, FAILED = "RUNNING", "SUCCEEDED", "FAILED"
TIMED_OUT, ABORTED = "TIMED_OUT", "ABORTED"
"""Statuses of executions."""
CLOSE = "-close"
_IS_CLOSE = re.compile(rf"{CLOSE}(-cut)?(-\d+)?$")
"""Also one that undoes what was cut off with its caller, and one that is started again."""


@dataclass(frozen=True, slots=True)
class Execution:
    """An execution as DescribeExecution and status events tell of it.

    `machine` is the state machine's name; `completed_at` is None while it runs.
    """

    arn: str
    machine: str
    name: str
    status: str
    started_at: datetime
    completed_at: datetime | None
    input: Mapping[str, Json] = field(default_factory=dict)
    output: Json = None
    error: str | None = None
    cause: str | None = None

    @property
    def is_over(self) -> bool:
        """Whether it has come to an end."""
        return self.status != RUNNING

    @property
    def run(self) -> Mapping[str, Json]:
        """What its input says of its run."""
        run = self.input.get("run")
        return run if isinstance(run, dict) else {}

    @property
    def run_id(self) -> str:
        """The run it belongs to; without any in its input it is one itself."""
        return _text(self.run.get("id")) or self.name

    @property
    def attempt(self) -> int:
        """Which attempt of its run it belongs to."""
        number = self.run.get("attempt")
        return number if isinstance(number, int) and not isinstance(number, bool) else 1

    @property
    def role(self) -> Role:
        """What it is to its run."""
        if "failure" in self.input and _IS_CLOSE.search(self.name):
            return "close"
        if "offset" in self.input and "items" in self.input:
            return "chunk"
        return "child" if self.parent is not None else "run"

    @property
    def parent(self) -> str | None:
        """The run that called its workflow."""
        return _text(self.run.get("parent"))

    @property
    def root(self) -> str | None:
        """The run that all calls began with; None for one that nobody called."""
        return _text(self.run.get("root")) or self.parent

    @property
    def place(self) -> tuple[str | None, tuple[int, ...]]:
        """Of a child: the step that called it, and for which items of a for_each."""
        items = self.run.get("items")
        listed = items if isinstance(items, list) else []
        return _text(self.run.get("step")), tuple(int(i) for i in listed if isinstance(i, int))

    @property
    def offset(self) -> int:
        """Of a chunk: the index of its first item."""
        offset = self.input.get("offset")
        return offset if isinstance(offset, int) else 0

    def timeline(self, history: Iterable[Event]) -> Timeline:
        """Return what its history tells of its states."""
        return Timeline(self.offset if self.role == "chunk" else 0).follow_all(history)


@dataclass(frozen=True, slots=True)
class Carried:
    """An execution and what its states came to."""

    execution: Execution
    timeline: Timeline

    @property
    def children(self) -> list[Child]:
        """The executions that it started, by its states."""
        return [child for times in self.timeline.states.values() for child in times.children]


def execution_of(detail: Mapping[str, Any]) -> Execution:
    """Return the execution of a status change event's `detail`.

    An input that was too large for the event is left out: `inputDetails.included` is false.
    https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html
    """
    stopped = detail.get("stopDate")
    given = parsed(detail.get("input"))
    return Execution(
        arn=detail["executionArn"],
        machine=machine_of(detail["stateMachineArn"]),
        name=detail["name"],
        status=detail["status"],
        started_at=_moment(detail["startDate"]),
        completed_at=None if stopped is None else _moment(stopped),
        input=given if isinstance(given, dict) else {},
        output=parsed(detail.get("output")),
        error=detail.get("error"),
        cause=detail.get("cause"),
    )


def has_input(detail: Mapping[str, Any]) -> bool:
    """Whether a status change event holds the whole input and output of its execution."""
    told = (detail.get("inputDetails"), detail.get("outputDetails"))
    return detail.get("input") is not None and all(
        one is None or one.get("included") is not False for one in told
    )


def machine_of(arn: str) -> str:
    """Return the name in the ARN of a state machine, an alias or a version of one."""
    return arn.split(":")[6] if arn.count(":") >= 6 else arn


def execution_arn(machine_arn: str, name: str) -> str:
    """Return the ARN of an execution by its machine's (an alias's, a version's) and its name."""
    parts = machine_arn.split(":")
    parts[5] = "execution"
    return ":".join([*parts[:7], name])


def attempt_name(run_id: str, attempt: int) -> str:
    """Return the name of the execution that is an attempt of a run."""
    return run_id if attempt == 1 else f"{run_id}-{attempt}"


def close_name(run_id: str, attempt: int) -> str:
    """Return the name of a run's close execution, as compiled machines spell it."""
    return f"{run_id[:60]}-{attempt}{CLOSE}"


def _moment(milliseconds: int) -> datetime:
    # Whole milliseconds, which a float of seconds may miss.
    return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=milliseconds)


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None
