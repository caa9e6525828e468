"""Webhooks: whether one is genuine, and what it is to its trigger; the queue does the rest.

Nothing is read of a body before its signature is checked, nothing kept of one that is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from functions.domain.events import without_secrets
from functions.domain.moments import stamp
from functions.domain.triggers.github import PING, kind_of
from functions.domain.triggers.incoming import Incoming, Problem
from functions.domain.triggers.taking import Ignored
from functions.domain.triggers.webhooks import is_genuine, posted, secrets_in
from functions.event_ports import Bus
from functions.ports import Secrets
from functions.usecases.claim import Gate
from functions.usecases.take_in import Came, Ready, judge, noted
from functions.usecases.triggers import UnknownTrigger, current_triggers
from protocol.manifest import TriggerManifest, WorkflowManifest
from protocol.payloads import EventMessage

_REREAD = timedelta(seconds=60)
"""A secret is read anew at most this often, and only where a signature was wrong."""


class NotGenuine(Exception):
    """Nobody who knows the secret has sent it."""


class NoSecret(Exception):
    """The stage does not have the trigger's secret; the text names it."""


class Unreadable(Exception):
    """The body is not what the trigger takes; the text says why."""


class Rejected(Exception):
    """The event cannot start a run."""

    def __init__(self, event_id: str, problems: tuple[Problem, ...]) -> None:
        super().__init__("the event is not as the workflow's contract says")
        self.event_id = event_id
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Posted:
    """A webhook: the bytes of its body, its headers, the id of the call, and where it is from."""

    body: bytes
    headers: Mapping[str, str]
    request_id: str
    source: str = ""


@dataclass(slots=True)
class Keys:
    """The secrets of triggers; one that was exchanged is found before long."""

    make: Callable[[], Secrets]
    _now: Secrets = field(init=False)
    _read_at: datetime | None = None

    def __post_init__(self) -> None:
        self._now = self.make()

    def get(self, name: str) -> tuple[str, ...]:
        """Return the secrets of a name; raises NoSecret."""
        try:
            found = secrets_in(self._now.get(name))
        except KeyError:
            found = ()
        if not found:
            raise NoSecret(f"the stage has no secret '{name}'")
        return found

    def forget(self, now: datetime) -> bool:
        """Have secrets read anew; False where that was done just now."""
        if self._read_at is not None and now < self._read_at + _REREAD:
            return False
        self._now, self._read_at = self.make(), now
        return True


@dataclass(frozen=True, slots=True)
class Door:
    """Where events and wishes come in over the API."""

    gate: Gate
    bus: Bus
    keys: Keys


def receive_webhook(name: str, post: Posted, door: Door) -> tuple[str, str]:
    """Take a webhook; return the event's id and what becomes of it: queued, ignored or ping.

    Raises UnknownTrigger, NoSecret, NotGenuine, Unreadable and Rejected.
    """
    gate = door.gate
    manifest, trigger = webhook_named(name, gate)
    now = gate.clock.now()
    if not _is_genuine(trigger, post, door.keys, now):
        raise NotGenuine
    kept = without_secrets(post.headers)
    try:
        body = posted(post.body, kept.get("content-type"))
    except ValueError as error:
        raise Unreadable(str(error)) from None
    event = Incoming(post.request_id, now, body, kept, post.source)
    if trigger["type"] == "git-push" and kind_of(event) == PING:
        return post.request_id, "ping"
    return _hand_on(Came(manifest, trigger, event), gate)


def webhook_named(name: str, gate: Gate) -> tuple[WorkflowManifest, TriggerManifest]:
    """Return a trigger for webhooks by `WORKFLOW.NAME`, or by a name that no other has."""
    found = [
        (manifest, trigger)
        for manifest, trigger in current_triggers(gate.manifests)
        if trigger["type"] in ("git-push", "http")
        and name in (trigger["name"], f"{manifest['id']}.{trigger['name']}")
    ]
    if len(found) != 1:
        raise UnknownTrigger(f"there is no webhook '{name}'")
    return found[0]


def _is_genuine(trigger: TriggerManifest, post: Posted, keys: Keys, now: datetime) -> bool:
    name = str(trigger["settings"].get("secret"))

    def fits() -> bool:
        return is_genuine(trigger["type"], keys.get(name), post.body, post.headers)

    return fits() or (keys.forget(now) and fits())


def _hand_on(came: Came, gate: Gate) -> tuple[str, str]:
    event = came.incoming
    judged = judge(came, event.received_at)
    if isinstance(judged, Ready):
        message: EventMessage = {
            "trigger": f"{came.manifest['id']}.{came.trigger['name']}",
            "event": event.body,
            "id": event.id,
            "received_at": stamp(event.received_at),
            "headers": dict(event.headers),
            "source": event.source,
        }
        gate.queue.send(message)
        return judged.event.event_id, "queued"
    kept = gate.events.receive(noted(came, judged, event.received_at))
    if isinstance(judged, Ignored):
        return kept.event_id, "ignored"
    raise Rejected(kept.event_id, kept.problems)
