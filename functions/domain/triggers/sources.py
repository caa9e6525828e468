"""The types of triggers: how the events of each are read. A new type is one entry here."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from functions.domain.triggers.attributes import plain_item
from functions.domain.triggers.github import read_push
from functions.domain.triggers.incoming import Ignored, Incoming, Rejected
from functions.domain.triggers.reading import Reader, Reading, at, text_at, unreadable
from protocol.events import is_by_name, is_published, read_as
from protocol.manifest import TriggerManifest, TriggerType
from protocol.payloads import Json
from protocol.reading import read_json

BODY = "body"
"""The input that a message or a posted document is, where it is no JSON object."""
IDEMPOTENCY_KEY = "Idempotency-Key"


def read_schedule(trigger: TriggerManifest, event: Incoming) -> Reading | Rejected:
    """Read an occurrence: the same schedule at the same time is the same event."""
    written = text_at(event.body, "scheduled_time") or text_at(event.body, "time")
    try:
        moment = datetime.fromisoformat(written or "")
    except ValueError:
        return unreadable(f"no time of a schedule: {str(written)[:60]!r}")
    if moment.tzinfo is None:
        return unreadable(f"the scheduled time {written} is in no time zone")
    time = moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return Reading(f"{trigger['name']}@{time}", {"scheduled_time": time})


def read_event(trigger: TriggerManifest, event: Incoming) -> Reading | Rejected:
    """Read an event of the bus; a published one is known by the id it was published with."""
    body, pattern = event.body, trigger["settings"].get("pattern")
    if not isinstance(body, dict) or not isinstance(pattern, dict):
        return unreadable("no event of EventBridge: it is no object")
    identity, depth, starter = text_at(body, "id") or event.id, 0, None
    payload = at(body, "detail")
    if is_published(body):
        identity = text_at(body, "detail", "event_id") or identity
        payload = at(body, "detail", "payload")
        before = at(body, "detail", "depth")
        if isinstance(before, int):
            depth = before + 1
        starter = text_at(body, "detail", "started_by")
    value, by_name = read_as(pattern, body), is_by_name(pattern)
    return Reading(
        identity,
        value,
        _members(payload),
        started_by=starter,
        depth=depth,
        is_payload=by_name,
    )


def read_message(trigger: TriggerManifest, event: Incoming) -> Reading | Rejected:  # noqa: ARG001
    """Read a message of a queue: a JSON object, or else text under the name `body`."""
    text = at(event.body, "body")
    if not isinstance(text, str):
        return unreadable("no message of SQS: it has no body")
    value = _members(_parsed(text))
    return Reading(text_at(event.body, "messageId") or event.id, value, value)


def read_posted(trigger: TriggerManifest, event: Incoming) -> Reading:  # noqa: ARG001
    """Read what was posted to a webhook; senders that try again say so by an Idempotency-Key."""
    value = _members(event.body)
    return Reading(event.header(IDEMPOTENCY_KEY) or event.id, value, value)


def read_change(trigger: TriggerManifest, event: Incoming) -> Reading | Ignored | Rejected:
    """Read a record of a DynamoDB stream as plain JSON: operation, keys, old and new item.

    https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_Record.html
    """
    operation = (text_at(event.body, "eventName") or "").lower()
    if operation not in ("insert", "modify", "remove"):
        return unreadable("no record of a DynamoDB stream: it has no eventName")
    wanted = trigger["settings"].get("operations")
    if isinstance(wanted, list) and operation not in wanted:
        return Ignored(f"the trigger does not ask for '{operation}'")
    try:
        change: dict[str, Json] = {
            "operation": operation,
            "keys": plain_item(at(event.body, "dynamodb", "Keys")),
            "old": plain_item(at(event.body, "dynamodb", "OldImage")),
            "new": plain_item(at(event.body, "dynamodb", "NewImage")),
        }
    except ValueError as error:
        return unreadable(f"no record of a DynamoDB stream: {error}")
    return Reading(text_at(event.body, "eventID") or event.id, change, change)


def _members(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {BODY: value}


def _parsed(text: str) -> Json:
    try:
        return read_json(text)
    except ValueError:
        return text


READERS: Mapping[TriggerType, Reader] = {
    "git-push": read_push,
    "schedule": read_schedule,
    "event": read_event,
    "queue": read_message,
    "http": read_posted,
    "database": read_change,
}
