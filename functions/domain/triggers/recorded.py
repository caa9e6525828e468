"""Events from a file: recorded as their source delivers them, or only what matters of them."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import datetime

from functions.domain.triggers.attributes import typed_item
from functions.domain.triggers.github import EVENT
from functions.domain.triggers.incoming import Incoming, header_of
from functions.domain.triggers.reading import at, text_at
from functions.domain.triggers.webhooks import posted
from protocol.events import SOURCE, is_by_name
from protocol.manifest import TriggerManifest, TriggerType
from protocol.patterns import matches
from protocol.payloads import Json

EVENT_ID = "event-1"
"""The identity of an event that does not say its own."""

_ALL: frozenset[TriggerType] = frozenset(
    {"git-push", "schedule", "event", "queue", "http", "database"}
)


def types_of(document: Mapping[str, Json]) -> frozenset[TriggerType]:
    """Return the types of triggers that a document can be an event for, by its shape."""
    record = _record(document)
    if "dynamodb" in record:
        return frozenset({"database"})
    if "messageId" in record and "body" in record:
        return frozenset({"queue"})
    if "headers" in record and "body" in record:
        is_github = header_of(_texts(record["headers"]), EVENT) is not None
        return frozenset({"git-push"} if is_github else {"http", "git-push"})
    if "detail-type" in record and "detail" in record:
        is_scheduled = record["detail-type"] == "Scheduled Event"
        return frozenset({"schedule", "event"} if is_scheduled else {"event"})
    return _ALL


def recorded(trigger: TriggerManifest, document: Mapping[str, Json], now: datetime) -> Incoming:
    """Return a document as the event that comes in for a trigger.

    It is what the source delivers (a webhook as `{headers, body}`, a batch with one record, a
    record, an event of the bus), or else what expressions read as `event`. Raises ValueError,
    which says what is wrong, for what is neither.
    """
    record = _record(document)
    match trigger["type"]:
        case "git-push" | "http":
            return _posted(record, now)
        case "schedule":
            time = text_at(record, "scheduled_time") or text_at(record, "time")
            return Incoming(EVENT_ID, now, {"scheduled_time": time or now.isoformat()})
        case "event":
            return Incoming(EVENT_ID, now, _of_the_bus(trigger, record))
        case "queue":
            is_record = "messageId" in record and isinstance(record.get("body"), str)
            body = dict(record) if is_record else _message(record)
            return Incoming(EVENT_ID, now, body)
        case "database":
            return Incoming(
                EVENT_ID, now, dict(record) if "dynamodb" in record else _change(record)
            )


def _record(document: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the only record of a batch, or what is none."""
    records = document.get("Records")
    if not isinstance(records, list):
        return document
    if len(records) != 1 or not isinstance(records[0], dict):
        raise ValueError(f"it holds {len(records)} records; leave one")
    return records[0]


def _texts(headers: Json) -> dict[str, str]:
    items = headers.items() if isinstance(headers, dict) else ()
    return {name: value for name, value in items if isinstance(value, str)}


def _posted(document: Mapping[str, Json], now: datetime) -> Incoming:
    if "headers" not in document or "body" not in document:
        return Incoming(EVENT_ID, now, dict(document))
    body, headers = document["body"], _texts(document["headers"])
    if isinstance(body, str):
        is_base64 = document.get("isBase64Encoded") is True
        raw = base64.b64decode(body, validate=True) if is_base64 else body.encode()
        body = posted(raw, header_of(headers, "Content-Type"))
    identity = text_at(document, "requestContext", "requestId") or EVENT_ID
    return Incoming(identity, now, body, headers)


def _of_the_bus(trigger: TriggerManifest, record: Mapping[str, Json]) -> dict[str, Json]:
    pattern = trigger["settings"].get("pattern")
    assert isinstance(pattern, dict)
    if "detail-type" in record and "detail" in record:
        if not matches(pattern, record):
            raise ValueError(f"the pattern of the trigger '{trigger['name']}' does not match it")
        return dict(record)
    if not is_by_name(pattern):
        return dict(record)
    names = at(pattern, "detail-type")
    first = names[0] if isinstance(names, list) and names else ""
    payload: Json = dict(record)
    detail: Json = {"event_id": EVENT_ID, "payload": payload}
    return {"id": EVENT_ID, "source": SOURCE, "detail-type": first, "detail": detail}


def _message(record: Mapping[str, Json]) -> dict[str, Json]:
    return {"messageId": EVENT_ID, "body": json.dumps(record, ensure_ascii=False)}


def _change(record: Mapping[str, Json]) -> dict[str, Json]:
    operation = record.get("operation")
    if operation not in ("insert", "modify", "remove"):
        raise ValueError(
            "it is no change of a table: write {operation: insert, keys: {...}, new: {...}}, "
            "or a record of a DynamoDB stream"
        )
    parts = (("Keys", "keys"), ("OldImage", "old"), ("NewImage", "new"))
    images: dict[str, Json] = {}
    for name, own in parts:
        item = record.get(own)
        if isinstance(item, dict):
            typed: Json = dict(typed_item(item))
            images[name] = typed
    return {"eventID": EVENT_ID, "eventName": operation.upper(), "dynamodb": images}
