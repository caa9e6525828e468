"""What the use cases need from the world outside, as protocols; adapters provide it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:  # each function loads what it uses itself, and no more
    from functions.domain.context import Context
    from functions.domain.errors import StepError
    from functions.domain.latch import Arrival, Latch, Waiting
    from functions.domain.lock import Group, Turn
    from functions.domain.source import Wanted
    from functions.domain.stored import StoredResult
    from functions.domain.task import Entry, Kind, Task
    from functions.domain.task_messages import Message
    from functions.event_ports import EventWaits
    from protocol.manifest import WorkflowManifest
    from protocol.payloads import ActionCall, Envelope, Json, Reference


class Clock(Protocol):
    """Tells the time; the local engine's jumps."""

    def now(self) -> datetime:
        """Return the present moment in UTC."""

    def sleep(self, seconds: float) -> None:
        """Wait for a time."""


class Log(Protocol):
    """Tells what becomes of the calls of a function."""

    def begun(self, call: ActionCall, action: str) -> None:
        """Say that an attempt has begun; what is said until the next belongs to it."""

    def said(self, stream: str, text: str) -> None:
        """Pass on what a program said on a stream."""

    def succeeded(self, envelope: Envelope, seconds: float) -> None:
        """Say that it ended well."""

    def failed(self, error: StepError, seconds: float) -> None:
        """Say how it failed."""


class Carries(Protocol):
    """An action as the wrapper sees it."""

    @property
    def name(self) -> str:
        """Return the action's name."""

    @property
    def files(self) -> tuple[str, ...]:
        """Return the outputs that name a file it made."""

    def may_repeat(self, raw: Mapping[str, Json]) -> bool:
        """Return whether another attempt after one in doubt does no harm."""

    @property
    def reads_files(self) -> bool:
        """Return whether it works on a workspace."""

    @property
    def error_types(self) -> tuple[type[Exception], ...]:
        """Return the errors of its own."""

    def call(self, raw: Mapping[str, Json], context: Context) -> dict[str, Json]:
        """Carry it out and return what it gave; raises a StepError where it failed."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """The step is this attempt's; `claim` proves it when the result is written.

    `attempt` counts the claims of the step, from 1: a call that never came here is none.
    """

    claim: str
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Finished:
    """The step has been carried out before; its result stands.

    With `recheck` a resume is not sure of that: it stands if the call still has the same
    `fingerprint`, and none of the steps of `recheck` has been carried out again. `claim` is that
    of the attempt it is of.
    """

    envelope: Envelope
    recheck: tuple[str, ...] | None = None
    fingerprint: str = ""
    claim: str = ""


@dataclass(frozen=True, slots=True)
class InProgress:
    """Another attempt holds the step until `until`."""

    until: datetime


@dataclass(frozen=True, slots=True)
class InDoubt:
    """An attempt that began at `since` never reported, or said itself that it is in doubt."""

    since: str
    said: str = ""


Claim: TypeAlias = Claimed | Finished | InProgress | InDoubt


@dataclass(frozen=True, slots=True)
class Failure:
    """How an attempt failed, as it is stored."""

    type: str
    message: str
    status_code: int | None
    outputs: Mapping[str, Json]
    details: Sequence[Json] = ()
    in_doubt: bool = False  # it may have had its effect: not repeated by itself


@dataclass(frozen=True, slots=True)
class Place:
    """Where a step's result is kept: its run and its path in it."""

    run: str
    path: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at a step: when it began and until when it holds the step.

    `run_attempt` is that of the run, `fingerprint` tells whether a later call asks for the same.
    """

    started_at: datetime
    lease: datetime
    run_attempt: int = 1
    fingerprint: str = ""


class Results(Protocol):
    """Results of steps, each written once."""

    def claim(
        self, place: Place, attempt: Attempt, *, repeatable: bool, over: Finished | None = None
    ) -> Claim:
        """Take the step for an attempt, unless it is finished, held by another or in doubt.

        It is taken from a result that does not stand (`over`).
        """

    def carried_out(self, run: str, step: str, run_attempt: int) -> bool:
        """Return whether a step, or an item of it, was claimed in an attempt of its run."""

    def read(self, place: Place) -> Finished | Failure | None:
        """Return what is stored of a step's last attempt; None while there is nothing."""

    def finish(self, place: Place, claim: str, envelope: Envelope) -> None:
        """Store the result of a claimed step; a claim that was taken over changes nothing."""

    def fail(self, place: Place, claim: str, failure: Failure, at: datetime) -> None:
        """Store how a claimed attempt failed and let go of the step, unless it is in doubt."""


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

    def lay(self, run: str, path: str, workspace: Path) -> None:
        """Put what a step left at the same places of a workspace; nothing if it left nothing.

        `path` is `step[/item...]`: what all items below it left is laid, in their order, and of
        rounds what the last one left.
        """


class Sources(Protocol):
    """The files that steps work on."""

    def lay(self, run: str, workspace: Path, wanted: Wanted | None) -> None:
        """Put a fresh copy of the run's source, a git clone with its origin, into a folder.

        `wanted` is what is fetched where nobody did so before; None: the run names no source.
        """


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

    def read(self, key: str) -> Latch:
        """Return the latch as it is; one without anything where nothing was written."""


