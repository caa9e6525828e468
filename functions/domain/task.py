"""What waits for a person or an outside answer, as it is kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from protocol.payloads import Json, Run

Kind: TypeAlias = Literal["manual", "pause", "event", "callback"]
Via: TypeAlias = Literal["link", "login", "command", "system"]

PENDING = "pending"
APPROVED, REJECTED = "approved", "rejected"
RETRY, SKIP, FAIL = "retry", "skip", "fail"
DELIVERED = "delivered"
SUCCEEDED, FAILED = "succeeded", "failed"
TIMED_OUT, CANCELLED = "timed_out", "cancelled"

ANSWERS: Mapping[Kind, tuple[str, ...]] = {
    "manual": (APPROVED, REJECTED),
    "pause": (RETRY, SKIP, FAIL),
    "event": (DELIVERED,),
    "callback": (SUCCEEDED, FAILED),
}
"""What each kind can be answered with."""
PEOPLE_DECIDE: tuple[Kind, ...] = ("manual", "pause")
"""What is decided by people; what an event or an outside system ends is not."""


@dataclass(frozen=True, slots=True)
class Place:
    """The step of a run that a task stands for; `items` are the indices of its for_each."""

    run_id: str
    run_attempt: int
    step_id: str
    items: tuple[int, ...] = ()

    @classmethod
    def of(cls, run: Run, step: str, items: list[int] | None) -> Place:
        """Return the place of a call of the machine."""
        return cls(run["id"], run["attempt"], step, tuple(items or ()))


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts, and how they were known: by a link, a login, the command; or the system."""

    name: str
    via: Via


@dataclass(frozen=True, slots=True)
class Answer:
    """What somebody says: a status of `ANSWERS`, and what goes with it."""

    status: str
    comments: str | None = None
    form: Json = None


@dataclass(frozen=True, slots=True)
class Decision:
    """How a task ended; of a manual step these are its outputs."""

    status: str
    decided_at: datetime
    decided_by: str | None = None
    comments: str | None = None
    form: Json = None
    timeout_reason: str | None = None
    via: Via = "system"


@dataclass(frozen=True, slots=True)
class Vote:
    """One person's answer to a task that asks for several."""

    name: str
    status: str
    at: datetime
    comments: str | None = None
    form: Json = None


@dataclass(frozen=True, slots=True)
class Link:
    """A person's link, without the token: its hash, its number and its end."""

    hash: str
    number: int
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Notice:
    """That somebody is told: when it was taken on, and what came of it (None: not known)."""

    at: datetime
    outcome: Literal["sent", "failed"] | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the audit trail: who did what, and how they were known."""

    at: datetime
    what: str
    by: str | None = None
    via: Via = "system"
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """A task as its table keeps it; `version` counts its changes.

    `answers` are the statuses it can be given. `people` are the assignees in their own spelling,
    `votes` are by identity, `links` by assignee, `notices` by `LEVEL/RECIPIENT`. `subject` is
    what it is about: the error of a pause, the pattern and the match of an event wait.
    """

    task_id: str
    kind: Kind
    place: Place
    workflow_id: str
    opened_at: datetime
    expires_at: datetime
    title: str
    answers: tuple[str, ...]
    description: str | None = None
    people: tuple[str, ...] = ()
    started_by: str | None = None
    due_at: datetime | None = None
    auth: Literal["link", "login"] = "link"
    quorum: int = 1
    self_approval: bool = False
    form: Mapping[str, Json] | None = None
    subject: Json = None
    workflow_version: str = ""
    status: str = PENDING
    decision: Decision | None = None
    level: int = 0
    votes: Mapping[str, Vote] = field(default_factory=dict)
    links: Mapping[str, Link] = field(default_factory=dict)
    notices: Mapping[str, Notice] = field(default_factory=dict)
    history: tuple[Entry, ...] = ()
    version: int = 1

    @property
    def is_open(self) -> bool:
        """Return whether nobody has decided and the time is not over."""
        return self.status == PENDING

    @property
    def to_be_done(self) -> datetime:
        """Return by when it should be decided."""
        return self.due_at or self.expires_at

    def is_overdue(self, now: datetime) -> bool:
        """Return whether it should have been decided by now."""
        return self.is_open and self.due_at is not None and now > self.due_at


def task_id(kind: Kind, place: Place, entered: str | None = None) -> str:
    """Return a task's id: the same for every call about one wait of one attempt of a run.

    `entered` tells the pauses of a step apart. A callback's is the same for all attempts, as
    the step's key is: what was started in an earlier attempt answers the later one.
    """
    attempt = 0 if kind == "callback" else place.run_attempt
    parts = [kind, place.run_id, attempt, place.step_id, *place.items, entered]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def order_of(run: Run, entry: int, level: int = 0) -> int:
    """Return the order of a token: a later attempt's, level's and try's is higher."""
    return (run["attempt"] * 1000 + level) * 1000 + entry
