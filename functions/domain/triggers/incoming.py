"""What comes in for a trigger, and what becomes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from functions.domain.inputs import Problem
from protocol.payloads import Json, MachineInput

__all__ = [
    "DEFAULT_WINDOW",
    "Ignored",
    "Incoming",
    "Problem",
    "Rejected",
    "Taken",
    "header_of",
]

DEFAULT_WINDOW = 30 * 86_400
"""Seconds for which an event counts as known: longer than any source delivers one again.

SQS keeps a message for 14 days at most, EventBridge tries for 24 hours, GitHub lets deliveries
be sent again for 3 days.
"""


@dataclass(frozen=True, slots=True)
class Incoming:
    """An event for a trigger.

    `body` is, by the trigger's type:

    * `git-push`: the JSON that GitHub posted; `headers` has `X-GitHub-Event` and
      `X-GitHub-Delivery`
    * `http`: the JSON that was posted; `headers` may have `Idempotency-Key`
    * `schedule`: `{"scheduled_time": "2026-03-29T06:00:00Z"}`
    * `event`: the event as EventBridge delivers it, with `id`, `detail-type`, `source`, `detail`
    * `queue`: a record of Lambda's SQS event, `{"messageId", "body", "messageAttributes", ...}`
    * `database`: a record of Lambda's DynamoDB event, `{"eventID", "eventName", "dynamodb": ...}`

    Names of headers are in any case. `id` is whose delivery it was (a message id, a request id):
    the event's identity only where its source has none. `source` says for people where it came
    from.
    """

    id: str
    received_at: datetime
    body: Json
    headers: Mapping[str, str] = field(default_factory=dict)
    source: str = ""

    def header(self, name: str) -> str | None:
        """Return a header's value whatever case its name came in; None where it is not there."""
        return header_of(self.headers, name)


def header_of(headers: Mapping[str, str], name: str) -> str | None:
    """Return a header's value whatever case its name is in; None where it is not there."""
    wanted = name.lower()
    return next((value for key, value in headers.items() if key.lower() == wanted), None)


@dataclass(frozen=True, slots=True)
class Taken:
    """The event starts a run, unless one with its `key` has been taken within `window` seconds.

    `key` holds the workflow's id and the trigger's name. `given` is the execution's input but
    for what only the starter knows: in `run` are `started_by`, `event_id`, `depth` (of runs that
    started one another by events) and, for what must not see secrets, `secrets: withheld`.
    """

    key: str
    window: int
    given: MachineInput

    @property
    def event_id(self) -> str:
        """Return the event's identity, as expressions read it of `trigger`."""
        return str(self.given["run"]["event_id"])


@dataclass(frozen=True, slots=True)
class Ignored:
    """The trigger does not ask for this event."""

    reason: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """The event cannot start a run, whenever it is tried."""

    problems: tuple[Problem, ...]
