"""What a play takes and gives: calls, their outcomes, and the whole run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from tests.asl_player.player import Child, Player

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)  # where virtual time is 0

Data: TypeAlias = Any  # a Json; Any, so that stubs and assertions can look inside
Path: TypeAlias = tuple[tuple[str, int], ...]  # (Parallel or Map, branch or item) from outside in


def timestamp(time: float) -> str:
    """Write a virtual time as the context object does: ISO 8601, milliseconds, Z."""
    moment = EPOCH + timedelta(seconds=time)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


class TaskFailed(Exception):
    """Raised by a stub to fail its task at once; the same as returning `Outcome.fail`."""

    def __init__(self, error: str | None, cause: str | None = None) -> None:
        super().__init__(f"{error}: {cause}")
        self.error = error
        self.cause = cause


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a task ends, `takes` seconds after it started.

    `result` is the state's whole result: for `lambda:invoke` use `lambda_result`.
    """

    result: Data = None
    takes: float = 0.0
    failure: TaskFailed | None = None
    child: Child | None = None

    @classmethod
    def fail(cls, error: str | None, cause: str | None = None, *, takes: float = 0.0) -> Outcome:
        """Fail with an error name and a cause."""
        return cls(takes=takes, failure=TaskFailed(error, cause))


def lambda_result(payload: Data) -> Data:
    """Wrap a handler's answer as `lambda:invoke` returns it."""
    return {
        "ExecutedVersion": "$LATEST",
        "Payload": payload,
        "SdkHttpMetadata": {"HttpStatusCode": 200},
        "SdkResponseMetadata": {"RequestId": "00000000-0000-0000-0000-000000000000"},
        "StatusCode": 200,
    }


@dataclass(slots=True)
class Call:
    """One attempt of a Task: what it was asked, and when and how it ended.

    `status` is running, succeeded, failed, timed_out or aborted (a sibling branch failed, or the
    run ended). `error` is the error's name. Times are virtual seconds.
    """

    resource: str
    arguments: Data
    state: str
    attempt: int
    time: float
    token: str | None
    path: Path
    execution: str
    player: Player = field(repr=False, compare=False)
    end: float | None = None
    status: str = "running"
    error: str | None = None


Task: TypeAlias = Callable[[Call], Outcome]


@dataclass(frozen=True, slots=True)
class Entered:
    """A state that was entered (a retry does not enter it again)."""

    time: float
    state: str
    path: Path


@dataclass(slots=True)
class Played:
    """A run. `status` is RUNNING while it goes on, then SUCCEEDED, FAILED, TIMED_OUT or ABORTED.

    `events` counts history events as AWS writes them; `retries` the attempts after a first one.
    `query_errors` holds each expression that failed as (state, field, message), caught or not.
    A run that nothing can end times out after a year, as on AWS.
    """

    name: str
    machine: str
    start: float
    status: str = "RUNNING"
    output: Data = None
    error: str | None = None
    cause: str | None = None
    end: float | None = None
    entered: list[Entered] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    query_errors: list[tuple[str, str, str]] = field(default_factory=list)
    children: list[Played] = field(default_factory=list)
    retries: int = 0
    events: int = 0
    variable_bytes: int = 0

    @property
    def duration(self) -> float:
        """Virtual seconds from start to end (0 while it goes on)."""
        return 0.0 if self.end is None else self.end - self.start

    @property
    def transitions(self) -> int:
        """What AWS bills: each state entered, and each retry."""
        return len(self.entered) + self.retries

    def states(self) -> list[str]:
        """Return the names of the states entered, in order."""
        return [entered.state for entered in self.entered]
