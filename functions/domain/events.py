"""Events as they are kept: what came, who claims it, and what became of it.

An event that could start a run is kept under an id that follows from its key, so that every
delivery of it meets the same item. One that starts none (ignored, rejected) is kept under an id
of its own and reserves nothing: the same key can start a run later.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from functions.domain.triggers.incoming import Problem
from protocol.payloads import Json, Reference

CLAIMED = "claimed"
"""Somebody is about to start its run; the lease says until when nobody else may."""
STARTED, IGNORED, REJECTED = "started", "ignored", "rejected"
WAITING = "waiting"
"""Its workflow is disabled."""
FAILED = "failed"
"""Its run could not be started this time; the queue brings it again."""
DEAD = "dead"
"""The queue has given it up."""

OPEN = (CLAIMED, FAILED, DEAD, REJECTED)
"""The next delivery may start the run: what was claimed and rejected is judged anew."""
UNDONE = (*OPEN, WAITING)
"""There may yet be a run."""
MOST_DEPTH = 10
"""Runs that may have started one another by events, so that no loop goes on for ever."""
NEVER_KEPT = frozenset(
    {"authorization", "cookie", "proxy-authorization", "x-api-key", "x-amz-security-token"}
    | {"x-hub-signature", "x-hub-signature-256", "x-stepsmith-signature"}
)
"""Headers that open doors; they are neither kept nor read by expressions."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What a source sent."""

    id: str  # as `Incoming.id`
    body: Json
    headers: Mapping[str, str] = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """An event and what became of it.

    `event_id` is the item's, `source_id` the event's own identity, which travels through runs.
    `claim` proves whose the event is while it is claimed, `number` counts the claims of its key
    that led to a run of their own. `kept` is where a large event lies. `sent` is None in lists.
    """

    event_id: str
    key: str
    workflow_id: str
    trigger: str
    type: str
    source_id: str
    received_at: datetime
    outcome: str
    claim: str
    lease: datetime
    expires_at: datetime
    number: int = 1
    deliveries: int = 1
    run_id: str | None = None
    problems: tuple[Problem, ...] = ()
    error: str | None = None
    replay_of: str | None = None
    sent: Sent | None = None
    kept: Reference | None = None

    def is_known(self, now: datetime) -> bool:
        """Return whether another delivery of it is a duplicate."""
        if self.outcome == STARTED:
            return now < self.expires_at
        return self.outcome not in OPEN

    def is_held(self, now: datetime) -> bool:
        """Return whether somebody is about to start its run."""
        return self.outcome == CLAIMED and now < self.lease


@dataclass(frozen=True, slots=True)
class Sought:
    """Which events a list is to show; None: any."""

    workflow_id: str | None = None
    outcome: str | None = None
    duplicates: bool = False  # only those that came more than once


def event_id(key: str) -> str:
    """Return the id under which the events of a key are kept: 32 hexadecimal digits."""
    return hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()[:32]


def noted_id(workflow_id: str, trigger: str, sent: Sent) -> str:
    """Return the id of an event that starts nothing: the same for each delivery of it."""
    return event_id(f"noted {workflow_id}/{trigger}/{sent.id} {canonical(sent.body)}")


def run_id(workflow_id: str, event: str, number: int) -> str:
    """Return the id of the run that the n-th claim of an event starts."""
    digest = hashlib.sha256(f"{event}/{number}".encode()).hexdigest()[:20]
    return f"{workflow_id[:40]}-{digest}"


def canonical(value: Json | Mapping[str, Json]) -> str:
    """Return JSON that is the same text for the same value."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def without_secrets(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that may be kept, their names in lower case."""
    lower = {name.lower(): value for name, value in headers.items()}
    return {name: value for name, value in lower.items() if name not in NEVER_KEPT}