class Locks(Protocol):
    """Concurrency groups; each change one conditional write."""

    def remember(self, execution: str, name: str) -> None:
        """Note which group an execution asks for."""

    def group_of(self, execution: str) -> str | None:
        """Return the group that an execution asked for; None where it asked for none."""

    def change(self, name: str, wish: Callable[[Group], Turn]) -> Turn:
        """Change a group by what `wish` makes of it; return what that asks for."""


class Executions(Protocol):
    """Executions as those see them who are none."""

    def is_over(self, execution: str) -> bool:
        """Return whether an execution has ended; one that is not there has."""

    def stop(self, execution: str, error: str, cause: str) -> None:
        """Stop an execution; one that is over stays as it is."""


@dataclass(frozen=True, slots=True)
class Execution:
    """An execution as Step Functions describes it; `error` and `cause` of one that failed."""

    status: str  # RUNNING, SUCCEEDED, FAILED, TIMED_OUT or ABORTED
    started_at: datetime
    stopped_at: datetime | None = None
    output: Json = None
    error: str | None = None
    cause: str | None = None


class Machines(Protocol):
    """The stage's state machines, by their references (`protocol.names.machine_name`)."""

    def start(self, reference: str, name: str, text: str) -> bool:
        """Start an execution with an input, byte by byte the same for the same name.

        True also where just this one is running; False where the name is taken otherwise: by
        one that has ended, or has another input.
        """

    def describe(self, reference: str, name: str) -> Execution | None:
        """Return an execution; None where there is none of that name."""


class Manifests(Protocol):
    """Versions of workflows: those deployed, and all that runs were started from."""

    def current(self, reference: str) -> WorkflowManifest | None:
        """Return what is deployed as `id` (its highest version) or `id@version`."""

    def all(self) -> Sequence[WorkflowManifest]:
        """Return all versions deployed, by their ids; of one id the highest comes first."""

    def by_digest(self, digest: str) -> WorkflowManifest | None:
        """Return a version that was ever kept; None for none."""

    def keep(self, manifest: WorkflowManifest) -> None:
        """Keep a version under its digest."""


class StoredResults(Protocol):
    """All that is stored of a run's steps, and what is noted about it afterwards."""

    def of_run(self, run: str) -> list[StoredResult]:
        """Return the stored results of a run."""

    def of_step(self, run: str, step: str) -> list[StoredResult]:
        """Return the stored results of a step: of its items and rounds."""

    def begin_undo(self, run: str, path: str) -> bool:
        """Note that a result is being undone; return whether it was undone before."""

    def note_undone(self, run: str, path: str) -> None:
        """Note that a result is undone."""

    def let_go(self, run: str, result: StoredResult) -> bool:
        """Let a step run again whatever its result; False where it is another one by now."""

    def recheck(self, run: str, result: StoredResult, steps: Sequence[str] | None) -> bool:
        """Have a result looked at before it is given back (None: as before); False as above."""

    def record_done(
        self, run: str, path: str, run_attempt: int, envelope: Envelope, before: str | None
    ) -> bool:
        """Store a result that a person tells of, in the place of the claim `before`; as above."""


class Answers(Protocol):
    """Answers to executions that wait on a task token."""

    def succeed(self, token: str, output: Json) -> bool:
        """Let the waiting state succeed; False where it no longer waits."""

    def fail(self, token: str, error: str, cause: str) -> bool:
        """Let the waiting state fail; False where it no longer waits."""


class Tasks(Protocol):
    """What waits for people and outside answers; each change one conditional write."""

    def create(self, task: Task) -> Task:
        """Write a new task; return what is stored, which may be an earlier call's."""

    def get(self, task_id: str) -> Task | None:
        """Return a task as the last write left it."""

    def replace(self, task: Task) -> Task | None:
        """Write a changed task if nobody changed it in between; else return what is stored."""

    def nudge(self, task_id: str) -> None:
        """Have an ended task wake its execution once more."""

    def audit(self, task_id: str, entry: Entry) -> None:
        """Keep a line about something that changed nothing."""

    def audited(self, task_id: str) -> list[Entry]:
        """Return the last lines kept with `audit`, the oldest first."""

    def end(self, run_id: str, run_attempt: int) -> None:
        """Note that an attempt of a run is over: tasks that still open then are closed."""

    def has_ended(self, run_id: str, run_attempt: int) -> bool:
        """Return whether an attempt of a run is over."""

    def of_run(self, run_id: str) -> list[Task]:
        """Return all tasks of a run, every one whose `create` has begun before."""

    def listed(self, kind: Kind, *, is_open: bool) -> list[Task]:
        """Return the tasks of a kind, the ones due first ahead; a new one may be missing."""

    @property
    def waits(self) -> EventWaits:
        """Return what waits for events, and what has come."""


class TaskTokens(Protocol):
    """Under which token an execution waits for a task."""

    def keep(self, task_id: str, token: str, order: int) -> None:
        """Keep a token, unless one of a higher order is kept."""

    def get(self, task_id: str) -> str | None:
        """Return the token that waits; None while nothing does."""


class NotSent(Exception):
    """A message could not be sent; the text says why, without what was in it."""


class Sends(Protocol):
    """One way to reach people."""

    def send(self, message: Message) -> None:
        """Send a message; raises NotSent."""


class Notifications(Sends, Protocol):
    """Messages to people, and to the stage's chat where it has one."""

    @property
    def has_chat(self) -> bool:
        """Return whether there is a chat to be told as well."""
