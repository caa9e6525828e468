"""What the use cases of records need from the world outside, as protocols."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from functions.domain.records.executions import Execution
    from functions.domain.records.item import RunItem
    from functions.domain.records.rows import ResultRow
    from functions.domain.records.shape import RunRecord, RunSummary
    from functions.domain.records.timeline import Event
    from protocol.payloads import Json


@dataclass(frozen=True, slots=True)
class Sought:
    """Which runs a list is to show; None: any. `prefix` is what their ids begin with."""

    workflow: str | None = None
    status: str | None = None
    starter: str | None = None
    prefix: str | None = None


@dataclass(frozen=True, slots=True)
class RunsPage:
    """A part of a list of runs; `place` is where the next one begins, None after the last."""

    runs: Sequence[RunSummary]
    place: Mapping[str, str] | None = None


class NoSuchPlace(Exception):
    """A place in a list that the list never gave."""


@dataclass(frozen=True, slots=True)
class Known:
    """An execution that belongs to a run: a chunk, its close run, or a workflow it called.

    `run_id` and `attempt` are what the execution itself says: of a child its own. `step` and
    `items` are those that called a child.
    """

    name: str
    arn: str
    role: Literal["child", "chunk", "close"]
    run_id: str
    attempt: int
    started_at: str
    step: str | None = None
    items: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """A record, and of how many executions that are over it tells: the more, the more it knows."""

    record: RunRecord
    over: int


class Runs(Protocol):
    """Records of runs."""

    def get(self, run_id: str) -> RunItem | None:
        """Return what is known of a run, as the last write left it."""

    def change(
        self, run_id: str, wish: Callable[[RunItem | None], RunItem | None]
    ) -> RunItem | None:
        """Change a run's item by what `wish` makes of it, and return what is stored then.

        None of it changes nothing. Where somebody else was first, it is asked again.
        """

    def listed(self, sought: Sought, limit: int, after: Mapping[str, str] | None) -> RunsPage:
        """Return runs that nobody called, the newest first; a new one may be missing.

        With a `prefix` they come in the order of their ids. Raises NoSuchPlace.
        """

    def unsettled(self, limit: int) -> list[RunItem]:
        """Return runs that go on, or whose end asks for more, those not looked at longest first."""

    def give(self, run_id: str, attempt: int, given: Mapping[str, Json]) -> None:
        """Keep what an attempt was started with: its execution's input."""

    def given(self, run_id: str, attempt: int) -> Mapping[str, Json] | None:
        """Return what an attempt was started with; None where it is not kept."""

    def keep(self, kept: Kept) -> None:
        """Keep the record of an attempt that is over, unless one is kept that knows more."""

    def kept(self, run_id: str, attempt: int) -> Kept | None:
        """Return the record of an attempt; None where none is kept."""

    def know(self, run_id: str, known: Known) -> None:
        """Keep that an execution belongs to a run."""

    def known(self, run_id: str) -> list[Known]:
        """Return the executions that belong to a run, of all its attempts."""

    def claim(self, run_id: str, what: str) -> bool:
        """Take on something that is to be done once for a run; False where it was taken on."""

    def note(self, run_id: str, what: str, outcome: str) -> None:
        """Keep what came of something taken on."""

    def noted(self, run_id: str) -> Mapping[str, str]:
        """Return what was taken on for a run, and what came of it (empty: not known)."""


class Histories(Protocol):
    """Executions as Step Functions knows them."""

    def describe(self, arn: str) -> Execution | None:
        """Return an execution with its input and output; None where there is none."""

    def events(self, arn: str) -> Iterator[Event]:
        """Return an execution's history, from its beginning."""


class ResultRows(Protocol):
    """Stored results of steps, as records read them."""

    def of_run(self, run_id: str) -> Mapping[str, ResultRow]:
        """Return the stored results of a run by the paths of the steps."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of a run's log."""

    at: str
    step: str
    attempt: int
    level: str
    text: str
    items: Sequence[int] = ()
    stream: str | None = None


@dataclass(frozen=True, slots=True)
class LogPage:
    """A part of a run's log; `place` is where the next one begins, None after the last."""

    lines: Sequence[LogLine]
    place: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """When to look for lines; `until` is None while a run goes on."""

    since: datetime
    until: datetime | None = None


class RunLogs(Protocol):
    """What runs said."""

    def lines(
        self,
        run_id: str,
        step: str | None,
        span: Span,
        limit: int,
        after: Mapping[str, Json] | None,
    ) -> LogPage:
        """Return lines of a run, or of one of its steps, the oldest first; raises NoSuchPlace."""
