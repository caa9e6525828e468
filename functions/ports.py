"""What the use cases need from the world outside, as protocols; adapters provide it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeAlias

from functions.domain.context import Context
from functions.domain.latch import Arrival, Latch, Waiting
from protocol.payloads import Envelope, Json, Reference


class Clock(Protocol):
    """Tells the time; the local engine's jumps."""

    def now(self) -> datetime:
        """Return the present moment in UTC."""


class Carries(Protocol):
    """An action as the wrapper sees it."""

    @property
    def name(self) -> str:
        """Return the action's name."""

    @property
    def repeatable(self) -> bool:
        """Return whether another attempt after one in doubt does no harm."""

    @property
    def reads_files(self) -> bool:
        """Return whether it works on a workspace."""

    def call(self, raw: Mapping[str, Json], context: Context) -> dict[str, Json]:
        """Carry it out and return what it gave; raises a StepError where it failed."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """The step is this attempt's; `claim` proves it when the result is written."""

    claim: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The step has been carried out before; its result stands."""

    envelope: Envelope


@dataclass(frozen=True, slots=True)
class InProgress:
    """Another attempt holds the step until `until`."""

    until: datetime


@dataclass(frozen=True, slots=True)
class InDoubt:
    """An attempt that began at `since` never reported, and its lease is over."""

    since: str


Claim: TypeAlias = Claimed | Finished | InProgress | InDoubt


@dataclass(frozen=True, slots=True)
class Failure:
    """How an attempt failed, as it is stored."""

    type: str
    message: str
    status_code: int | None
    outputs: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a step's result is kept: its run and its path in it."""

    run: str
    path: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at a step: its number, when it began and until when it holds the step."""

    number: int
    started_at: datetime
    lease: datetime


class Results(Protocol):
    """Results of steps, each written once."""

    def claim(self, place: Place, attempt: Attempt, *, repeatable: bool) -> Claim:
        """Take the step for an attempt, unless it is finished, held by another or in doubt."""

    def read(self, place: Place) -> Finished | Failure | None:
        """Return what is stored of a step's last attempt; None while there is nothing."""

    def finish(self, place: Place, claim: str, envelope: Envelope) -> None:
        """Store the result of a claimed step; a claim that was taken over changes nothing."""

    def fail(self, place: Place, claim: str, failure: Failure, at: datetime) -> None:
        """Store how a claimed attempt failed and let go of the step."""


class Blobs(Protocol):
    """Outputs too large to travel."""

    def put(self, place: Place, name: str, value: Json) -> Reference:
        """Keep a value and return where it is."""

    def get(self, reference: Reference) -> Json:
        """Return a kept value."""


class Files(Protocol):
    """Files that steps leave for the steps behind them."""

    def store(self, place: Place, workspace: Path, paths: Sequence[str]) -> None:
        """Keep files and folders of a workspace (paths relative to it)."""

    def lay(self, run: str, step: str, workspace: Path) -> None:
        """Put what a step left at the same places of a workspace; nothing if it left nothing."""


class Sources(Protocol):
    """The files that steps work on."""

    def lay(self, run: str, workspace: Path) -> None:
        """Put a fresh copy of the run's source, a git clone with its origin, into a folder."""


class Secrets(Protocol):
    """Values that only the functions see."""

    def get(self, name: str) -> str:
        """Return the secret's value; raises KeyError where there is none."""


class Latches(Protocol):
    """One item per latch, each call one atomic write."""

    def arrive(self, key: str, producer: str, arrival: Arrival) -> Latch:
        """Write a producer's signal and return the latch as it is then."""

    def wait(self, key: str, waiting: Waiting) -> Latch:
        """Write who waits (a new token replaces an old one); return the latch as it is then."""


class Answers(Protocol):
    """Answers to executions that wait on a task token."""

    def succeed(self, token: str, output: Json) -> bool:
        """Let the waiting state succeed; False where it no longer waits."""

    def fail(self, token: str, error: str, cause: str) -> bool:
        """Let the waiting state fail; False where it no longer waits."""
